"""Fixtures that trace elements of gradients in a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.program.runner import run
from backscope.protocol import commands as c, events as ev
from backscope.protocol.transport import Script


class Traced:
    """A program that runs twice: plainly, and up to the start of a backward pass, where gradients are traced."""

    def __init__(self, source: str) -> None:
        self.source = source
        written: list[bytes] = []
        run(source, written.append)
        self.events: list[Any] = [ev.decode(line) for line in b"".join(written).splitlines()]

    def of(self, *kinds: type) -> list[Any]:
        """Return the events of some kinds."""
        return [e for e in self.events if isinstance(e, kinds)]

    def named(self, name: str) -> int:
        """Return the last tensor with a name."""
        found: int = [e.tensor for e in self.of(ev.TensorNamed) if e.name == name][-1]
        return found

    def leaf(self, name: str) -> int:
        """Return the AccumulateGrad of the leaf with a name."""
        tensor = self.named(name)
        found: int = [e.node for e in self.of(ev.NodeCreated) if e.tensor == tensor][-1]
        return found

    def node(self, name: str) -> int:
        """Return the last node of a class."""
        made = [e.node for e in self.of(ev.OpApplied, ev.GraphRebased) if e.node is not None and e.node.name == name]
        found: int = made[-1].node
        return found

    def trace(self, node: int, *element: int, which: int = -1, **options: Any) -> Any:
        """Trace an element of what arrives at a node in a pass, by default the last one."""
        command = c.TraceGradient(id=3, node=node, element=list(element), **options)
        return self.at_pass(command, which=which)[-1]

    def at_pass(self, *commands: Any, which: int = -1) -> list[Any]:
        """Return the answers to commands where a pass starts."""
        start = self.of(ev.BackwardStarted)[which].seq + 2  # The pause before the first line is among the stops.
        script = Script([c.Pause(id=1)], [c.Step(id=2, to="seq", seq=start), *commands])
        run(self.source, lambda _: None, transport=script)
        for answer in script.answers:
            assert c.decode_answer(c.encode(answer)) == answer
        return script.answers[2:]


@pytest.fixture
def traced() -> Callable[[str], Traced]:
    """Run a program with `import torch` before it."""
    return lambda body: Traced("import torch\n" + body)
