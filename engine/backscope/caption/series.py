"""Values over the events of a run, each valid from an event on."""

from __future__ import annotations

from bisect import bisect_right
from typing import Generic, TypeVar

T = TypeVar("T")


class Series(Generic[T]):
    """Entries with the seq that each is valid from, in ascending order."""

    __slots__ = ("entries", "seqs")

    def __init__(self) -> None:
        self.seqs: list[int] = []
        self.entries: list[T] = []

    def push(self, seq: int, entry: T) -> None:
        """Add the entry that is valid from `seq` on."""
        self.seqs.append(seq)
        self.entries.append(entry)

    def at(self, seq: int) -> T | None:
        """Return the entry that is valid at `seq`, None before the first."""
        place = bisect_right(self.seqs, seq)
        return self.entries[place - 1] if place else None
