"""Packs the logs of finished runs, and returns freed memory to the system."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import gc
from collections import deque

from backscope.runtime.malloc import ARENA_MAX, MMAP_THRESHOLD, TRIM_THRESHOLD, set_options
from backscope_server.session.log import SessionLog

GIVE_BACK_BYTES = 1 << 20
"""The bytes of removed logs that memory is returned for; an ordinary log has some hundred thousand."""
_DELAY_SECONDS = 1.0
"""The delay of packing, for readers to leave, and of returning memory, for more sessions to be removed."""
_SMALL = 1 << 14
"""The largest log that is not packed, bytes."""
_PAUSE_SECONDS = 0.005
"""The pause between two blocks, which take about a millisecond each, for the other work of the server."""
_LARGE = 1 << 17
"""The size from which on a block is allocated outside of the heap, and free memory at its end is returned."""


def freeze_objects() -> None:
    """Exclude the objects that exist now from garbage collection, so that later collections are fast."""
    gc.collect()
    gc.freeze()


def return_memory_soon() -> None:
    """Have the C library return freed memory soon: one heap for all threads, and larger blocks outside of it.

    glibc gives each thread a heap of its own else, and keeps ever larger pieces: a server that has read a few floods
    would keep tens of megabytes.  Elsewhere nothing happens.
    """
    set_options({ARENA_MAX: 1, MMAP_THRESHOLD: _LARGE, TRIM_THRESHOLD: _LARGE})


def give_back() -> None:
    """Collect reference cycles, such as those of a page's connection and session, and return free memory to the system.

    Without glibc, it only collects the cycles.
    """
    gc.collect()
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


class FreedBytes:
    """Counts the bytes of removed logs; when they are worth it, returns the memory to the system a little later."""

    def __init__(self) -> None:
        self._nbytes = 0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, nbytes: int) -> None:
        """Count bytes that are free, or will be once their last reader has left."""
        self._nbytes += nbytes
        if self._nbytes >= GIVE_BACK_BYTES and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_DELAY_SECONDS, self._give_back)

    def _give_back(self) -> None:
        self._nbytes = 0
        self._timer = None
        give_back()


class Packing:
    """Packs the logs of finished runs, one block at a time, after their first readers have read them."""

    def __init__(self, freed: FreedBytes) -> None:
        self._freed = freed
        self._logs: deque[SessionLog] = deque()
        self._going = False

    def add(self, log: SessionLog) -> None:
        """Leave this log, which is complete, packed only."""
        if log.nbytes < _SMALL:
            return
        self._logs.append(log)
        if not self._going:
            self._going = True
            asyncio.get_running_loop().call_later(_DELAY_SECONDS, self._next)

    def _next(self) -> None:
        log = self._logs[0]
        before = log.nbytes
        if not log.compact():
            self._logs.popleft()
        self._freed.add(max(0, before - log.nbytes))
        self._going = bool(self._logs)
        if self._going:
            asyncio.get_running_loop().call_later(_PAUSE_SECONDS, self._next)
