"""The supervision of one process: starts it, admits its events to the log, and ends it when it must end."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os

from backscope import events
from backscope_server.sandbox.child import SIGNAL_WHERE
from backscope_server.sandbox.launcher import Child, Launcher, SandboxError
from backscope_server.sandbox.limits import Limits
from backscope_server.sandbox.messages import Job, encode
from backscope_server.session import ending
from backscope_server.session.admission import Admission
from backscope_server.session.ending import Ending
from backscope_server.session.log import SessionLog
from backscope_server.session.program import Program

logger = logging.getLogger(__name__)

_READ = 1 << 18
_PIPE = 1 << 20
_DIAGNOSTICS = 1 << 16
_ASK_SECONDS = 0.1
"""How long a process that is out of time gets to say which line it is at."""
_DRAIN_SECONDS = 2.0
"""How long the event pipe of a process that is gone may stay open before it is closed from here."""


class _Pipe:
    """A pipe between the server and a child, non-blocking at the server's end once the child has the other."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.read, self.write = os.pipe()

    def __enter__(self) -> _Pipe:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_read()
        self.close_write()

    def close_read(self) -> None:
        if self.read >= 0:
            self._loop.remove_reader(self.read)
            os.close(self.read)
            self.read = -1

    def close_write(self) -> None:
        if self.write >= 0:
            self._loop.remove_writer(self.write)
            os.close(self.write)
            self.write = -1


class Supervisor:
    """Runs `program` once and finishes `log`; the outcome is known when `run` returns."""

    def __init__(self, program: Program, limits: Limits, log: SessionLog) -> None:
        self._program = program
        self._limits = limits
        self._log = log
        self._admission = Admission(limits)
        self._ending: Ending | None = None
        self._child: Child | None = None
        self._drained = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._job = b""

    async def run(self, launcher: Launcher) -> str:
        """Run the program to its end and return its status: ok, error, stopped or limit."""
        with contextlib.ExitStack() as pipes:
            try:
                control, stream, diagnostics = (pipes.enter_context(_Pipe(self._loop)) for _ in range(3))
            except OSError as error:
                self._ending = ending.no_sandbox(f"the server is out of file descriptors ({error.strerror})")
                return self._close(launcher, None, "")
            try:
                return await self._run(launcher, control, stream, diagnostics)
            except Exception:
                # Readers wait for the end of the log: it has to come whatever happens here.
                logger.exception("The supervision of a program failed.")
                self._ending = ending.server_failed()
                return self._close(launcher, None, "")

    def end(self, ending: Ending) -> None:
        """End the run for this reason, unless another one came first."""
        if self._ending is None and self._admission.finished is None:
            self._ending = ending
        if self._child is not None:
            self._child.kill()

    async def _run(self, launcher: Launcher, control: _Pipe, stream: _Pipe, diagnostics: _Pipe) -> str:
        program = self._program
        os.set_blocking(control.write, False)
        os.set_blocking(stream.read, False)
        os.set_blocking(diagnostics.read, False)
        with contextlib.suppress(OSError):  # A smaller pipe works as well; it only switches processes more often.
            fcntl.fcntl(stream.read, fcntl.F_SETPIPE_SZ, _PIPE)
        # Into the pipe before there is a child to read it: the fork is then all that the first event waits for.
        self._job = encode(Job(source=program.source, filename=program.filename, seed=program.seed)) + b"\n"
        self._send_job(control)
        try:
            child = await launcher.spawn(self._limits, control.read, stream.write, diagnostics.write)
        except SandboxError as error:
            self._ending = self._ending or ending.no_sandbox(str(error))
            return self._close(launcher, None, "")
        self._child = child
        if self._ending is not None:
            child.kill()
        control.close_read()
        stream.close_write()
        diagnostics.close_write()
        self._loop.add_reader(stream.read, self._receive, stream)
        clock = self._loop.call_later(self._limits.wall_seconds, self._out_of_time)
        try:
            await child.gone.wait()
            # The exit may be known before the last events are read.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._drained.wait(), _DRAIN_SECONDS)
        finally:
            clock.cancel()
            child.kill()
        said = b""
        with contextlib.suppress(OSError):
            said = os.read(diagnostics.read, _DIAGNOSTICS)
        return self._close(launcher, child, said.decode("utf-8", "replace"))

    def _send_job(self, control: _Pipe) -> None:
        try:
            sent = os.write(control.write, self._job)
        except BlockingIOError:
            sent = 0
        except OSError:  # The child is gone and will be reported.
            sent = len(self._job)
        self._job = self._job[sent:]
        if self._job:
            self._loop.add_writer(control.write, self._send_job, control)
        else:
            self._loop.remove_writer(control.write)

    def _receive(self, stream: _Pipe) -> None:
        try:
            data = os.read(stream.read, _READ)
        except BlockingIOError:
            return
        verdict: Ending | None = None
        if data:
            lines, verdict = self._admission.admit(data)
            if lines:
                self._log.append(lines)
        finished = self._admission.finished is not None
        if not data or verdict is not None or finished:
            self._loop.remove_reader(stream.read)
            self._drained.set()
        if verdict is not None:
            self.end(verdict)
        elif finished and self._child is not None:
            # It has nothing more to say, and is not trusted to exit.
            self._child.kill()

    def _out_of_time(self) -> None:
        if self._child is None or self._ending is not None or self._admission.finished is not None:
            return
        self._child.signal(SIGNAL_WHERE)
        self._loop.call_later(_ASK_SECONDS, self.end, ending.wall_time(self._limits))

    def _close(self, launcher: Launcher, child: Child | None, diagnostics: str) -> str:
        """Write the last events where the program did not, and finish the log."""
        if self._admission.finished is not None:
            self._log.finish()
            return self._admission.finished
        verdict = self._ending
        if verdict is None:
            assert child is not None
            verdict = ending.of_exit(child, self._limits, diagnostics)
        closing: list[bytes] = []
        if self._log.last < 0:
            closing.append(self._started(launcher))
        line = ending.crash_line(diagnostics, self._program.filename) or self._admission.line
        closing += ending.closing_events(verdict, self._log.last + 1 + len(closing), line)
        self._log.append(closing)
        self._log.finish()
        return verdict.status

    def _started(self, launcher: Launcher) -> bytes:
        program = self._program
        return events.encode(
            events.ProgramStarted(
                seq=0,
                line=None,
                protocol=events.PROTOCOL_VERSION,
                filename=program.filename,
                source=program.source,
                seed=program.seed,
                versions=launcher.versions,
            )
        )
