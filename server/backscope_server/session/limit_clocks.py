"""Clocks for the time limits of a run: they can be stopped and started, and call back before the limit and at it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

_CHECK_SECONDS = 1.0
"""The interval at which the processor time is read after the notice."""


class _NoticeTimer:
    """Calls `approach` with the time that is left when a limit is near, and with None when it is stopped then."""

    def __init__(self, seconds: float, notice_seconds: float, approach: Callable[[float | None], None]) -> None:
        self.seconds = seconds
        self._notice = min(notice_seconds, seconds / 2)
        self._approach = approach
        self._timer: asyncio.TimerHandle | None = None
        self._announced = False

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._announced:
            self._announced = False
            self._approach(None)


class LimitClock(_NoticeTimer):
    """Calls `expired` after `seconds` of running time, and `approach` when `notice_seconds`, or half, are left."""

    def __init__(
        self,
        seconds: float,
        notice_seconds: float,
        *,
        approach: Callable[[float | None], None],
        expired: Callable[[], None],
    ) -> None:
        super().__init__(seconds, notice_seconds, approach)
        self._expired = expired
        self._left = seconds
        self._since: float | None = None

    def start(self) -> None:
        """Start, or go on after a stop."""
        if self._since is None:
            self._since = asyncio.get_running_loop().time()
            self._wait()

    def stop(self) -> None:
        """Stop; the remaining time is kept."""
        if self._since is None:
            return
        self._left -= asyncio.get_running_loop().time() - self._since
        self._since = None
        self._cancel()

    def reset(self) -> None:
        """Set the remaining time back to the whole limit; a running clock runs on."""
        running = self._since is not None
        self.stop()
        self._left = self.seconds
        if running:
            self.start()

    def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        if self._left > self._notice:
            self._timer = loop.call_later(self._left - self._notice, self._warn)
        else:
            self._warn()

    def _warn(self) -> None:
        assert self._since is not None
        loop = asyncio.get_running_loop()
        left = max(0.0, self._left - (loop.time() - self._since))
        self._announced = True
        self._timer = loop.call_later(left, self._end)
        self._approach(left)

    def _end(self) -> None:
        self._timer = None
        self._expired()


class ProcessorClock(_NoticeTimer):
    """Calls `approach`, as LimitClock does, when a process has `notice_seconds` of its processor time left.

    The kernel ends the process at its limit.  `used` returns the processor time so far: it grows no faster than real
    time, so it is called when the notice may be due, and then each second.
    """

    def __init__(
        self,
        seconds: float,
        notice_seconds: float,
        *,
        used: Callable[[], float],
        approach: Callable[[float | None], None],
    ) -> None:
        super().__init__(seconds, notice_seconds, approach)
        self._used = used

    def start(self) -> None:
        """Begin to check the process."""
        if self._timer is None:
            self._look()

    def stop(self) -> None:
        """Stop checking: the process is paused."""
        self._cancel()

    def _look(self) -> None:
        left = max(0.0, self.seconds - self._used())
        if left <= self._notice:
            self._announced = True
            self._approach(left)
        wait = _CHECK_SECONDS if self._announced else max(left - self._notice, _CHECK_SECONDS / 10)
        self._timer = asyncio.get_running_loop().call_later(wait, self._look)


class PausableClock(Protocol):
    """The interface of a clock that can be stopped and started."""

    def start(self) -> None:
        """Start, or go on after a stop."""

    def stop(self) -> None:
        """Stop; the remaining time is kept."""


class ClockGroup:
    """Several clocks that run and stop at the same time."""

    def __init__(self, *clocks: PausableClock) -> None:
        self._clocks = clocks

    def start(self) -> None:
        """Start all of them."""
        for clock in self._clocks:
            clock.start()

    def stop(self) -> None:
        """Stop all of them."""
        for clock in self._clocks:
            clock.stop()
