"""Fails a test that waits for ever, and prints where it waits."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator

import greenlet
import psutil
import pytest

SECONDS = 300
"""A test that takes so long has hung: the longest takes about a minute beside all other checks."""
ENDING = 60
"""Seconds in which a hung test fails once what it waits for was killed."""


class HungTest:
    """Watches each test, by a thread: a call of Playwright that nothing answers cannot be interrupted.

    It kills the browser and the processes that the test started, so that what waits for them fails; where the test
    waits for something else, it ends all tests.  To be made while pytest captures nothing: it prints to what is the
    standard output then.
    """

    def __init__(self) -> None:
        self._output = os.dup(1)
        self._before: set[int] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Start timers with the test, and stop them with its end."""
        timers = [
            _timer(SECONDS, lambda: self._unblock(item.nodeid)),
            _timer(SECONDS + ENDING, lambda: self._end(item.nodeid)),
        ]
        try:
            return (yield)
        finally:
            for timer in timers:
                timer.cancel()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self) -> None:
        """Remember the processes that the test did not start, such as the server of all tests."""
        self._before = {process.pid for process in _processes()}

    def _unblock(self, name: str) -> None:
        self._print(*stacks(), f"{name} has taken {SECONDS} seconds: its processes and the browser are killed.")
        for process in _processes():
            with contextlib.suppress(psutil.Error):
                if process.pid not in self._before or "chrom" in process.name():
                    process.kill()

    def _end(self, name: str) -> None:
        for process in _processes():
            with contextlib.suppress(psutil.Error):
                process.kill()
        # As a line of pytest's summary.
        self._print(f"FAILED {name} - it waits for nothing that can be killed, so the tests were ended")
        os._exit(1)

    def _print(self, *lines: str) -> None:
        os.write(self._output, ("\n" + "\n".join(lines) + "\n").encode())


def stacks() -> Iterator[str]:
    """Return where each thread and greenlet is; Playwright's calls wait in greenlets."""
    for thread, frame in sys._current_frames().items():
        yield f"Thread {thread}:\n{''.join(traceback.format_stack(frame))}"
    for found in gc.get_objects():
        if isinstance(found, greenlet.greenlet) and found.gr_frame is not None:
            yield f"Greenlet:\n{''.join(traceback.format_stack(found.gr_frame))}"


def _processes() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def _timer(seconds: float, do: Callable[[], None]) -> threading.Timer:
    timer = threading.Timer(seconds, do)
    timer.daemon = True
    timer.start()
    return timer
