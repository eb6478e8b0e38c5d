"""The stream in place of sys.stdout or sys.stderr while a block is recorded."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from typing import Any, TextIO

from backscope.program.recorded_stream import LARGEST_PRINT


class Tee(io.TextIOBase):
    """A stream that records what a thread writes to it, with `printed`, and passes it on to the stream `behind`."""

    def __init__(self, behind: TextIO, name: str, thread: int, printed: Callable[[str, str], None]) -> None:
        self.behind = behind
        self._name = name
        self._thread = thread
        self._printed = printed
        self._pending: list[str] = []

    def write(self, text: str) -> int:
        """Write to the stream behind, and record whole lines."""
        written = self.behind.write(text)
        if threading.get_ident() == self._thread:
            self._pending.append(text)
            if text.endswith("\n") or len(self._pending) > 64:
                self.keep()
        return written

    def keep(self) -> None:
        """Record what was written since the last time."""
        shown = "".join(self._pending)
        self._pending.clear()
        for at in range(0, len(shown), LARGEST_PRINT):
            self._printed(self._name, shown[at : at + LARGEST_PRINT].encode("utf-8", "replace").decode())

    def flush(self) -> None:
        """Flush the stream behind."""
        self.behind.flush()

    def writable(self) -> bool:
        """Return True, as every text stream that is written to."""
        return True

    def isatty(self) -> bool:
        """Return what the stream behind does."""
        return self.behind.isatty()

    def fileno(self) -> int:
        """Return the descriptor of the stream behind."""
        return self.behind.fileno()

    def close(self) -> None:
        """Do nothing: the stream belongs to the program."""

    # Any: attributes of streams have all sorts of types.
    def __getattribute__(self, name: str) -> Any:
        if name in ("encoding", "errors", "newlines", "buffer"):
            return getattr(object.__getattribute__(self, "behind"), name)
        return super().__getattribute__(name)

    # Any: attributes of streams have all sorts of types.
    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)
