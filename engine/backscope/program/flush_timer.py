"""Writes the pending events of a run every 16 ms: at prints, and by a timer."""

from __future__ import annotations

import _thread
import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

from backscope.debugger.pausing import Timer
from backscope.debugger.stepping import Stepping
from backscope.runtime import recursion_room

FLUSH_SECONDS = 0.016
_FIRST_SECONDS = 0.002
_PATIENCE_SECONDS = 1.0

Tick = Callable[[int, FrameType | None], None]


class _Timer(Timer, Protocol):
    """Makes the main thread call a function every FLUSH_SECONDS, between two of its instructions."""

    def stop(self) -> None:
        """Stop for good: the function is not called again."""


def _put_back(number: int, handler: Any) -> None:
    """Restore the handler of a signal, or the default one if the handler was not set by Python."""
    signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _ignored(number: int, frame: FrameType | None) -> None:
    """Do nothing, as the handler of a signal that may still arrive."""


def _is_only_thread() -> bool:
    """Return True if the process is known to have no other thread, of Python or of a library."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


class Drained(Protocol):
    """Has events that are not written yet."""

    def drain(self) -> None:
        """Write them."""


class SignalTimer:
    """Calls a function by the interval timer of the system.

    Raises: AttributeError on a system without one, ValueError in another thread than the main one.
    """

    def __init__(self, tick: Tick) -> None:
        begin = signal.setitimer
        self._previous = signal.signal(signal.SIGALRM, tick)
        try:
            begin(signal.ITIMER_REAL, _FIRST_SECONDS, FLUSH_SECONDS)
        except OSError:
            _put_back(signal.SIGALRM, self._previous)
            raise

    def hold(self) -> None:
        """Suspend the calls."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    def go_on(self) -> None:
        """Resume the calls."""
        signal.setitimer(signal.ITIMER_REAL, FLUSH_SECONDS, FLUSH_SECONDS)

    def stop(self) -> None:
        """Stop the calls for good, and restore the handler of the signal.

        Where other threads exist, one of them may have taken a signal that it has not handled yet: the default action
        would then end the process, and Python would print that it ignored the signal.  There the default is not
        restored; the handler that stays does nothing.
        """
        self.hold()
        # What was sent to this thread has arrived with the return from the system call.
        kept = callable(self._previous) or _is_only_thread()
        _put_back(signal.SIGALRM, self._previous if kept else _ignored)


class ThreadTimer:
    """Calls a function by a thread that sends SIGTERM to the main one; Windows has no timer, and no other use of it.

    Raises: ValueError in another thread than the main one, RuntimeError where no thread can be started.
    """

    def __init__(self, tick: Tick) -> None:
        self._going = threading.Event()
        self._over = threading.Event()
        self._gone = threading.Event()
        self._previous = signal.signal(signal.SIGTERM, tick)
        self._going.set()
        try:
            # Not by `threading`: programs may count their threads.
            _thread.start_new_thread(self._run, ())
        except RuntimeError:
            _put_back(signal.SIGTERM, self._previous)
            raise

    def hold(self) -> None:
        """Suspend the calls."""
        self._going.clear()

    def go_on(self) -> None:
        """Resume the calls."""
        self._going.set()

    def stop(self) -> None:
        """Stop the calls for good, and restore the handler of the signal."""
        self._over.set()
        self._going.set()
        self._gone.wait(_PATIENCE_SECONDS)
        _put_back(signal.SIGTERM, self._previous)

    def _run(self) -> None:
        seconds = _FIRST_SECONDS
        while not self._over.wait(seconds):
            if self._going.is_set():
                _thread.interrupt_main(signal.SIGTERM)
            else:
                self._going.wait()
            seconds = FLUSH_SECONDS
        self._gone.set()


def timer(tick: Tick) -> _Timer | None:
    """Start the timer that this system has for this thread; return None if it has none."""
    for kind in (SignalTimer, ThreadTimer):
        try:
            return kind(tick)
        except (AttributeError, ValueError, OSError, RuntimeError):
            continue
    return None


class Pace:
    """Writes the pending events of `recorder`, and has the debugger check for commands."""

    def __init__(self, recorder: Drained) -> None:
        self.recorder = recorder
        self.clock = time.perf_counter
        self.last = 0.0
        self.debugger: Stepping | None = None
        self._timer: Any = None

    def __call__(self) -> None:
        now = self.clock()
        if now - self.last >= FLUSH_SECONDS:
            self.recorder.drain()
            self.last = self.clock()

    def _tick(self, number: int, frame: FrameType | None) -> None:
        try:
            before = recursion_room.give()
        except RecursionError:  # The next call, in 16 ms, does it.
            return
        try:
            self.recorder.drain()
            if self.debugger is not None:
                self.debugger.tick(frame)
        finally:
            recursion_room.take_back(before)

    def start(self) -> None:
        """Start the timer, if the system has one."""
        self._timer = timer(self._tick)

    def hold(self) -> None:
        """Suspend the timer."""
        if self._timer is not None:
            self._timer.hold()

    def go_on(self) -> None:
        """Resume the timer."""
        if self._timer is not None:
            self._timer.go_on()

    def stop(self) -> None:
        """Stop the timer and write the remaining events."""
        try:
            if self._timer is not None:
                self._timer.stop()
        finally:
            self.recorder.drain()
