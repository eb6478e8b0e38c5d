"""The events of a program that is recorded as a whole, kept for the recordings that it makes of its own blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MOST_KEPT = 256 << 20
"""Bytes of events that are kept at most."""


class Transcript:
    """Takes batches of encoded events for a recorder, gives them on to `write`, and keeps their lines.

    `under_way` is the recording of a block that has begun and is not over, `report` records an exception.
    """

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self.lines: list[bytes] = []
        self.complete = True
        self.under_way: Any = None
        self.report: Callable[[BaseException, str], None]
        self._write = write
        self._size = 0

    def __call__(self, batch: bytes) -> None:
        """Write a batch and keep it, while there is room for it."""
        self._write(batch)
        self._size += len(batch)
        self.complete = self.complete and self._size <= MOST_KEPT
        if self.complete:
            self.lines += batch.splitlines()


def needed_by(source: str) -> bool:
    """Return True if a program may make recordings of its own: its text names this package."""
    return "backscope" in source
