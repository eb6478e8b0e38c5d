"""Ends the tests when one of them waits for ever, and prints where it waits."""

from __future__ import annotations

import gc
import os
import sys
import threading
import traceback
from collections.abc import Iterator

import greenlet
import pytest

SECONDS = 600
"""A test that takes so long has hung: the longest takes about a minute beside all other checks."""


class HungTest:
    """Watches each test, by a thread: a call of Playwright that nothing answers cannot be interrupted.

    To be made while pytest captures nothing: it prints to what is the standard output then.
    """

    def __init__(self) -> None:
        self._output = os.dup(1)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Start a timer with the test, and stop it with its end."""
        timer = threading.Timer(SECONDS, self._end, (item.nodeid,))
        timer.daemon = True
        timer.start()
        try:
            return (yield)
        finally:
            timer.cancel()

    def _end(self, name: str) -> None:
        # As a line of pytest's summary.
        lines = [*stacks(), f"FAILED {name} - it took longer than {SECONDS} seconds, so the tests were ended"]
        os.write(self._output, ("\n" + "\n".join(lines) + "\n").encode())
        os._exit(1)


def stacks() -> Iterator[str]:
    """Return where each thread and greenlet is; Playwright's calls wait in greenlets."""
    for thread, frame in sys._current_frames().items():
        yield f"Thread {thread}:\n{''.join(traceback.format_stack(frame))}"
    for found in gc.get_objects():
        if isinstance(found, greenlet.greenlet) and found.gr_frame is not None:
            yield f"Greenlet:\n{''.join(traceback.format_stack(found.gr_frame))}"
