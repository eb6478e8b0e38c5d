"""Task: one call of backward() or autograd.grad(), with its options, its wanted inputs and the nodes that it runs."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from typing import Any

from numpy import ndarray

from backscope.autograd.node import ACCUMULATE_SEQUENCE_NR, AccumulateGrad, Node
from backscope.autograd.transforms.level import levels
from backscope.runtime.given import Value
from backscope.runtime.process import process_wide
from backscope.tensor.tensor import Tensor, of_raw

_by_sequence_nr = attrgetter("sequence_nr")
task_ids = itertools.count()


class Demands:
    """`stepwise` is True once the program did something that only the stepwise loop supports.

    Such are assigning to a leaf memory of another shape while a graph has the old one, setting the dtype of a leaf's
    gradient, and setting a sequence number.  `hooked` is True once a node got hooks.
    """

    stepwise = False
    hooked = False


process_wide(Demands, "stepwise", "hooked")


class Want:
    """If a node must run (`needed`), and which of its incoming gradients are wanted results (`captures`)."""

    __slots__ = ("captures", "needed")

    def __init__(self) -> None:
        self.needed = False
        self.captures: list[tuple[int, int]] | None = None


_NEEDED = Want()
_NEEDED.needed = True
"""The entry in `wants` of all nodes that lead to a wanted one and capture nothing."""


class Task:
    """One call of backward() or autograd.grad().

    `wants` has the nodes that must run, None for all; `results` are the captured gradients.  `dependencies` are the
    numbers of gradients that have not arrived at their nodes yet, in a stepwise pass.  `on_tensors` is True where
    gradients are Tensors: in a recorded pass, and inside a transform.
    """

    def __init__(self, retain_graph: bool, create_graph: bool) -> None:
        self.retain_graph = retain_graph
        self.create_graph = create_graph
        self.id = next(task_ids)
        self.on_tensors = create_graph or bool(levels)
        self.number = 0
        self.roots: list[Node] = []
        self.wants: dict[Node, Want] | None = None
        self.results: list[Any] = []
        self.dependencies: dict[Node, int] | None = None
        self.current: Node | None = None
        self.callbacks: list[Callable[[], Any]] = []

    @cached_property
    def wrapped(self) -> weakref.WeakValueDictionary[int, Tensor]:
        """The Tensors made of raw gradients that are still in use, by the identity of the raw gradient."""
        return weakref.WeakValueDictionary()

    def want(self, edges: list[tuple[Node, int]], *, accumulate: bool) -> None:
        """Restrict the pass to the nodes that lead to `edges`; unless it accumulates, their gradients are captured."""
        wants = self.wants = {}
        for position, (node, nr) in enumerate(edges):
            entry = wants.get(node)
            if entry is None:
                entry = wants[node] = Want()
            if accumulate:
                entry.needed = True
            elif entry.captures is None:
                entry.captures = [(nr, position)]
            else:
                entry.captures.append((nr, position))
        if not accumulate:
            self.results = [None] * len(edges)

    def wants_all_leaves(self, order: list[Node]) -> bool:
        """Return True if the wanted results are the gradients of all leaves below the nodes of `order`.

        Then all of these nodes run, as each leads to a leaf.
        """
        wants = self.wants or {}
        if not order or any(node.next or entry.captures is None for node, entry in wants.items()):
            return False
        for node in order:
            leads_on = False
            for below in node.next:
                if below is not None:
                    leads_on = True
                    if not below.next and below not in wants:
                        return False
            if not leads_on:
                return False
        return True

    def parts(self, order: list[Node]) -> dict[Node, tuple[bool, ...]] | None:
        """Mark the nodes of `order` that lead to a wanted one; return by node which of its inputs do.

        Nodes of which all inputs do, and which are not wanted themselves, are left out.  None where the fast loop
        cannot run the pass: it accumulates, or a node on the way is not of an op, or of one on complex numbers, of
        which the gradients are checked.
        """
        wants = self.wants or {}
        if any(entry.captures is None for entry in wants.values()):
            return None
        parts: dict[Node, tuple[bool, ...]] = {}
        for node in reversed(order):
            entry = wants.get(node)
            needed = left = False
            for below in node.next:
                if below in wants:
                    needed = True
                elif below is not None:
                    left = True
            if left or entry is not None:
                parts[node] = tuple([below in wants for below in node.next])
            if not needed:
                continue
            if node.composite or node.takes_tensors:
                return None
            for kind in node.dtype if node.multi else (node.dtype,):
                if kind is not None and kind.is_complex:
                    return None
            if entry is None:
                wants[node] = _NEEDED
            else:
                entry.needed = True
        return parts

    def forget(self) -> None:
        """Drop the references to the graph, which refers to the task."""
        self.roots = []
        self.dependencies = self.wants = None

    def runs(self, node: Node) -> bool:
        """Return True for a node that this pass executes or captures at."""
        if self.wants is None:
            return True
        entry = self.wants.get(node)
        return entry is not None and (entry.needed or entry.captures is not None)

    def contains(self, node: Node) -> bool:
        """Return True for a node of the graph below the roots."""
        if self.dependencies is None:
            return False
        if self.dependencies.get(node):
            return True
        seen = set(self.roots)
        stack = list(seen)
        reached = seen if len(seen) > 1 else set()
        while stack:
            for below in stack.pop().next:
                if below is not None and below not in reached:
                    reached.add(below)
                    stack.append(below)
        return node in reached

    def tensor(self, gradient: Value) -> Value:
        """Return a gradient as a Tensor: the same object for the same memory while there is a reference to it."""
        if gradient is None or isinstance(gradient, Tensor):
            return gradient
        known = self.wrapped.get(id(gradient))
        if known is None or known._data is not gradient:
            known = self.wrapped[id(gradient)] = of_raw(_writable(gradient))
        return known

    def captured(self, gradient: Value) -> Value:
        """Return a wanted gradient as a Tensor: a view where its shape or strides differ from its memory's."""
        known = self.tensor(gradient)
        memory = getattr(gradient, "base", None)
        if memory.__class__ is not ndarray or known._data.base is not memory:
            return known
        if known._data.dtype != memory.dtype and known._data.dtype != memory.real.dtype:
            return known
        alike = (gradient.dtype, gradient.shape, gradient.strides) == (memory.dtype, memory.shape, memory.strides)
        if alike or known._view is not None:
            return known
        from backscope.autograd.views.view_history import make_view

        base = self.wrapped.get(id(memory))
        make_view(known, of_raw(memory) if base is None or base._data is not memory else base, "no_grad")
        return known


