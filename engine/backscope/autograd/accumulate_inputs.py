"""The fast loop's passes: how gradients are added up at the nodes that they reach, and which nodes can run then."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappush
from sys import getrefcount
from typing import TYPE_CHECKING, Any

import numpy as np

from backscope.autograd.references import HANDED
from backscope.autograd.saved.saved_tensors import check_saved
from backscope.runtime.given import Array, Value
from backscope.runtime.listener import Listener
from backscope.tensor.strides import arranged

if TYPE_CHECKING:
    from backscope.autograd.node import Node
    from backscope.autograd.plan import Plan

ndarray = np.ndarray


class _Undefined:
    """The `grad` of a node that was reached, but by no gradient yet; added to a gradient it gives the gradient."""

    __slots__ = ()
    __array_ufunc__ = None

    def __add__(self, gradient: Value) -> Any:
        return gradient


UNDEFINED = _Undefined()

LARGE = 1024
"""The number of elements from which a sum in place saves more time than the check for other references costs."""


def add(node: Node, before: Value, gradient: Value) -> Array:
    """Add an arriving array to the gradient at a node, in place where nothing else refers to that gradient."""
    # The node and the caller refer to it.
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


def add_apart(node: Node, before: Value, gradient: Value) -> Array:
    """Add an arriving array to the gradient at a node, always in new memory."""
    return before + gradient


def add_arranged(node: Node, before: Value, gradient: Value) -> Array:
    """Add an arriving array to the gradient at a node, in new memory with its dims in PyTorch's order."""
    return arranged(before + gradient, [before, gradient])


class Pass:
    """One run of the fast loop, which keeps the gradients that have arrived in the nodes.

    `queue` is a heap of the nodes that were reached, by descending sequence number, without the one that runs next.
    `leaves` are the AccumulateGrads that more gradients may reach, `ready` those that are complete.  `frees` is True
    where nodes free their saved tensors.  `add` adds an arriving gradient to the one at the node.  `gradients_sent` is
    the listener's method, None without a listener.
    """

    __slots__ = ("add", "frees", "gradients_sent", "leaves", "queue", "ready")

    add: Callable[[Any, Any, Any], Any]
    gradients_sent: Callable[..., None] | None

    def __init__(self, frees: bool) -> None:
        self.add = add
        self.frees = frees
        self.gradients_sent = None
        self.queue: list[tuple[int, Any]] = []
        self.leaves: list[Any] = []
        self.ready: list[Any] = []

    def push(self, node: Node) -> None:
        """Queue a node that was reached."""
        heappush(self.queue, (-node.sequence_nr, node))

    # Any: an AccumulateGrad; callers know it by its missing edges, which no type checker follows.
    def start_at_leaf(self, leaf: Any) -> None:
        """Add an AccumulateGrad at which the pass itself starts."""
        self.leaves.append(leaf)

    # Any: an AccumulateGrad; callers know it by its missing edges, which no type checker follows.
    def reach_leaf(self, leaf: Any) -> None:
        """Add an AccumulateGrad that a first gradient reached; it is complete where just one edge leads to it."""
        # That edge and the caller refer to it.
        (self.ready if getrefcount(leaf) <= HANDED + 1 else self.leaves).append(leaf)

    def reach_undefined(self, node: Node) -> None:
        """Mark a node as reached by an edge without a gradient."""
        if node.grad is None and node.next:
            node.grad = UNDEFINED
            heappush(self.queue, (-node.sequence_nr, node))


class CapturingPass(Pass):
    """A pass whose gradients at leaves are results, in which the strides of sums are seen."""

    __slots__ = ()

    def __init__(self, frees: bool) -> None:
        super().__init__(frees)
        self.add = add_arranged


