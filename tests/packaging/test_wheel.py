"""Protects the wheel: it has both packages, the page and the command, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_it_holds_the_two_packages_and_nothing_else(names: list[str]) -> None:
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"backscope", "backscope_server"}
    assert "backscope/protocol/events/__init__.py" in names
    assert "backscope/py.typed" in names
    assert "backscope_server/command/cli.py" in names
    assert "backscope_server/lessons/text/01_graph.md" in names
    assert "backscope_server/lessons/FORMAT.md" in names


def test_it_holds_every_module_of_the_sources(names: list[str], root: Path) -> None:
    for folder in ("engine", "server"):
        for package in ("backscope", "backscope_server"):
            for module in (root / folder / package).rglob("*.py"):
                assert module.relative_to(root / folder).as_posix() in names


def test_it_holds_the_built_page(wheel: Path, names: list[str]) -> None:
    assets = [name for name in names if name.startswith("backscope_server/static/assets/")]
    assert any(name.endswith(".js") for name in assets)
    assert any(name.endswith(".css") for name in assets)
    with zipfile.ZipFile(wheel) as archive:
        index = archive.read("backscope_server/static/index.html").decode()
    scripts = [name.split("/")[-1] for name in assets if name.endswith(".js")]
    assert any(script in index for script in scripts)


def test_its_command_line_works_where_it_is_installed(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
        (entry_points,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        assert "backscope = backscope_server.command.cli:main" in archive.read(entry_points).decode()
    where = "import backscope_server, sys; print(backscope_server.__file__)"
    variables = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = [sys.executable, "-P"]
    found = subprocess.run([*run, "-c", where], cwd=tmp_path, env=variables, capture_output=True, text=True, check=True)
    assert found.stdout.startswith(str(tmp_path))
    said = subprocess.run(
        [*run, "-m", "backscope_server", "--version"],
        cwd=tmp_path,
        env=variables,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.startswith("backscope ")


def test_the_source_distribution_holds_sources_and_page_but_no_packages_of_others(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    for name in (
        "pyproject.toml",
        "README.md",
        "CHANGELOG.md",
        "engine/backscope/protocol/events/__init__.py",
        "server/__main__.py",
        "server/environment.py",
        "server/backscope_server/static/index.html",
        "tests/__main__.py",
        "web/build.py",
        "web/build_hook.py",
        "web/package-lock.json",
    ):
        assert name in names
    assert not [name for name in names if "node_modules" in name or "__pycache__" in name or name.startswith(".venv")]
