"""Runs the debugged program in a process of its own, with pipes to its debugger.

It is forked from the debugger's, so that it has its terminal, its folder and its environment, and begins at once; it
can be ended at any time and started again with the same seed.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from backscope import keep_memory
from backscope.program import runner
from backscope.protocol import commands as c
from backscope_server.sandbox.control import Control
from backscope_server.sandbox.layers import prctl
from backscope_server.sandbox.layers.descriptors import writer
from backscope_server.sandbox.order_pipe import Lines
from backscope_server.terminal.process import Process
from backscope_server.terminal.stdin import Stdin


def _interrupt(number: int, frame: Any) -> None:
    """Interrupt the expression that is being evaluated, once."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


class _Interruptible(Control):
    """The transport of the debugger in the program's process: its ends of both pipes, with Ctrl-C for expressions."""

    @contextlib.contextmanager
    def evaluating(self) -> Iterator[None]:
        """Have Ctrl-C end an evaluation within this context; outside the main thread Python cannot do that."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        try:
            signal.signal(signal.SIGINT, _interrupt)
            yield
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


class DebuggedProcess(Process):
    """A process that runs the program; it waits before its first line.

    `ended` is the status of its process from os.waitpid, None while it runs.  An `unseen` one reads the input that
    `stdin` kept of the run before, and writes nothing to the terminal.  With `torch` the program runs on PyTorch.
    """

    _pipes: ClassVar[set[int]] = set()
    """The debugger's ends of the pipes of all processes, which later children close."""

    def __init__(
        self,
        file: str,
        source: str,
        arguments: list[str],
        seed: int,
        stdin: Stdin | None,
        *,
        unseen: bool = False,
        torch: bool = False,
    ) -> None:
        events_in, events_out = os.pipe()
        commands_in, commands_out = os.pipe()
        self._commands = commands_out
        self._write = writer(commands_out)
        self._events = Lines(events_in)
        self._count = 0
        self.ended: int | None = None
        self.send(c.Pause(id=0))
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        parent = os.getpid()
        self.number = os.fork()
        if self.number == 0:
            status = 70
            try:
                if sys.platform == "linux":
                    prctl.die_with_parent(parent)
                for descriptor in (events_in, commands_out, *self._pipes):
                    os.close(descriptor)
                _connect(stdin, unseen)
                _run(file, source, arguments, seed, writer(events_out), Lines(commands_in), torch=torch)
                status = 0
            except BrokenPipeError:  # The debugger is gone.
                status = 0
            finally:
                with contextlib.suppress(Exception):
                    sys.stdout.flush()
                    sys.stderr.flush()
                os._exit(status)
        os.close(events_out)
        os.close(commands_in)
        self._pipes.update((events_in, commands_out))

    @classmethod
    def keep_from_programs(cls, *descriptors: int) -> None:
        """Have the processes of programs close these descriptors of the debugger's."""
        cls._pipes.update(descriptors)

    @classmethod
    def release(cls, *descriptors: int) -> None:
        """Take that these descriptors, which were kept from programs, are closed."""
        cls._pipes.difference_update(descriptors)

    def send(self, command: Any) -> int:
        """Send a command, numbered; return its number."""
        number = self._count
        self._count += 1
        with contextlib.suppress(BrokenPipeError):
            self._write(c.encode(msgspec.structs.replace(command, id=number)) + b"\n")
        return number

    def line(self) -> bytes | None:
        """Wait for the next line, an encoded event or answer, and return it; None when the process is over."""
        line = self._events.line()
        if line is None:
            self._reap()
        return line

    def end(self) -> None:
        """End the process, if it is still there."""
        if self.ended is None:
            self.kill()
            self._reap()

    def interrupt(self) -> None:
        """Interrupt the expression that is being evaluated; anything else goes on."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.number, signal.SIGINT)

    def kill(self) -> None:
        """Kill the process."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.number, signal.SIGKILL)

    def _reap(self) -> None:
        _, self.ended = os.waitpid(self.number, 0)
        for descriptor in (self._commands, self._events.descriptor):
            os.close(descriptor)
            self._pipes.discard(descriptor)


def _connect(stdin: Stdin | None, unseen: bool) -> None:
    """Connect the standard streams of the program, in its own process."""
    nothing = os.open(os.devnull, os.O_RDWR)
    if unseen:
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
    if stdin is not None:
        stdin.connect(again=unseen)
    else:  # The debugger's commands arrive there.
        os.dup2(nothing, 0)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115
    os.close(nothing)


def _run(
    file: str,
    source: str,
    arguments: list[str],
    seed: int,
    write: Callable[[bytes], None],
    orders: Lines,
    *,
    torch: bool,
) -> None:
    """Run the program, in its own process."""
    atexit._clear()  # The registered functions are the debugger's.
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the debugger, which then pauses the program.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    sys.argv = [file, *arguments]
    sys.path.insert(0, str(Path(file).resolve().parent))
    keep_memory()
    # Garbage of the debugger's is not collected here, and the program's at the same moments in each run.
    gc.freeze()
    gc.collect()
    transport = _Interruptible(write, orders)
    if torch:
        from backscope.pytorch.debugger import program

        program.run(source, write, filename=file, seed=seed, transport=transport)
    else:
        runner.run(source, write, filename=file, seed=seed, transport=transport, folder=sys.path[0])
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
