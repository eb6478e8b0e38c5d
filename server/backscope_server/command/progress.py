"""Says what a command does before it has anything to show, on standard error."""

from __future__ import annotations

import sys
import threading
from types import TracebackType

_PATIENCE_SECONDS = 1.0
"""Where standard error is no terminal, a command that takes less than this prints nothing of what it does."""


class Progress:
    """What a command does now: said at once at a terminal, else only of what takes longer than a moment."""

    def __init__(self) -> None:
        self._at_terminal = sys.stderr.isatty()
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.end()

    def begin(self, doing: str) -> None:
        """Say what is done from now on."""
        self.end()
        if self._at_terminal:
            _say(doing)
            return
        self._timer = threading.Timer(_PATIENCE_SECONDS, _say, (doing,))
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """Say no more of what was done so far."""
        if self._timer is not None:
            self._timer.cancel()


def _say(doing: str) -> None:
    print(f"backscope: {doing} ...", file=sys.stderr, flush=True)
