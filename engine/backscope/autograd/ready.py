"""ReadyQueue: the nodes of a graph task that may run, in the order of PyTorch's engine.

The highest sequence number comes first.  All AccumulateGrads share one number: their order depends on how the binary
heap moves its entries, which is done as in the C++ standard library.
"""

from __future__ import annotations

from typing import Any

from backscope.autograd.node import Node
from backscope.runtime.given import Value

Entry = tuple[Node, Any]


class ReadyQueue:
    """A heap of nodes with the gradients that have arrived at them."""

    __slots__ = ("entries",)

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def push(self, node: Node, buffer: list[Value] | None) -> None:
        """Add a node that may run."""
        entries = self.entries
        entry = (node, buffer)
        entries.append(entry)
        if len(entries) > 1:
            _rise(entries, len(entries) - 1, entry)

    def pop(self) -> Entry:
        """Remove and return the node to run next and the gradients that have arrived at it."""
        entries = self.entries
        last = entries.pop()
        count = len(entries)
        if not count:
            return last
        first = entries[0]
        hole = 0
        child = 2
        while child < count:
            if entries[child][0].sequence_nr < entries[child - 1][0].sequence_nr:
                child -= 1
            entries[hole] = entries[child]
            hole = child
            child = 2 * (hole + 1)
        if child == count:
            entries[hole] = entries[child - 1]
            hole = child - 1
        entries[hole] = last
        _rise(entries, hole, last)
        return first


def _rise(entries: list[Entry], hole: int, entry: Entry) -> None:
    number = entry[0].sequence_nr
    while hole:
        parent = (hole - 1) // 2
        if entries[parent][0].sequence_nr >= number:
            break
        entries[hole] = entries[parent]
        hole = parent
    entries[hole] = entry
