"""Protects the version: all places that name it agree."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, object]:
    found: dict[str, object] = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    return found


@pytest.fixture(scope="module")
def package(root: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((root / "web" / "package.json").read_text())
    return found


def test_the_page_has_the_version_of_the_project(project: dict[str, object], package: dict[str, object]) -> None:
    assert package["version"] == project["version"]


def test_the_changelog_begins_with_the_version(project: dict[str, object], root: Path) -> None:
    headings = re.findall(r"^## (\S+)", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == project["version"]


def test_the_schema_has_the_version_of_the_protocol(root: Path) -> None:
    from backscope.protocol.events import PROTOCOL_VERSION

    types = (root / "web/src/protocol/events.ts").read_text()
    assert f"export const PROTOCOL_VERSION = {PROTOCOL_VERSION};" in types


@pytest.mark.parametrize("path", ["server/__main__.py", "tests/__main__.py"])
def test_the_commands_ask_for_the_python_that_the_project_needs(
    path: str, project: dict[str, object], load: Callable[[str], ModuleType]
) -> None:
    major, minor = load(path).NEEDED
    assert project["requires-python"] == f">={major}.{minor}"


@pytest.mark.parametrize(
    ("version", "runs"),
    [
        ("v18.20.0", False),
        ("v20.18.9", False),
        ("v20.19.0", True),
        ("v21.7.3", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v24.0.1", True),
        ("nonsense", False),
    ],
)
def test_the_build_takes_the_node_versions_of_package_json(
    version: str, runs: bool, package: dict[str, object], load: Callable[[str], ModuleType]
) -> None:
    assert package["engines"] == {"node": "^20.19.0 || >=22.12.0"}
    assert load("web/build.py").fits(version) is runs
