"""How gradients reach the nodes below: what waits where, and which nodes have their turn."""

from __future__ import annotations

from heapq import heappush
from sys import getrefcount
from typing import Any

import numpy as np

from backscope.autograd.references import HANDED
from backscope.runtime.listener import Listener

ndarray = np.ndarray


class _Undefined:
    """What waits at a node that was reached, but by no gradient yet: the sum with a gradient is the gradient."""

    __slots__ = ()
    __array_ufunc__ = None

    def __add__(self, gradient: Any) -> Any:
        return gradient


UNDEFINED = _Undefined()

LARGE = 1024
"""From so many elements on a sum in place is worth asking whose memory it is."""


class Pass:
    """One run over a graph that keeps what has arrived in the nodes.

    `queue` is a heap of the nodes that were reached, by descending sequence number, but for the one that runs next.
    `leaves` are the AccumulateGrads that more gradients may yet reach, `ready` those that none will.  `frees` where
    nodes let go of what they saved.
    """

    __slots__ = ("frees", "leaves", "queue", "ready")

    def __init__(self, frees: bool) -> None:
        self.frees = frees
        self.queue: list[tuple[int, Any]] = []
        self.leaves: list[Any] = []
        self.ready: list[Any] = []

    def push(self, node: Any) -> None:
        """Let a node that was reached wait for its turn."""
        heappush(self.queue, (-node.sequence_nr, node))

    def meet(self, leaf: Any) -> None:
        """A first gradient reached an AccumulateGrad; it is the last one where just one edge leads there."""
        # That edge has it beside the caller.
        (self.ready if getrefcount(leaf) <= HANDED + 1 else self.leaves).append(leaf)

    def reach(self, node: Any) -> None:
        """An edge to a node will bring no gradient."""
        if node.grad is None and node.next:
            node.grad = UNDEFINED
            self.push(node)


def added(node: Any, before: Any, gradient: Any) -> Any:
    """The sum of what waits at a node and an array that arrives, in the same memory where nobody else has it."""
    # The node has it beside the caller.
    if (
        before.size >= LARGE
        and getrefcount(before) == HANDED + 1
        and before.base is None
        and before.dtype is gradient.dtype
        and before.shape == gradient.shape
        and gradient.__class__ is ndarray
        and before.flags.writeable
    ):
        return np.add(before, gradient, before)
    return before + gradient


def deposit(node: Any, nr: int, gradient: Any) -> bool:
    """Add a gradient to what waits at output `nr` of a node; True where it is the first to arrive there at all."""
    buffer = node.grad
    if node.multi:
        if buffer is None or buffer is UNDEFINED:
            node.grad = [None] * len(node.shape)
            node.grad[nr] = gradient
        else:
            buffer[nr] = gradient if buffer[nr] is None else buffer[nr] + gradient
    elif buffer is None:
        node.grad = gradient
    elif buffer.__class__ is ndarray:
        node.grad = added(node, buffer, gradient)
    else:
        node.grad = buffer + gradient
    return buffer is None


def deliver(node: Any, pass_: Pass) -> None:
    """Run any node and send its gradients on."""
    g = node.grad
    node.grad = None
    gradients: Any
    if g is not UNDEFINED:
        gradients = node.plan.run(node, g)
    elif node.runs_without_gradient:
        gradients = node.plan.run(node, [None] * len(node.shape) if node.multi else None)
    else:
        for below in node.next:
            if below is not None:
                pass_.reach(below)
        return
    if pass_.frees and node.saved:
        node.saved = None
    g = None
    numbers = node.next_nr
    for i in range(len(node.next)):  # enumerate would hold on to the node below.
        below = node.next[i]
        if below is None:
            continue
        gradient = gradients[i]
        if gradient is None:
            pass_.reach(below)
        elif deposit(below, numbers[i] if numbers else 0, gradient):
            if below.next:
                pass_.push(below)
            else:
                pass_.meet(below)


class Audience:
    """Who hears of a pass: `tell` takes what each node received and sent.  `frees` as in Pass."""

    __slots__ = ("frees", "tell")

    def __init__(self, listener: Listener, frees: bool) -> None:
        self.tell = listener.node_told
        self.frees = frees


def tell(node: Any, audience: Audience) -> list[Any] | None:
    """Run any node, send its gradients on and tell of them; returns the AccumulateGrads that are complete now.

    Told are the node and its token, what it ran on, the gradients of its inputs, for each what waits at the receiver
    then (None where that gradient is the first there; None for all where all are), and whether it frees what it saved.
    Where it raises, what it ran on still waits at the node.
    """
    g = node.grad
    if g is None:
        if not node.runs_without_gradient:
            return arrive(node, (None,) * len(node.next))[0]
        if node.multi:
            g = [None] * len(node.shape)
    gradients = node.plan.run(node, g)
    ready, totals = arrive(node, gradients)
    node.grad = None
    freed = bool(node.saved) and audience.frees
    audience.tell(node, node.token, g, gradients, totals, freed)
    if freed:
        node.saved = None
    return ready


def arrive(node: Any, gradients: Any) -> tuple[list[Any] | None, list[Any]]:
    """Send gradients on; returns the AccumulateGrads that are complete now, and what waits at each receiver."""
    ready: list[Any] = []
    totals: list[Any] = [None] * len(node.next)
    numbers = node.next_nr
    for i, below in enumerate(node.next):
        if below is None:
            continue
        gradient = gradients[i]
        if gradient is not None:
            if below.multi:
                nr = numbers[i] if numbers else 0
                waiting = None if below.grad is None else below.grad[nr]
                deposit(below, nr, gradient)
                totals[i] = None if waiting is None else below.grad[nr]
            elif below.grad is None:
                below.grad = gradient
            else:
                totals[i] = below.grad = below.grad + gradient
        if not below.next:
            below._pending -= 1
            if not below._pending:
                ready.append(below)
    return ready or None, totals
