"""Breakpoints before and after nodes of a backward pass, by the node's identity or its name."""

from __future__ import annotations

from collections.abc import Iterable

from backscope.autograd.node import Node
from backscope.debugger.breakpoints.armed import Armed
from backscope.debugger.breakpoints.reached import ReachedBreakpoints

NodeKey = int | str
"""A node's identity in the recording, or the name of its class."""


class NodeBreakpoints:
    """`before` and `after` have the breakpoints before and after nodes."""

    def __init__(self, reached: ReachedBreakpoints) -> None:
        self.before: dict[NodeKey, list[Armed]] = {}
        self.after: dict[NodeKey, list[Armed]] = {}
        self._reached = reached
        self._names: set[str] = set()
        self._numbers: set[int] = set()

    def add(self, armed: Armed, node: NodeKey, when: str) -> None:
        """Add a breakpoint; `when` is "before" or "after"."""
        (self.before if when == "before" else self.after).setdefault(node, []).append(armed)
        if isinstance(node, str):
            self._names.add(node)
        else:
            self._numbers.add(node)

    def __bool__(self) -> bool:
        return bool(self.before or self.after)

    def among(self, order: Iterable[Node], count: int) -> set[Node]:
        """Return the nodes of a pass that have a breakpoint; `count` is the last identity that was given."""
        found: set[Node] = set()
        if any(number <= count for number in self._numbers):
            found.update(n for n in order if n.token is not None and n.token.node in self._numbers)
        if self._names:
            found.update([n for n in order if n.__class__.__name__ in self._names])
        return found

    def before_node(self, node: int | None, name: str) -> None:
        """Reach the breakpoints before a node with an identity, if the recording has it, and a name."""
        if found := _of(node, name, self.before):
            self._reached.add(found)

    def after_node(self, node: int | None, name: str) -> None:
        """Reach the breakpoints after a node."""
        if found := _of(node, name, self.after):
            self._reached.add(found)

    def accumulated(self, node: int) -> None:
        """Reach the breakpoints after a leaf's node, by its identity alone."""
        self._reached.add(self.after.get(node, ()))

    def failed(self, node: int | None, name: str, error: BaseException) -> None:
        """Reach the breakpoints after a node that raised: nothing follows it."""
        if found := _of(node, name, self.after):
            self._reached.add(found, f"{name} failed with {type(error).__name__}.")


def keys_of(node: Node) -> tuple[int | None, str]:
    """Return the identity and the name of one of the engine's nodes."""
    token = node.token
    return None if token is None else token.node, node.__class__.__name__


def _of(node: int | None, name: str, breakpoints: dict[NodeKey, list[Armed]]) -> list[Armed]:
    found = [] if node is None else breakpoints.get(node, [])
    return [*found, *breakpoints.get(name, ())]
