"""Fixtures of the engine's tests: the torch namespace, PyTorch itself where installed, recorded runs of programs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backscope.program.runner import run
from backscope.protocol import events as ev
from backscope.runtime import process

# What several files of tests run programs with.
sys.path.insert(0, str(Path(__file__).parent / "runs"))
# Their asserts say what differs.
pytest.register_assert_rewrite("breakpoint_stops", "debugged")


@pytest.fixture(params=["backscope", pytest.param("pytorch", marks=pytest.mark.torch)])
def torch(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Backscope's torch, then the real one: what a test states holds for both.

    Warnings that come once per process come every time.
    """
    module = importlib.import_module("backscope.torch" if request.param == "backscope" else "torch")
    module.set_warn_always(True)
    module.manual_seed(0)
    yield module
    module.set_warn_always(False)


@pytest.fixture
def ours() -> Iterator[Any]:
    """Backscope's torch alone, for what only Backscope has."""
    yield importlib.import_module("backscope.torch")
    process.restart()


@pytest.fixture(autouse=True)
def lost(lost_moments: list[Exception]) -> list[Exception]:
    """No test of this folder may lose a moment of a recording, unless it takes the error out of this list."""
    return lost_moments


class Recording:
    """The events of one run of a program."""

    def __init__(self, source: str, status: str, written: bytes) -> None:
        self.source = source
        self.status = status
        self.bytes = written
        self.events: list[Any] = [ev.decode(line) for line in written.splitlines()]

    def of(self, *kinds: type) -> list[Any]:
        """The events of these kinds, in order."""
        return [e for e in self.events if isinstance(e, kinds)]

    def one(self, kind: type) -> Any:
        """The only event of a kind."""
        (found,) = self.of(kind)
        return found

    @property
    def stdout(self) -> str:
        """What the program printed."""
        return "".join(e.text for e in self.of(ev.OutputPrinted) if e.stream == "stdout")

    @property
    def stderr(self) -> str:
        """What the program wrote to stderr."""
        return "".join(e.text for e in self.of(ev.OutputPrinted) if e.stream == "stderr")

    def named(self, name: str) -> int:
        """The last tensor that had this name."""
        found: int = [e.tensor for e in self.of(ev.TensorNamed) if e.name == name][-1]
        return found

    def node(self, name: str) -> Any:
        """The NodeInfo of the first node of this name."""
        return next(e.node for e in self.of(ev.OpApplied) if e.node is not None and e.node.name == name)


@pytest.fixture
def record() -> Callable[..., Recording]:
    """Run a program with `import torch` before it, on line 1, and give its recording."""

    def recorded(body: str, *, head: str = "import torch\n", **options: Any) -> Recording:
        written: list[bytes] = []
        status = run(head + body, written.append, **options)
        return Recording(head + body, status, b"".join(written))

    return recorded
