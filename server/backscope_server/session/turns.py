"""Chooses the run to read events of next: the one that has had least of the server's time."""

from __future__ import annotations

import asyncio
import heapq
import time
import weakref
from collections.abc import Callable


class Turn:
    """One run's place: `ready` says that there is something to read, and `read` is called when it is its turn."""

    def __init__(self, turns: Turns, read: Callable[[], None]) -> None:
        self.read = read
        self.seconds = 0.0
        """The time that reading for this run has taken."""
        self.waiting = False
        self._turns = turns

    def ready(self) -> None:
        """Request a turn; a second request before it changes nothing."""
        if not self.waiting:
            self.waiting = True
            self._turns.join(self)

    def leave(self) -> None:
        """Cancel a requested turn, and have no more turns."""
        self.read = _nothing


class Turns:
    """Gives one turn in each round of the event loop, so that requests and other runs come in between.

    A run that has said little is before all that have said much: a flood costs an ordinary run one turn at most.
    """

    def __init__(self) -> None:
        self._line: list[tuple[float, int, Turn]] = []
        self._count = 0
        self._going = False

    def join(self, turn: Turn) -> None:
        """Put a run into the line."""
        self._count += 1  # Of equals, the first that came.
        heapq.heappush(self._line, (turn.seconds, self._count, turn))
        if not self._going:
            self._going = True
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        turn = heapq.heappop(self._line)[2]
        turn.waiting = False
        began = time.perf_counter()
        try:
            turn.read()
        finally:
            turn.seconds += time.perf_counter() - began
            self._going = bool(self._line)
            if self._going:
                asyncio.get_running_loop().call_soon(self._next)


def _nothing() -> None:
    """Do nothing: the read of a run that has left."""


_lines: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Turns] = weakref.WeakKeyDictionary()


def turns() -> Turns:
    """The line of the running event loop."""
    return _lines.setdefault(asyncio.get_running_loop(), Turns())
