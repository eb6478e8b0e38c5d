"""One call of backward() or autograd.grad(): its options, and the nodes that it runs in which order."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from backscope.autograd.node import ACCUMULATE_SEQUENCE_NR, AccumulateGrad, Node

_by_sequence_nr = attrgetter("sequence_nr")


class Task:
    """One call of backward() or autograd.grad().

    `captures` maps (node, output number) to the position in `results` where its gradient is kept; None where gradients
    are accumulated into the leaves.  `needed` are the nodes on a path to a wanted input, None for all.
    """

    def __init__(self, retain_graph: bool, create_graph: bool) -> None:
        self.retain_graph = retain_graph
        self.create_graph = create_graph
        self.captures: dict[Node, list[tuple[int, int]]] = {}
        self.wanted_leaves: set[Node] | None = None
        self.needed: set[Node] | None = None
        self.results: list[Any] = []
        self.number = 0


def discover(roots: list[Node], task: Task) -> list[Node]:
    """All nodes that can be reached from `roots`, in the order in which they run, without the AccumulateGrads."""
    order: list[Node] = []
    stack: list[Node] = []
    leaf_class = AccumulateGrad
    for root in roots:
        if root.mark is not task:
            root.mark = task
            if root.__class__ is leaf_class:
                root._pending = 0
            else:
                stack.append(root)
    last = ACCUMULATE_SEQUENCE_NR
    sorted_already = True
    node = stack.pop() if stack else None
    while node is not None:
        order.append(node)
        number = node.sequence_nr
        if number > last:
            sorted_already = False
        last = number
        following: Node | None = None
        for below in node.next:
            if below is None:
                continue
            if below.mark is task:
                if not below.next:
                    below._pending += 1
                continue
            below.mark = task
            if not below.next:
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


def restrict(order: list[Node], task: Task, wanted: set[Node]) -> None:
    """Mark as needed the nodes of `order` from which a wanted node can be reached."""
    needed = set(wanted)
    for node in reversed(order):
        if node not in needed and any(below in needed for below in node.next):
            needed.add(node)
    task.needed = needed


class Suspended:
    """What an outer backward pass keeps in the nodes that a nested one will run, put aside and restored."""

    def __init__(self, roots: list[Node]) -> None:
        seen = set(roots)
        stack = list(seen)
        while stack:
            for below in stack.pop().next:
                if below is not None and below not in seen:
                    seen.add(below)
                    stack.append(below)
        self.kept = [(n, n.grad, n.mark, getattr(n, "_pending", 0)) for n in seen]

    def __enter__(self) -> None:
        for node, *_ in self.kept:
            node.grad = None

    def __exit__(self, *exc: object) -> None:
        for node, gradient, mark, pending in self.kept:
            node.grad = gradient
            node.mark = mark
            if isinstance(node, AccumulateGrad):
                node._pending = pending
