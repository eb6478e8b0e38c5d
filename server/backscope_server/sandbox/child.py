"""The process of one program: it gives up everything but its pipes, then runs the program."""

from __future__ import annotations

import faulthandler
import gc
import os
import random
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from backscope_server.sandbox import descriptors, identity, prctl, preload, rlimits
from backscope_server.sandbox.messages import Job, Spawn, decode_job

Run = Callable[..., str]
"""backscope.program.run: source, write, filename=, seed= -> status."""

EXIT_MEMORY = 113
"""Exit status of a child that ran out of memory where no Python handler could report it."""
EXIT_LOCKDOWN = 114
"""Exit status of a child that could not give something up; it has run nothing."""
EXIT_ENGINE = 115
"""Exit status of a child in which the engine itself failed."""

SIGNAL_WHERE = signal.SIGUSR1
"""Asks a child to write to its diagnostics pipe which line it is at."""


def lock_down(order: Spawn, pipes: tuple[int, int, int], *, parent: int, user: int | None, mapped: int) -> None:
    """Apply every layer; what runs after this is taken to be hostile.

    Raises: OSError where a layer cannot be applied; nothing may run then.
    """
    prctl.die_with_parent(parent)
    os.setsid()
    descriptors.keep(*pipes)
    os.nice(10)  # The server answers first.
    if user is not None:
        identity.become(user + order.slot)
    rlimits.apply(cpu_seconds=order.cpu_seconds, address_space=mapped + order.memory_bytes)
    prctl.lock()
    prctl.die_with_parent(parent)


def _listen_for_crashes() -> None:
    """Have the interpreter write its stack to the diagnostics pipe: on a crash, SIGXCPU, os._exit, and when asked.

    It does so from the C signal handler: the line is known even where the program hangs in native code.
    """
    faulthandler.enable(descriptors.DIAGNOSTICS, all_threads=False)
    faulthandler.register(SIGNAL_WHERE, descriptors.DIAGNOSTICS, all_threads=False, chain=False)
    faulthandler.register(signal.SIGXCPU, descriptors.DIAGNOSTICS, all_threads=False, chain=True)
    exit_now, dump = os._exit, faulthandler.dump_traceback

    def _exit(status: int) -> NoReturn:
        dump(descriptors.DIAGNOSTICS, all_threads=False)
        exit_now(status)

    os._exit = _exit


def _read_job() -> Job:
    parts: list[bytes] = []
    while part := os.read(descriptors.CONTROL, 1 << 16):
        parts.append(part)
        if part.endswith(b"\n"):  # The job is one line of JSON, in which a newline is escaped.
            break
    return decode_job(b"".join(parts))


def _writer() -> Callable[[bytes], None]:
    # Bound here: the program may well replace os.write, on purpose or not.
    write_some, events = os.write, descriptors.EVENTS
    waiting: list[bytes] = []

    def write(batch: bytes) -> None:
        waiting.append(batch)
        if len(waiting) > 1:  # From a signal handler that interrupted the write below, which goes on with this one.
            return
        while waiting:
            rest = waiting[0]
            while rest:
                rest = rest[write_some(events, rest) :]
            del waiting[0]

    return write


def run(
    order: Spawn, pipes: tuple[int, int, int], execute: Run, *, parent: int, user: int | None, mapped: int
) -> NoReturn:
    """Become the process of one program, run it and exit; never returns into the zygote's loop."""
    status = EXIT_LOCKDOWN
    exit_now = os._exit
    try:
        lock_down(order, pipes, parent=parent, user=user, mapped=mapped)
        _listen_for_crashes()
        job = _read_job()
        random.seed(job.seed)
        if (numpy_random := sys.modules.get("numpy.random")) is not None:
            numpy_random.seed(job.seed % 2**32)
        preload.close_imports()
        gc.enable()
        status = EXIT_ENGINE
        execute(job.source, _writer(), filename=job.filename, seed=job.seed)
        status = 0
    except MemoryError:
        status = EXIT_MEMORY
    except BaseException as error:
        # Nobody is left to report to but the server, which reads this after the exit.
        os.write(descriptors.DIAGNOSTICS, f"{type(error).__name__}: {error}\n"[:2000].encode("utf-8", "replace"))
    finally:
        exit_now(status)
