"""Supervises the process of a program: starts it, validates and logs its events, and ends it at a limit or a stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import TypeAlias

from msgspec import structs

from backscope.protocol import commands, events
from backscope.protocol.commands import Answer, Order, Refused, Resume, Step, Watch, WatchChange, Watched
from backscope_server.sandbox.child import SIGNAL_WHERE
from backscope_server.sandbox.launcher import Child, Launcher, SandboxError
from backscope_server.sandbox.limits import Limits
from backscope_server.sandbox.messages import Job, encode
from backscope_server.sandbox.order_pipe import WHERE
from backscope_server.session import ending
from backscope_server.session.admission import Admission
from backscope_server.session.ending import Ending
from backscope_server.session.limit_clocks import PausableClock
from backscope_server.session.log import Log
from backscope_server.session.pipe import WAITING_BYTES, Inlet, Outlet, inlet, outlet
from backscope_server.session.program import Program
from backscope_server.session.read_scheduler import ReadTurn, read_scheduler

logger = logging.getLogger(__name__)

_READ = 1 << 16
"""The bytes of a run that are read in one turn: a few milliseconds of work."""
_FRESH_SECONDS = 0.5
"""The time for which a new run goes before older ones."""
_LITTLE = 1 << 13
_PATIENCE_SECONDS = 0.05
_READ_DELAY_SECONDS = 0.005
"""The time before the next read of a run that has cost much time and writes little at once, byte by byte perhaps."""
_EVENTS_PIPE = 1 << 18
_OTHER_PIPE = 1 << 14
"""The sizes of pipes, bytes: two hundred runs stay below the kernel's limit for the pipes of an ordinary user."""
_DIAGNOSTICS = 1 << 16
_LINE_SECONDS = 1.0
"""The time that a process gets to write its line after it has reached a time limit."""
_DRAIN_SECONDS = 2.0
"""The time after which the empty event pipe of an ended process is closed, where another process holds it open."""

_AT_ONCE = 16
"""The most commands of a run that may wait for their answers."""
_AT_ONCE_BYTES = WAITING_BYTES
"""The most bytes of these commands together: the server holds those that a program does not read."""
_BYTES_OF_CHARACTER = 8
"""The bytes allowed for each character of the source: it takes up to six in the Job, and commands have the rest."""
FINISHED = "The program has finished."

Reply: TypeAlias = Callable[[Answer], None]


