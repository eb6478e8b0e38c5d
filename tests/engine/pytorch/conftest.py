"""Fixtures of recordings on PyTorch itself; where it is not installed these tests are skipped, visibly."""

from __future__ import annotations

import importlib
import linecache
import textwrap
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from backscope.protocol import events as ev


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.torch)


@pytest.fixture
def room() -> ModuleType:
    """The room itself."""
    return importlib.import_module("backscope.pytorch")


class Recorded:
    """A recording and the variables of the program that was recorded."""

    def __init__(self, trace: Any, space: dict[str, Any]) -> None:
        self.trace = trace
        self.space = space

    def of(self, kind: type) -> list[Any]:
        """The events of a kind."""
        return [event for event in self.trace.events if isinstance(event, kind)]

    def one(self, kind: type) -> Any:
        """The only event of a kind."""
        (found,) = self.of(kind)
        return found

    def names(self) -> dict[int, str]:
        """The last name of each tensor."""
        return {event.tensor: event.name for event in self.of(ev.TensorNamed)}


@pytest.fixture
def recorded(room: ModuleType) -> Callable[..., Recorded]:
    """Run a program, with `import torch` as line 1, of which the part after the line `---` is recorded.

    An exception of that part is caught, and is `space["error"]`.
    """
    numbers = count()

    def run(source: str, **options: Any) -> Recorded:
        before, cut, after = textwrap.dedent(source).rpartition("\n---\n")
        head = f"import torch\n{before.strip()}\n" if cut else "import torch\n"
        body = textwrap.indent(after.strip(), "        ")
        program = f"{head}try:\n    with record() as trace:\n{body}\nexcept Exception as raised:\n    error = raised\n"
        name = f"<program {next(numbers)}>"
        linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
        space: dict[str, Any] = {"record": lambda: room.record(**options), "__name__": "program", "error": None}
        exec(compile(program, name, "exec"), space)
        return Recorded(space["trace"], space)

    return run
