"""What can be given to the commands and the image, and where the engine has what, is written down."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SCRIPTS = (
    "server/__main__.py",
    "server/environment.py",
    "tests/__main__.py",
    "tests/suites.py",
    "tests/chromium.py",
    "tests/conftest.py",
    "web/build.py",
    "web/build_hook.py",
)


def test_every_variable_of_the_scripts_is_documented(root: Path) -> None:
    document = (root / "tests" / "README.md").read_text()
    used = {name for script in SCRIPTS for name in re.findall(r"BACKSCOPE_[A-Z_]+", (root / script).read_text())}
    assert {name for name in used if f"`{name}`" not in document} == set()


def test_every_part_of_the_tests_is_documented(root: Path) -> None:
    (parts,) = re.findall(r"^PARTS = \((.*)\)$", (root / "tests" / "suites.py").read_text(), re.MULTILINE)
    document = (root / "tests" / "README.md").read_text()
    command = (root / "tests" / "__main__.py").read_text()
    for part in re.findall(r'"(\w+)"', parts):
        assert f"| `{part}` |" in document
        assert part in command.split('"""')[1]


def test_every_variable_of_the_compose_file_is_documented(root: Path) -> None:
    names = set(re.findall(r"\$\{(\w+)", (root / "docker" / "compose.yaml").read_text()))
    document = (root / "docker" / "README.md").read_text()
    assert names
    assert {name for name in names if name not in document} == set()


@pytest.mark.parametrize("command", ["python3 server", "python3 tests"])
def test_the_two_commands_are_in_the_readme(command: str, root: Path) -> None:
    assert command in (root / "README.md").read_text()


FULLY_MAPPED = (
    "runtime",
    "protocol",
    "tensor",
    "autograd",
    "func",
    "torch_dispatch",
    "summary",
    "diagnosis",
    "recorder",
    "debugger",
    "program",
)
"""Rooms of which the map names every file; of the others it says what lives there."""


@pytest.mark.parametrize("room", FULLY_MAPPED)
def test_every_module_of_a_room_is_on_the_map(room: str, root: Path) -> None:
    """The map is the first block of engine/README.md; the pages of a folder are indented below its line."""
    block = (root / "engine" / "README.md").read_text().split("```")[1]
    below = re.split(r"\n(?=\S)", block.split(f"\n{room}/", 1)[1])[0]
    modules = {page.name for page in (root / "engine" / "backscope" / room).rglob("*.py")} - {"__init__.py"}
    assert modules - set(re.findall(r"\w+\.py\b", below)) == set()


def test_every_room_of_the_engine_is_on_the_map(root: Path) -> None:
    block = (root / "engine" / "README.md").read_text().split("```")[1]
    engine = root / "engine" / "backscope"
    assert {page.name for page in engine.glob("*.py")} == {"__init__.py"}, "what is not in a room"
    for page in engine.rglob("__init__.py"):
        room = page.parent
        if room != engine and not {"torch", "functorch"} & set(room.relative_to(engine).parts):
            assert re.search(rf"^ *{room.name}/", block, re.MULTILINE), room