class ListenedPass(Pass):
    """A pass that calls its listener's `gradients_sent` after each node.

    A leaf is complete when as many gradients have arrived as edges lead to it.  Sums are made in new memory, because a
    listener may have kept the gradient that was there.

    `gradients_sent` takes the node and its token, the gradient that it ran on, the gradients of its inputs, for each
    the sum at the receiver (None where that gradient is the first there; None for all where all are the first), and
    True if the node frees its saved tensors.
    """

    __slots__ = ()

    def __init__(self, frees: bool, listener: Listener) -> None:
        super().__init__(frees)
        self.add = add_apart
        self.gradients_sent = listener.gradients_sent

    # Any: an AccumulateGrad; callers know it by its missing edges, which no type checker follows.
    def start_at_leaf(self, leaf: Any) -> None:
        """Add an AccumulateGrad at which the pass itself starts; it is complete where no edge leads to it."""
        if not leaf._pending:
            self.ready.append(leaf)

    # Any: an AccumulateGrad; callers know it by its missing edges, which no type checker follows.
    def reach_leaf(self, leaf: Any) -> None:
        """Count one edge to an AccumulateGrad, along which a gradient or none arrived."""
        leaf._pending -= 1
        if not leaf._pending:
            self.ready.append(leaf)

    def reach_undefined(self, node: Node) -> None:
        """Mark a node as reached by an edge without a gradient."""
        if not node.next:
            self.reach_leaf(node)
        elif node.grad is None:
            node.grad = UNDEFINED
            heappush(self.queue, (-node.sequence_nr, node))

    def total(self, node: Node, before: Value) -> Value:
        """Return the gradient at a node of one output after a sum, None where there was none `before`."""
        if not node.next:
            self.reach_leaf(node)
        return None if before is UNDEFINED else node.grad


def accumulate_input(node: Node, nr: int, gradient: Value, pass_: Pass) -> bool:
    """Add a gradient to the one at output `nr` of a node; return True if it is the first to arrive at the node."""
    buffer = node.grad
    if node.multi:
        if buffer is None or buffer is UNDEFINED:
            node.grad = [None] * len(node.shape)
            node.grad[nr] = gradient
        else:
            before = buffer[nr]
            if before is None:
                buffer[nr] = gradient
            elif before.__class__ is ndarray:
                buffer[nr] = pass_.add(node, before, gradient)
            else:
                buffer[nr] = before + gradient
    elif buffer is None:
        node.grad = gradient
    elif buffer.__class__ is ndarray:
        node.grad = pass_.add(node, buffer, gradient)
    else:
        node.grad = buffer + gradient
    return buffer is None


def run_and_send(node: Node, pass_: Pass, plan: Plan | None = None, needs: tuple[bool, ...] | None = None) -> None:
    """Run any node and send its gradients on, with a part of its plan those of the inputs that `needs` marks.

    Where it raises, its incoming gradient stays at the node.
    """
    g = node.grad
    if g is UNDEFINED:
        if not node.runs_without_gradient:
            _run_undefined(node, pass_, needs)
            return
        g = [None] * len(node.shape) if node.multi else None
    gradients = (plan or node.plan).run(node, g)
    node.grad = None
    numbers = node.next_nr
    if pass_.gradients_sent is not None:
        totals = [
            None if below is None else _send_listened(below, numbers[i] if numbers else 0, gradients[i], pass_)
            for i, below in enumerate(node.next)
        ]
        freed = bool(node.saved) and pass_.frees
        pass_.gradients_sent(node, node.token, g, gradients, totals, freed)
        if freed:
            node.saved = None
        return
    if pass_.frees and node.saved:
        node.saved = None
    g = None
    for i in range(len(node.next)):  # enumerate would hold on to the node below.
        below = node.next[i]
        if below is None or (needs is not None and not needs[i]):
            continue
        gradient = gradients[i]
        if gradient is None:
            pass_.reach_undefined(below)
        elif accumulate_input(below, numbers[i] if numbers else 0, gradient, pass_):
            if below.next:
                pass_.push(below)
            else:
                pass_.reach_leaf(below)


# Any: the node to run next, or None, as the compiled code of a plan returns it.
def run_part_and_send(node: Node, pass_: Pass, needs: tuple[bool, ...]) -> Any:
    """Run a node of an op and send the gradients of the inputs that `needs` marks; return what a plan returns."""
    plan = node.plan if node.op.listed else node.plan.part(needs)
    if node.grad is not UNDEFINED and plan.run_and_send is not run_and_send:
        return plan.run_and_send(node, pass_)
    run_and_send(node, pass_, plan, needs)
    return None


def _run_undefined(node: Node, pass_: Pass, needs: tuple[bool, ...] | None) -> None:
    """Free a node that no gradient reached, and send none along its edges, or along those that `needs` marks."""
    check_saved(node)
    node.grad = None
    if pass_.frees:
        node.release()
    for i, below in enumerate(node.next):
        if below is not None and (needs is None or needs[i]):
            pass_.reach_undefined(below)


def _send_listened(node: Node, nr: int, gradient: Value, pass_: Any) -> Any:
    """Send a gradient along one edge; return the sum at the receiver, None where that is the first gradient."""
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
