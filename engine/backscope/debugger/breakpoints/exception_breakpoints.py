"""Breakpoints on exceptions, all of them or those of a type."""

from __future__ import annotations

from backscope.debugger.breakpoints.armed import Armed
from backscope.debugger.breakpoints.reached import ReachedBreakpoints

LONGEST_MESSAGE = 80
"""Characters of an exception's message that a stop shows."""


class ExceptionBreakpoints:
    """Stops at each exception once, however many functions it leaves."""

    def __init__(self, reached: ReachedBreakpoints) -> None:
        self.armed: list[Armed] = []
        self._reached = reached
        self._last: tuple[int, type[BaseException]] | None = None

    def raised(self, error: BaseException) -> None:
        """Reach the breakpoints on an exception, unless it is the one that was seen last."""
        # Not the exception itself is kept, which would hold on to its frames.
        last, self._last = self._last, (id(error), type(error))
        if last == self._last:
            return
        kinds = {kind.__name__ for kind in type(error).__mro__}
        found = (a for a in self.armed if getattr(a.definition, "type", None) in (None, *kinds))
        self._reached.add(found, _note(error))


def _note(error: BaseException) -> str:
    """Return the type of an exception and the beginning of its message."""
    try:
        message = str(error).partition("\n")[0]
    except Exception:  # The program may have written it.
        message = ""
    name = type(error).__name__
    if not message:
        return f"{name} was raised."
    return f"{name} was raised: {message if len(message) <= LONGEST_MESSAGE else message[:LONGEST_MESSAGE] + '...'}"
