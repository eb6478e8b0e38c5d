"""Handles Ctrl-C while the debugger waits for the program."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from typing import Any

from backscope_server.terminal.process import Process
from backscope_server.terminal.screen import Screen


@contextlib.contextmanager
def interruptible(process: Process | None, first: Callable[[Process], None], screen: Screen) -> Iterator[None]:
    """Have Ctrl-C call `first` within this context, and a further Ctrl-C end the program."""
    presses = 0

    def interrupted(number: int, frame: Any) -> None:
        nonlocal presses
        if process is None or process.ended is not None:
            return
        presses += 1
        if presses <= 2:
            first(process)
        if presses == 2:
            screen.say("It has not stopped yet: it is inside of something long. Ctrl-C again ends the program.")
        elif presses > 2:
            process.kill()

    outer = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, outer)
