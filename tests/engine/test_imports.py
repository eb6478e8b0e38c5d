"""Every module of the engine can be imported, in the order in which the process that starts programs does it."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import backscope

IMPORTS = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
"""

LOADED = """
print(*sorted(sys.modules))
"""

COMPUTING = (
    "autograd", "data", "distributions", "func", "functorch", "nn", "ops", "optim", "random", "runtime", "tensor",
    "torch", "torch_dispatch",
)  # fmt: skip
"""The rooms that programs compute with."""

WATCHING = (
    "caption",
    "debugger",
    "diagnosis",
    "docs",
    "moments",
    "pictures",
    "program",
    "protocol",
    "recorder",
    "summary",
)
"""The rooms for those who watch a program."""

TOOLS = ("notebook", "player", "testing")
"""The rooms for other tools: for notebooks and pytest."""

PYTORCH = "pytorch"
"""The room that needs PyTorch itself, which loads slowly where it is installed."""


def modules(*rooms: str) -> list[str]:
    """The names of the modules of these rooms, of all but that of PyTorch without any."""
    folder = Path(backscope.__file__).parent
    files = [file for room in rooms or [""] for file in sorted((folder / room).rglob("*.py"))]
    files = [file for file in files if PYTORCH not in file.relative_to(folder).parts[:1]]
    parts = [file.relative_to(folder).with_suffix("").parts for file in files]
    return [".".join(["backscope", *(p for p in path if p != "__init__")]) for path in parts]


def loaded_with(*names: str) -> set[str]:
    """What a fresh process has loaded once it has imported modules by their names."""
    command = [sys.executable, "-c", IMPORTS + LOADED, *names]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return set(ran.stdout.split())


def test_modules_need_no_order() -> None:
    """By their names, in a fresh process: a module that counts on another to be there imports it."""
    assert loaded_with(*modules()).issuperset(modules())


def test_the_package_loads_rooms_only_when_they_are_used() -> None:
    """So that `import backscope` costs a program next to nothing, and pytest, which looks for the plugin, neither."""
    rooms = {f"backscope.{room}" for room in (*COMPUTING, *WATCHING, *TOOLS, PYTORCH)} - {"backscope.runtime"}
    heavy = {"ctypes", "inspect", "json", "logging", "ml_dtypes", "msgspec", "numpy", "orjson", "torch"}
    assert {name for name in loaded_with("backscope") if name in rooms | heavy} == set()


def test_each_module_can_be_imported_alone() -> None:
    """Where nothing is loaded but what it imports itself, in processes that fork from one another."""
    script = Path(__file__).with_name("imported_alone.py")
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    assert [line for line in lines if not line.startswith("1 ")] == []
    assert sorted(line.removeprefix("1 ") for line in lines) == sorted(modules())


def test_what_programs_compute_with_loads_nothing_of_those_who_watch() -> None:
    loaded = loaded_with(*modules(*COMPUTING))
    assert loaded.issuperset(modules(*COMPUTING))
    assert {name for name in loaded if name.partition(".")[0] == "msgspec"} == set()
    assert loaded.isdisjoint(modules(*WATCHING))


def test_every_room_is_named_here() -> None:
    folder = Path(backscope.__file__).parent
    assert {file.parent.name for file in folder.glob("*/__init__.py")} == {*COMPUTING, *WATCHING, *TOOLS, PYTORCH}


UPWARD = {("core", "shape"): {("arguments.out_memory", "resizing")}}
"""Rooms of the ops that import each other: by which modules the lower one imports the upper one, in functions alone."""


def test_rooms_of_the_ops_import_each_other_in_one_direction() -> None:
    """Imports within functions count."""
    found = direct_imports("ops")
    assert {rooms: found.pop(rooms) for rooms in UPWARD} == UPWARD
    above: dict[str, set[str]] = {room: set() for rooms in found for room in rooms}
    for upper, lower in found:
        above[lower].add(upper)
    order = list(TopologicalSorter(above).static_order())
    assert order[0] == "names" and order[-1] == "core"


def direct_imports(room: str) -> dict[tuple[str, str], set[tuple[str, str]]]:
    """Which modules import each other across the rooms of a room, by importing and imported room."""
    start = f"backscope.{room}."
    names = {name for name in modules(room) if name.count(".") > 2}
    folder = Path(backscope.__file__).parent
    found: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for name in sorted(names):
        path = folder.joinpath(*name.split(".")[1:]).with_suffix(".py")
        if not path.exists():
            continue
        for statement in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(statement, ast.ImportFrom) or statement.module is None:
                continue
            for other in {statement.module, *(f"{statement.module}.{alias.name}" for alias in statement.names)} & names:
                (one, inner), (two, outer) = (each.removeprefix(start).split(".", 1) for each in (name, other))
                if one != two:
                    found.setdefault((one, two), set()).add((inner, outer))
    return found
