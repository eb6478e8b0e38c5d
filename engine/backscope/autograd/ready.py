"""The nodes of a graph task that may run, in the order in which PyTorch's engine takes them.

The highest sequence number comes first.  All AccumulateGrads share one number, and which of them comes first then
depends on how a binary heap moves its entries; the steps here are those of the C++ standard library's.
"""

from __future__ import annotations

from typing import Any

from backscope.autograd.node import Node

Entry = tuple[Node, Any]


class ReadyQueue:
    """Nodes with what has arrived for them."""

    __slots__ = ("entries",)

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def push(self, node: Node, buffer: Any) -> None:
        """Add a node that may run."""
        entries = self.entries
        entry = (node, buffer)
        entries.append(entry)
        if len(entries) > 1:
            _rise(entries, len(entries) - 1, entry)

    def pop(self) -> Entry:
        """The node to run next and what has arrived for it."""
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
