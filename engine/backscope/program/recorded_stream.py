"""A program's stdout or stderr that is recorded, and written nowhere else."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Protocol

LARGEST_PRINT = 65_536
"""Characters of printed text in one event; a longer print is several."""


class Prints(Protocol):
    """Records what a program prints; a debugger replaces the method while it checks for a stop after it."""

    def printed(self, stream: str, text: str) -> None:
        """Record text that was written to a stream."""


class RecordedStream(io.TextIOBase):
    """The program's stdout or stderr: records whole lines when they are written, the remainder at a flush."""

    def __init__(self, name: str, recorder: Prints, pace: Callable[[], None]) -> None:
        self.stream = name
        self.recorder = recorder
        self.pace = pace
        self.pending: list[str] = []

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: str) -> int:
        """Take text; whole lines are recorded."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.pending.append(text)
        if text.endswith("\n") or len(text) > 8192 or len(self.pending) > 64:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Record what was not yet."""
        shown = "".join(self.pending)
        self.pending.clear()
        for at in range(0, len(shown), LARGEST_PRINT):
            self.recorder.printed(self.stream, shown[at : at + LARGEST_PRINT].encode("utf-8", "replace").decode())
            self.pace()
