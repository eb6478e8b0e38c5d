"""Every module of the engine can be imported, in the order in which the process that starts programs does it."""

from __future__ import annotations

import subprocess
import sys
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

WATCHING = ("caption", "debugger", "diagnosis", "program", "protocol", "recorder", "summary")
"""The rooms for those who watch a program."""


def modules(*rooms: str) -> list[str]:
    """The names of the modules of these rooms, of all without any."""
    folder = Path(backscope.__file__).parent
    files = [file for room in rooms or [""] for file in sorted((folder / room).rglob("*.py"))]
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
    assert {file.parent.name for file in folder.glob("*/__init__.py")} == {*COMPUTING, *WATCHING}
