"""The process of one program on systems without zygotes: loads the engine, sets its own limits and runs the program."""

from __future__ import annotations

import _thread
import contextlib
import os
import sys
import time
from typing import NoReturn

import msgspec

from backscope_server.sandbox import child, preload
from backscope_server.sandbox.layers import descriptors
from backscope_server.sandbox.messages import LimitedBoot

# Bound here: the program may well replace them, on purpose or not.
_parent, _sleep, _exit = os.getppid, time.sleep, os._exit
_CHECK_SECONDS = 0.5


class Limits:
    """The lock-down of such a process: descriptors, and limits of processor time and memory if the system has them."""

    def apply_to_child(self, pipes: tuple[int, int, int], *, slot: int, cpu_seconds: int, memory_bytes: int) -> None:
        """Apply the limits that the system has."""
        descriptors.open_null()
        descriptors.keep(*pipes)
        try:
            from backscope_server.sandbox.layers import rlimits
        except ImportError:  # Windows counts nothing; the server watches.
            return
        # Some systems refuse some of these limits; the server watches what matters.
        with contextlib.suppress(OSError, ValueError):
            rlimits.apply(cpu_seconds=cpu_seconds, address_space=rlimits.mapped_bytes() + memory_bytes)


def _end_with(server: int) -> None:
    while _parent() == server:
        _sleep(_CHECK_SECONDS)
    _exit(0)


def main(argument: str) -> NoReturn:
    """Load the engine, then run one program; `argument` is a LimitedBoot message."""
    boot = msgspec.json.decode(argument, type=LimitedBoot)
    sys.path[:0] = boot.path
    runner = preload.load(boot.program)
    preload.close_imports()
    if descriptors.WATCHABLE:  # Elsewhere the thread that reads the orders sees the server end.
        with contextlib.suppress(RuntimeError):
            # Not by `threading`: programs may count the threads that they have.
            _thread.start_new_thread(_end_with, (boot.server,))
    pipes = (0, 1, 2)  # As they were handed over; they get the numbers that they have in every child.
    child.run(boot.order, pipes, runner.run, Limits())