def _writable(gradient: Value) -> Any:
    """Return a raw gradient that a program may write to, as it may to an expanded tensor."""
    if gradient.__class__ is ndarray and not gradient.flags.writeable:
        if gradient.base is None or not gradient.base.flags.writeable:
            return gradient.copy()
        gradient.flags.writeable = True
    return gradient


def discover(roots: list[Any]) -> list[Node] | None:
    """Return all nodes that can be reached from `roots`, in the order in which they run, without AccumulateGrads.

    None where a node has hooks, which only the stepwise loop runs.
    """
    hooked = Demands.hooked
    order: list[Node] = []
    stack: list[Any] = []
    seen: set[Any] = set()
    for root in roots:
        if root not in seen:
            seen.add(root)
            if root.__class__ is AccumulateGrad:
                if root.hooks is not None:
                    return None
                root._pending = 0
            else:
                stack.append(root)
    last = ACCUMULATE_SEQUENCE_NR
    sorted_already = True
    node = stack.pop() if stack else None
    while node is not None:
        if hooked and node.hooks is not None:
            return None
        order.append(node)
        number = node.sequence_nr
        if number > last:
            sorted_already = False
        last = number
        following: Any = None
        for below in node.next:
            if below is None:
                continue
            if below in seen:
                if type(below) is AccumulateGrad:
                    below._pending += 1
                continue
            seen.add(below)
            if type(below) is AccumulateGrad:
                if below.hooks is not None:
                    return None
                below._pending = 1
                below.grad = None
            elif following is None:
                following = below
            else:
                stack.append(below)
        node = following if following is not None else stack.pop() if stack else None
    if not sorted_already:
        order.sort(key=_by_sequence_nr, reverse=True)
    return order


def forget_gradients(order: list[Node]) -> None:
    """Drop the gradients at nodes and at the nodes below them."""
    for node in order:
        node.grad = None
        for below in node.next:
            if below is not None:
                below.grad = None


def count_dependencies(roots: list[Node], task: Task) -> None:
    """Count the gradients that each node below `roots` receives, and find the nodes that lead to a wanted one."""
    waits: dict[Node, int] = dict.fromkeys(roots, 0)
    if len(roots) > 1:
        for root in roots:
            waits[root] += 1
    order: list[Node] = []
    stack = list(waits)
    while stack:
        node = stack.pop()
        order.append(node)
        for below in node.next:
            if below is None:
                continue
            if below in waits:
                waits[below] += 1
            else:
                waits[below] = 1
                if below.next:
                    stack.append(below)
    task.dependencies = waits
    if task.wants is not None:
        if len(roots) == 1:
            task.wants.setdefault(roots[0], Want())  # Its hooks run even where nothing of it is wanted.
        _mark_needed(order, task.wants)


def _mark_needed(order: list[Node], wants: dict[Node, Want]) -> None:
    """Mark the nodes from which a wanted node can be reached."""
    order.sort(key=_by_sequence_nr)
    # An edge may lead to a younger node where numbers were set, and from a DelayedError, which has the last number.
    repeats = Demands.stepwise or (bool(order) and order[-1].sequence_nr == ACCUMULATE_SEQUENCE_NR)
    again = True
    while again:
        again = False
        for node in order:
            for below in node.next:
                if below is not None and below in wants:
                    entry = wants.get(node)
                    if entry is None:
                        wants[node] = _NEEDED
                    elif entry.needed:
                        break
                    else:
                        entry.needed = True
                    again = repeats
                    break
