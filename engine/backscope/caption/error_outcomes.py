"""The outcome of each error: the program caught it, or it ended the program."""

from __future__ import annotations

from backscope.protocol import events as ev
from backscope.protocol.sentences import tables

_GOES_ON = frozenset(tables()["steps"]["goes_on"])


class ErrorOutcomes:
    """The outcomes of the errors of a log, updated with each event."""

    def __init__(self) -> None:
        self.caught: set[int] = set()
        """The errors that the program has caught so far."""
        self._open: ev.ErrorRaised | None = None

    def add(self, event: ev.Event, kind: str) -> None:
        """Add the next event."""
        error = self._open
        if isinstance(event, ev.ErrorRaised):
            if error is not None:
                self.caught.add(error.seq)
            if event.stage == "engine":
                self._open = event
                return
            # Events of a `finally` or `with` that it passed had counted as a sign that it was caught.
            if error is not None and (error.type, error.message) == (event.type, event.message):
                self.caught.discard(error.seq)
            self._open = None
        elif error is not None:
            ended = isinstance(event, ev.ProgramFinished) and event.status == "ok"
            if ended or kind in _GOES_ON:
                self.caught.add(error.seq)
