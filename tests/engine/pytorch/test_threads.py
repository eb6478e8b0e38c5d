"""A pass is recorded whole where PyTorch runs its nodes in threads of its own, as it does for other devices.

On the CPU it does so for passes within passes, from the 60th level on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from backscope.protocol import events as ev

DEEP = """
import threading
threads = set()

class Deep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, depth):
        ctx.depth = depth
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        threads.add(threading.current_thread().ident)
        if ctx.depth == fails_at:
            raise ValueError("deep")
        if ctx.depth:
            with torch.enable_grad():
                y = torch.ones(2, requires_grad=True)
                Deep.apply(y * 1, ctx.depth - 1).sum().backward()
        return gradient, None

x = torch.ones(2, requires_grad=True)
"""


def test_nodes_in_threads_of_pytorch(recorded: Callable[..., Any]) -> None:
    run = recorded(f"fails_at = None{DEEP}---\nDeep.apply(x * 2, 70).sum().backward()\n")
    assert len(run.space["threads"]) == 2
    assert len(run.of(ev.BackwardStarted)) == len(run.of(ev.GradAccumulated)) == 71
    begun = Counter(e.node for e in run.of(ev.NodeStarted))
    assert sum(begun.values()) == 4 * 71
    assert begun == Counter(e.node for e in run.of(ev.NodeFinished))
    assert [e.seq for e in run.trace.events] == list(range(len(run.trace.events)))


def test_an_error_in_a_thread_of_pytorch(recorded: Callable[..., Any]) -> None:
    run = recorded(
        f"""fails_at = 3{DEEP}---
try:
    Deep.apply(x * 2, 70).sum().backward()
except ValueError:
    fails_at = None
(x * 2).sum().backward()
"""
    )
    *deep, last = [e.failed for e in run.of(ev.BackwardFinished)]
    assert all(deep)
    assert not last
    assert run.one(ev.GradAccumulated).after.values == [2.0, 2.0]
    assert [e.during for e in run.of(ev.OpApplied)[-2:]] == [None, None]
    assert run.trace.status == "ok"
