"""How gradients reach the nodes below: what waits where, and which nodes can run."""

from __future__ import annotations

from collections.abc import Callable
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
"""From so many elements on a sum in place is worth asking who else holds the memory."""


def add(node: Any, before: Any, gradient: Any) -> Any:
    """Add an arriving array to the gradient that waits at a node, in place where nothing else refers to that."""
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


def add_apart(node: Any, before: Any, gradient: Any) -> Any:
    """The same sum, always in new memory."""
    return before + gradient


class Pass:
    """One run of the fast loop, which keeps what has arrived in the nodes.

    `queue` is a heap of the nodes that were reached, by descending sequence number, but for the one that runs next.
    `leaves` are the AccumulateGrads that more gradients may yet reach, `ready` those that none will.  `frees` where
    nodes let go of what they saved.  `add` sums what waits and what arrives.  `tell` is None without a listener.
    """

    __slots__ = ("add", "frees", "leaves", "queue", "ready", "tell")

    add: Callable[[Any, Any, Any], Any]
    tell: Callable[..., None] | None

    def __init__(self, frees: bool) -> None:
        self.add = add
        self.frees = frees
        self.tell = None
        self.queue: list[tuple[int, Any]] = []
        self.leaves: list[Any] = []
        self.ready: list[Any] = []

    def push(self, node: Any) -> None:
        """Queue a node that was reached."""
        heappush(self.queue, (-node.sequence_nr, node))

    def start_at_leaf(self, leaf: Any) -> None:
        """The pass itself starts at an AccumulateGrad."""
        self.leaves.append(leaf)

    def reach_leaf(self, leaf: Any) -> None:
        """A first gradient reached an AccumulateGrad; it is the last one where just one edge leads there."""
        # That edge has it beside the caller.
        (self.ready if getrefcount(leaf) <= HANDED + 1 else self.leaves).append(leaf)

    def reach_undefined(self, node: Any) -> None:
        """An edge to a node will bring no gradient."""
        if node.grad is None and node.next:
            node.grad = UNDEFINED
            heappush(self.queue, (-node.sequence_nr, node))


class ListenedPass(Pass):
    """A pass that calls its listener's `gradients_sent` after each node, as `tell`.

    A leaf is complete when as many gradients have arrived as edges lead to it.  Sums are made in new memory, because a
    listener may have kept what was there.

    `tell` takes the node and its token, what it ran on, the gradients of its inputs, for each what waits at the
    receiver then (None where that gradient is the first there; None for all where all are), and whether the node lets
    go of what it saved.
    """

    __slots__ = ()

    def __init__(self, frees: bool, listener: Listener) -> None:
        super().__init__(frees)
        self.add = add_apart
        self.tell = listener.gradients_sent

    def start_at_leaf(self, leaf: Any) -> None:
        """The pass itself starts at an AccumulateGrad: it is complete where nothing else leads there."""
        if not leaf._pending:
            self.ready.append(leaf)

    def reach_leaf(self, leaf: Any) -> None:
        """A gradient reached an AccumulateGrad, or never will along one edge."""
        leaf._pending -= 1
        if not leaf._pending:
            self.ready.append(leaf)

    def reach_undefined(self, node: Any) -> None:
        """An edge to a node will bring no gradient."""
        if not node.next:
            self.reach_leaf(node)
        elif node.grad is None:
            node.grad = UNDEFINED
            heappush(self.queue, (-node.sequence_nr, node))

    def total(self, node: Any, before: Any) -> Any:
        """What waits at a node of one output after a sum with what was there `before`, None where that was nothing."""
        if not node.next:
            self.reach_leaf(node)
        return None if before is UNDEFINED else node.grad


def accumulate_input(node: Any, nr: int, gradient: Any, pass_: Pass) -> bool:
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
        node.grad = pass_.add(node, buffer, gradient)
    else:
        node.grad = buffer + gradient
    return buffer is None


def run_and_send(node: Any, pass_: Pass) -> None:
    """Run any node and send its gradients on.  Where it raises, what it ran on still waits at the node."""
    g = node.grad
    if g is UNDEFINED:
        if not node.runs_without_gradient:
            node.grad = None
            for below in node.next:
                if below is not None:
                    pass_.reach_undefined(below)
            return
        g = [None] * len(node.shape) if node.multi else None
    gradients = node.plan.run(node, g)
    node.grad = None
    numbers = node.next_nr
    if pass_.tell is not None:
        totals = [
            None if below is None else _send_listened(below, numbers[i] if numbers else 0, gradients[i], pass_)
            for i, below in enumerate(node.next)
        ]
        freed = bool(node.saved) and pass_.frees
        pass_.tell(node, node.token, g, gradients, totals, freed)
        if freed:
            node.saved = None
        return
    if pass_.frees and node.saved:
        node.saved = None
    g = None
    for i in range(len(node.next)):  # enumerate would hold on to the node below.
        below = node.next[i]
        if below is None:
            continue
        gradient = gradients[i]
        if gradient is None:
            pass_.reach_undefined(below)
        elif accumulate_input(below, numbers[i] if numbers else 0, gradient, pass_):
            if below.next:
                pass_.push(below)
            else:
                pass_.reach_leaf(below)


def _send_listened(node: Any, nr: int, gradient: Any, pass_: Any) -> Any:
    """Send a gradient along one edge; returns what waits there now, None where that is the first gradient."""
    if gradient is None:
        pass_.reach_undefined(node)
        return None
    waits = node.grad if not node.multi or node.grad is None or node.grad is UNDEFINED else node.grad[nr]
    if accumulate_input(node, nr, gradient, pass_) and node.next:
        pass_.push(node)
    if not node.next:
        pass_.reach_leaf(node)
    if waits is None or waits is UNDEFINED:
        return None
    return node.grad[nr] if node.multi else node.grad
