"""Schedules the reading of event pipes: next is the run whose events have taken the least time to read so far."""

from __future__ import annotations

import asyncio
import heapq
import time
import weakref
from collections.abc import Callable


class ReadTurn:
    """One run in the scheduler: after `ready`, the scheduler calls `read` once, when the turn of this run comes."""

    def __init__(self, scheduler: ReadScheduler, read: Callable[[], None]) -> None:
        self.read = read
        self.seconds = 0.0
        """The time that reading for this run has taken."""
        self.waiting = False
        self._scheduler = scheduler

    def ready(self) -> None:
        """Request a turn; a second request before it changes nothing."""
        if not self.waiting:
            self.waiting = True
            self._scheduler.join(self)

    def leave(self) -> None:
        """Cancel a requested turn, and have no more turns."""
        self.read = _nothing


class ReadScheduler:
    """Calls `read` of one run per iteration of the event loop, so that requests are served in between.

    A run that has sent little comes before all that have sent much: a flood delays an ordinary run by one turn at most.
    """

    def __init__(self) -> None:
        self._queue: list[tuple[float, int, ReadTurn]] = []
        self._count = 0
        self._going = False

    def join(self, turn: ReadTurn) -> None:
        """Put a run into the queue."""
        self._count += 1  # Runs of equal cost are read in the order in which they joined.
        heapq.heappush(self._queue, (turn.seconds, self._count, turn))
        if not self._going:
            self._going = True
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        turn = heapq.heappop(self._queue)[2]
        turn.waiting = False
        began = time.perf_counter()
        try:
            turn.read()
        finally:
            turn.seconds += time.perf_counter() - began
            self._going = bool(self._queue)
            if self._going:
                asyncio.get_running_loop().call_soon(self._next)


def _nothing() -> None:
    """Do nothing; this is `read` of a run that has left."""


_schedulers: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, ReadScheduler] = weakref.WeakKeyDictionary()


def read_scheduler() -> ReadScheduler:
    """Return the scheduler of the running event loop."""
    return _schedulers.setdefault(asyncio.get_running_loop(), ReadScheduler())
