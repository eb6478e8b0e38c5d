"""Protects the browser suite from running without a browser: it gets one, or an error that says what to do."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def chromium(load: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, root: Path) -> Any:
    """Return tests/chromium.py as on a machine without any browser, and with no access to Playwright."""
    monkeypatch.syspath_prepend(str(root / "server"))
    monkeypatch.delenv("BACKSCOPE_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    module: Any = load("tests/chromium.py")
    module.NAMES = ("chromium-for-this-test",)
    module.PLACES = ()
    module._can_apt = lambda: False
    return module


def browser(path: Path, prints: str, status: int = 0) -> Path:
    path.write_text(f"#!/bin/sh\necho '{prints}'\nexit {status}\n")
    path.chmod(0o755)
    return path


def find(chromium: Any) -> Path:
    found: Path = chromium.find(Path("/nonexistent/python"), {})
    return found


def test_without_any_browser_it_says_what_to_do(chromium: Any) -> None:
    with pytest.raises(chromium.SetupError, match="Install Chromium or Chrome, or set BACKSCOPE_CHROMIUM"):
        find(chromium)


def test_a_browser_of_the_system_is_found(chromium: Any, tmp_path: Path) -> None:
    made = browser(tmp_path / "chromium-for-this-test", "<html></html>")
    assert find(chromium) == made


@pytest.mark.parametrize(("prints", "status"), [("<html></html>", 1), ("install me with snap", 0)])
def test_a_browser_that_does_not_start_is_passed_over(prints: str, status: int, chromium: Any, tmp_path: Path) -> None:
    browser(tmp_path / "chromium-for-this-test", prints, status)
    with pytest.raises(chromium.SetupError):
        find(chromium)


def test_the_browser_that_is_named_comes_first(chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser(tmp_path / "chromium-for-this-test", "<html></html>")
    named = browser(tmp_path / "named", "<html></html>")
    monkeypatch.setenv("BACKSCOPE_CHROMIUM", str(named))
    assert find(chromium) == named


def test_a_named_browser_that_does_not_start_is_an_error(
    chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser(tmp_path / "chromium-for-this-test", "<html></html>")
    monkeypatch.setenv("BACKSCOPE_CHROMIUM", str(tmp_path / "missing"))
    with pytest.raises(chromium.SetupError, match="does not start"):
        find(chromium)


def test_root_gets_one_from_apt(chromium: Any, tmp_path: Path) -> None:
    installed = tmp_path / "chromium-for-this-test"
    browser(tmp_path / "apt-get", "").write_text(
        f'#!/bin/sh\n[ "$1" = install ] || exit 0\nprintf \'#!/bin/sh\\necho "<html>"\\n\' > {installed}\n'
        f"chmod +x {installed}\n"
    )
    chromium._can_apt = lambda: True
    assert find(chromium) == installed
