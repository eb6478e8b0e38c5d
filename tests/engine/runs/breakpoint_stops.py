"""The stops of breakpoints in a program with ops, hooks, an in-place change and an exception."""

from __future__ import annotations

from typing import Any

import msgspec
from debugged import debugged, plain, without_pauses

from backscope.protocol import commands as c, events as ev

PROGRAM = """\
import torch
def boom(a):
    b = a + 1
    raise ValueError("no")
w = torch.tensor([1.0, 0.0], requires_grad=True)
y = w.log()
z = (y * w).exp().sum()
h = w.register_hook(lambda g: g)
z.backward()
with torch.no_grad():
    w += 1
try:
    boom(3)
except ValueError:
    pass
y = None
z.backward()
"""
UNHOOKED = PROGRAM.replace("h = w.register_hook(lambda g: g)", "h = None")


def stops(*breakpoints: dict[str, Any], source: str = PROGRAM) -> list[ev.Paused]:
    """Return the stops of breakpoints, and assert that the other events are those of a plain run."""
    given = [msgspec.convert({"id": n, **b}, c.Breakpoint) for n, b in enumerate(breakpoints, 1)]
    events, found, _, _ = debugged(source, given, [c.Resume(id=0)] * 99)
    assert without_pauses(events) == without_pauses(plain(source))
    return found


def places(*breakpoints: dict[str, Any], source: str = PROGRAM) -> list[tuple[int | None, str, str | None]]:
    """Return line, place and note of each stop."""
    return [(s.line, s.where, s.note) for s in stops(*breakpoints, source=source)]
