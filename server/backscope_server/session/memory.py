"""Packs the logs of finished runs, and returns freed memory to the system."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
from collections import deque

from backscope.runtime.malloc import ARENA_MAX, MMAP_THRESHOLD, TRIM_THRESHOLD, set_options
from backscope_server.session.log import SessionLog

WORTH_IT = 1 << 20
"""Bytes that must have been forgotten before it is done; an ordinary log has some hundred thousand."""
_REST_SECONDS = 1.0
"""The time that packing waits for readers to leave, and for more sessions to be forgotten."""
_SMALL = 1 << 14
"""Bytes of a log that is not worth packing."""
_BETWEEN_SECONDS = 0.005
"""A block takes about a millisecond; so long the server has for everything else."""
_LARGE = 1 << 17
"""Bytes that are a piece outside of the heap, and free ones at its end that go back."""


def settle() -> None:
    """Exclude the objects that exist now from garbage collection, so that later collections are fast."""
    gc.collect()
    gc.freeze()


def hold_little() -> None:
    """Have the C library return freed memory soon: one heap for all threads, and larger blocks outside of it.

    glibc gives each thread a heap of its own else, and keeps ever larger pieces: a server that has read a few floods
    would keep tens of megabytes.  Elsewhere nothing happens.
    """
    set_options({ARENA_MAX: 1, MMAP_THRESHOLD: _LARGE, TRIM_THRESHOLD: _LARGE})


def give_back() -> None:
    """Collect reference cycles, such as those of a page's connection and session, and return free memory to the system.

    Without glibc, only the first.
    """
    gc.collect()
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


class Forgotten:
    """Counts the bytes of removed logs; when they are worth it, returns the memory to the system a little later."""

    def __init__(self) -> None:
        self._nbytes = 0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, nbytes: int) -> None:
        """Count bytes that are free, or will be once their last reader has left."""
        self._nbytes += nbytes
        if self._nbytes >= WORTH_IT and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_REST_SECONDS, self._give_back)

    def _give_back(self) -> None:
        self._nbytes = 0
        self._timer = None
        give_back()


class Packing:
    """Packs the logs of finished runs, one block at a time, after their first readers have read them."""

    def __init__(self, forgotten: Forgotten) -> None:
        self._forgotten = forgotten
        self._logs: deque[SessionLog] = deque()
        self._going = False

    def add(self, log: SessionLog) -> None:
        """Pack this log, which is complete."""
        if log.nbytes < _SMALL:
            return
        self._logs.append(log)
        if not self._going:
            self._going = True
            asyncio.get_running_loop().call_later(_REST_SECONDS, self._next)

    def _next(self) -> None:
        log = self._logs[0]
        before = log.nbytes
        if log.pack() == 0:
            self._logs.popleft()
        self._forgotten.add(max(0, before - log.nbytes))
        self._going = bool(self._logs)
        if self._going:
            asyncio.get_running_loop().call_later(_BETWEEN_SECONDS, self._next)
