"""Turns a forked process into that of one program: locks it down to its pipes, then runs the program."""

from __future__ import annotations

import errno
import faulthandler
import gc
import os
import random
import signal
import sys
from collections.abc import Callable
from typing import NoReturn, Protocol

from backscope_server.sandbox.control import Control
from backscope_server.sandbox.layers import descriptors
from backscope_server.sandbox.messages import Spawn
from backscope_server.sandbox.order_pipe import order_pipe

Run = Callable[..., str]
"""backscope.program.runner.run: source, write, filename=, seed=, transport=, memory_bytes=, alone= -> status."""

EXIT_MEMORY = 113
"""Exit status of a child that ran out of memory where no Python handler could report it."""
EXIT_LOCKDOWN = 114
"""Exit status of a child that could not give something up; it has run nothing."""
EXIT_ENGINE = 115
"""Exit status of a child in which the engine itself failed."""

SIGNAL_WHERE: signal.Signals | None = getattr(signal, "SIGUSR1", None)
"""The signal on which a child writes its current line to the diagnostics pipe; WHERE on systems without it."""


class LockDown(Protocol):
    """The lock-down that a process applies to itself before it runs a program."""

    def apply_to_child(self, pipes: tuple[int, int, int], *, slot: int, cpu_seconds: int, memory_bytes: int) -> None:
        """Apply the lock-down to this process, for good.

        Raises: OSError; nothing may run then.
        """


def _listen_for_crashes() -> None:
    """Have the interpreter write its stack to the diagnostics pipe on a crash, SIGXCPU, os._exit and SIGNAL_WHERE.

    It does so from the C signal handler: the line is known even where the program hangs in native code.
    """
    faulthandler.enable(descriptors.DIAGNOSTICS, all_threads=False)
    if SIGNAL_WHERE is not None:
        faulthandler.register(SIGNAL_WHERE, descriptors.DIAGNOSTICS, all_threads=False, chain=False)
        faulthandler.register(signal.SIGXCPU, descriptors.DIAGNOSTICS, all_threads=False, chain=True)
    exit_now, dump = os._exit, faulthandler.dump_traceback

    def _exit(status: int) -> NoReturn:
        dump(descriptors.DIAGNOSTICS, all_threads=False)
        exit_now(status)

    os._exit = _exit


def run(order: Spawn, pipes: tuple[int, int, int], execute: Run, walls: LockDown) -> NoReturn:
    """Lock this process down, run the program and exit; never returns into the zygote's loop."""
    status = EXIT_LOCKDOWN
    exit_now = os._exit
    try:
        walls.apply_to_child(pipes, slot=order.slot, cpu_seconds=order.cpu_seconds, memory_bytes=order.memory_bytes)
        _listen_for_crashes()
        control = Control(write := descriptors.writer(descriptors.EVENTS), order_pipe())
        job = control.job()
        random.seed(job.seed)
        if (numpy_random := sys.modules.get("numpy.random")) is not None:
            numpy_random.seed(job.seed % 2**32)
        # In each run garbage is collected at the same moments: its count begins at 0, without what was there before.
        gc.freeze()
        gc.collect()
        gc.enable()
        status = EXIT_ENGINE
        settings = {"seed": job.seed, "transport": control, "memory_bytes": order.memory_bytes, "alone": True}
        execute(job.source, write, filename=job.filename, **settings)
        status = 0
    except BaseException as error:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
            status = EXIT_MEMORY
        else:  # The server reads this from the diagnostics pipe after the exit.
            os.write(descriptors.DIAGNOSTICS, f"{type(error).__name__}: {error}\n"[:2000].encode("utf-8", "replace"))
    finally:
        exit_now(status)