class Supervisor:
    """Runs `program` once, in the sandbox of `launcher`, and finishes `log`; the outcome is known when `run` returns.

    `clock` runs while the program's process exists; `paused` is called with True when the program stops in the
    debugger, and with False when it goes on.
    """

    def __init__(
        self,
        launcher: Launcher,
        program: Program,
        limits: Limits,
        log: Log,
        clock: PausableClock | None = None,
        paused: Callable[[bool], None] | None = None,
    ) -> None:
        self._launcher = launcher
        self._program = program
        self._clock = clock
        self._limits = limits
        self._log = log
        self._admission = Admission(limits)
        self._ending: Ending | None = None
        self._limit_reached: Ending | None = None
        """The limit that it has reached; a process that has not installed the handler yet ends by SIGNAL_WHERE."""
        self._child: Child | None = None
        self._drained = asyncio.Event()
        self._stream: Inlet | None = None
        self._held = False
        """True while events are left in the program's pipe."""
        self._loop = asyncio.get_running_loop()
        self._paused = paused
        self._over = False
        self._outgoing = b""
        """Commands that are sent once the program has a pipe."""
        self._control: Outlet | None = None
        self._replies: dict[int, tuple[Reply, int]] = {}
        """The receiver of each answer that has not arrived, and the length of its command, bytes."""
        self._watched: Callable[[list[WatchChange]], None] = lambda _changes: None
        self._commands = 0
        self.ending: Ending | None = None
        """Why the run was ended; None for a program that has ended by itself, or has not ended."""
        self.taken = (-1, False)
        """The last event before the program took the command whose answer is passed on, and whether it was paused."""

    async def run(self) -> str:
        """Run the program to its end and return its status: ok, error, stopped or limit."""
        if self._ending is not None:  # It was ended before its turn came.
            return self._close(None, "")
        with contextlib.ExitStack() as pipes:
            try:
                most = max(_AT_ONCE_BYTES, _BYTES_OF_CHARACTER * len(self._program.source))
                control = pipes.enter_context(contextlib.closing(outlet(_OTHER_PIPE, most)))
                stream = pipes.enter_context(contextlib.closing(inlet(_EVENTS_PIPE)))
                diagnostics = pipes.enter_context(contextlib.closing(inlet(_OTHER_PIPE)))
            except OSError as error:
                self._ending = ending.no_sandbox(f"the server can have no more pipes: {error.strerror}")
                return self._close(None, "")
            try:
                return await self._run(control, stream, diagnostics)
            except Exception:
                # Readers wait for the end of the log: it has to come whatever happens here.
                logger.exception("The supervision of a program failed.")
                self._ending = ending.server_failed()
                return self._close(None, "")

    def end(self, ending: Ending) -> None:
        """End the run for this reason, unless it is ending for another one."""
        if self._ending is None and self._admission.finished is None:
            self._ending = ending
        if self._child is not None:
            self._child.kill()
        self.resume_reading()

    def stop_reading(self) -> None:
        """Leave events in the program's pipe, so that it waits, until `resume_reading` is called."""
        self._held = True

    def resume_reading(self) -> None:
        """Read events again."""
        if self._held:
            self._held = False
            if self._stream is not None and not self._drained.is_set():
                self._stream.listen(self._turn.ready)

    def end_at_limit(self, ending: Ending) -> None:
        """End a run that has reached a time limit; its process gets time to write its current line."""
        if self._child is None or self._ending is not None or self._admission.finished is not None:
            return
        self._limit_reached = ending
        if SIGNAL_WHERE is not None:
            self._child.signal(SIGNAL_WHERE)
        elif self._control is not None:
            self._control.send(WHERE + b"\n")
        self._loop.call_later(_LINE_SECONDS, self.end, ending)

    def cpu_seconds(self) -> float:
        """Return the processor time that the program has used, as far as the system reports it."""
        return 0.0 if self._child is None else self._child.cpu_seconds()

    async def _run(self, control: Outlet, stream: Inlet, diagnostics: Inlet) -> str:
        self._control = control
        job = Job(source=self._program.source, filename=self._program.filename, seed=self._program.seed)
        # Written before the child exists, so that the first event waits only for the fork.
        control.send(encode(job) + b"\n" + self._outgoing)
        self._outgoing = b""
        try:
            child = await self._launcher.spawn(self._limits, control.theirs, stream.theirs, diagnostics.theirs)
        except SandboxError as error:
            self._ending = self._ending or ending.no_sandbox(str(error))
            return self._close(None, "")
        self._child = child
        if self._ending is not None:
            child.kill()
        for pipe in (control, stream, diagnostics):
            pipe.close_theirs()
        self._turn = ReadTurn(read_scheduler(), lambda: self._take(stream))
        self._stream = stream
        stream.listen(self._turn.ready)
        aging = self._loop.call_later(_FRESH_SECONDS, self._age, child)
        if self._clock is not None:
            self._clock.start()
        try:
            await child.gone.wait()
            await self._drain(stream)
        finally:
            if self._clock is not None:
                self._clock.stop()
            aging.cancel()
            self._turn.leave()
            child.kill()
            self._control = self._stream = None
        said = await diagnostics.last_output(_DIAGNOSTICS)
        return self._close(child, said.decode("utf-8", "replace"))

    async def _drain(self, stream: Inlet) -> None:
        """Wait for the last events: the exit may be reported before they are read."""
        while not self._drained.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._drained.wait(), _DRAIN_SECONDS)
            if not stream.waits():
                return  # Another process has the pipe open and writes nothing.

    def command(self, command: Order, reply: Reply, watched: Callable[[list[WatchChange]], None] | None = None) -> None:
        """Pass a command on; `reply` gets its answer, at the latest when the run is over.

        `watched` is called with the changes of a Watch.
        """
        if self._over:
            reply(Refused(id=command.id, reason=FINISHED))
            return
        self._commands += 1
        client_id, number = command.id, self._commands
        line = commands.encode(structs.replace(command, id=number)) + b"\n"
        if (
            len(self._replies) >= _AT_ONCE
            or sum(size for _, size in self._replies.values()) + len(line) > _AT_ONCE_BYTES
        ):
            waiting = len(self._replies)
            reply(Refused(id=client_id, reason=f"{waiting} commands wait for their answers; send more after those."))
            return
        if self._control is None:
            self._outgoing += line
        elif not self._control.send(line):
            # Numbers of commands alone are no bound: a program can guess them, and answer commands it has not read.
            reply(Refused(id=client_id, reason="Unread commands wait for their answers; send more after those."))
            return
        self._replies[number] = (lambda answer: reply(structs.replace(answer, id=client_id))), len(line)
        self._admission.awaited.add(number)
        if isinstance(command, Watch) and watched is not None:
            self._admission.watching.add(number)
            self._watched = watched
        if isinstance(command, (Resume, Step)):
            self._admission.may_go_on = True

    def _answered(self) -> None:
        """Pass on the answers that have arrived."""
        answers, self._admission.answers = self._admission.answers, []
        for answer in answers:
            if isinstance(answer, Watched):
                self._watched(answer.changes)
            elif answer.id in self._replies:
                self.taken = self._admission.taken.pop(answer.id, self.taken)
                self._replies.pop(answer.id)[0](answer)

    def _age(self, child: Child) -> None:
        child.lower_priority()

    def _take(self, stream: Inlet) -> None:
        """Read once; further bytes are read in the next turn."""
        try:
            size = self._receive(stream)
        except Exception:
            logger.exception("Reading what a program said failed.")
            self._drained.set()
            self.end(ending.server_failed())
        if self._drained.is_set() or self._held:
            return
        if size < _LITTLE and self._turn.seconds > _PATIENCE_SECONDS:
            self._loop.call_later(_READ_DELAY_SECONDS, stream.listen, self._turn.ready)
        else:
            stream.listen(self._turn.ready)

    def _receive(self, stream: Inlet) -> int:
        data = stream.take(_READ)
        if data is None:
            return 0
        verdict: Ending | None = None
        if data:
            before = self._admission.paused
            lines, verdict = self._admission.admit(data)
            if lines:
                self._log.append(lines)
            if self._admission.paused is not before and self._paused is not None:
                self._paused(not before)
            self._answered()
        finished = self._admission.finished is not None
        if not data or verdict is not None or finished:
            self._drained.set()
        if verdict is not None:
            self.end(verdict)
        elif finished and self._child is not None:
            # Its last event is in the log, and it is not trusted to exit.
            self._child.kill()
        return len(data)

    def _close(self, child: Child | None, diagnostics: str) -> str:
        """Write the last events if the program has not, and complete the log."""
        self._over = True
        for number, (reply, _) in self._replies.items():
            reply(Refused(id=number, reason=FINISHED))
        self._replies.clear()
        if self._admission.finished is not None:
            self._log.finish()
            return self._admission.finished
        verdict = self._ending or self._limit_reached
        if verdict is None:
            assert child is not None
            verdict = ending.of_exit(child, self._limits, diagnostics, begun=self._log.last >= 0)
        self.ending = verdict
        closing: list[bytes] = []
        if self._log.last < 0:
            closing.append(self._started())
        line = ending.crash_line(diagnostics, self._program.filename) or self._admission.line
        if line is not None and not 1 <= line <= self._program.source.count("\n") + 1:
            line = None
        closing += ending.closing_events(verdict, self._log.last + 1 + len(closing), line)
        self._log.end(closing)
        return verdict.status

    def _started(self) -> bytes:
        program = self._program
        return events.encode(
            events.ProgramStarted(
                seq=0,
                line=None,
                protocol=events.PROTOCOL_VERSION,
                filename=program.filename,
                source=program.source,
                seed=program.seed,
                versions=self._launcher.versions,
            )
        )
