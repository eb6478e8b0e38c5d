"""One session: a program, the log of its only run, and the status of that run."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Iterator

from backscope.protocol.commands import Command, Refused
from backscope_server.sandbox.limits import Limits
from backscope_server.session.ending import STOPPED, Ending, gave_place, kept_place, left_paused, unwatched, wall_time
from backscope_server.session.limit_clocks import ClockGroup, LimitClock, ProcessorClock
from backscope_server.session.lines import Lines
from backscope_server.session.log import SessionLog
from backscope_server.session.notice import Limit, LimitApproaching, Notices, Starting, Waiting
from backscope_server.session.program import Program
from backscope_server.session.running import Runner, Supervision, supervise
from backscope_server.session.shared_breakpoints import SharedBreakpoints
from backscope_server.session.supervisor import FINISHED, Reply
from backscope_server.session.timing import Timing

_KEEPING_SECONDS = 5.0
"""The time that the end of a log waits for the disk, so that it can say whether the run is kept."""


class Session:
    """A run: `status` is waiting, running, ok, error, stopped, limit or cut; `id` cannot be guessed."""

    def __init__(self, timing: Timing | None = None, *, identity: str | None = None) -> None:
        self.id = identity or secrets.token_urlsafe(12)
        self.key: str | None = None
        """The client's key for it, by which a start can be repeated after its answer was lost."""
        self.opened = False
        """True once the commands that came with the start were sent to the program."""
        self.kept_elsewhere = False
        """True if the run can be opened again once its events were freed here."""
        self.keeping: asyncio.Future[str | None] | None = None
        """Done once the run is written to the disk, with the reason if that failed; None if runs are not stored."""
        self.not_rerun: str | None = None
        """Why the program cannot be run again for values of its past, None where it can."""
        self.stored = False
        """True once the whole run is on disk."""
        self.commanded = False
        """True once the program was sent a command, so that its run is one of a kind."""
        self.holders = 1
        """The number of clients that started this program and did not remove the session."""
        self.log = SessionLog()
        self.notices = Notices()
        self.breakpoints = SharedBreakpoints()
        """Those of its pages, and of an editor that is attached to it."""
        self.status = "running"
        self._timing = timing or Timing()
        self._supervisor: Supervision | None = None
        self._task: asyncio.Task[None] | None = None
        self.watchers = 0
        """The number of clients that read its events as they arrive."""
        self._timer: asyncio.TimerHandle | None = None
        self._turn = asyncio.Event()
        self._ended = asyncio.Event()
        """Set once the run is being ended before the program has finished."""
        self._computing = ClockGroup()
        """The clocks that are stopped while the program is paused."""
        self._pause: LimitClock | None = None
        self.ended_by: Ending | None = None
        """Why the run was ended, where the program did not end by itself and it ran here."""
        self.paused_since: float | None = None
        """When the program was paused, by the clock of the event loop; None while it runs."""
        self.paused: Callable[[], None] = lambda: None
        """Called when the program is paused and when it goes on."""
        self._reclaiming: asyncio.TimerHandle | None = None
        self._clocks = ClockGroup()

    @classmethod
    def recorded(cls, lines: Lines | list[bytes], status: str, *, identity: str | None = None) -> Session:
        """Return a finished session with the events of a trace file."""
        session = cls(identity=identity)
        if isinstance(lines, Lines):
            session.log.lines = lines
        else:
            session.log.append(lines)
        session.log.finish()
        session.status = status
        return session

    @property
    def being_kept(self) -> bool:
        """Return whether the run is still being written to the disk."""
        return self.keeping is not None and not self.keeping.done()

    @property
    def ending(self) -> bool:
        """Return whether the run is being ended, or was ended, before the program finished."""
        return self._ended.is_set()

    @property
    def running(self) -> bool:
        """Return whether the last event is not in the log yet."""
        return not self.log.complete

    def start(
        self, program: Program, limits: Limits, runner: Runner, *, over: Callable[[Session], None] | None = None
    ) -> None:
        """Run the program; its events appear in `log` from now on.  `over` is called when the run is over."""
        self.wait(program, limits, runner, over=over)()

    def wait(
        self, program: Program, limits: Limits, runner: Runner, *, over: Callable[[Session], None] | None = None
    ) -> Callable[[], None]:
        """Prepare the program and return the function that starts it; stopped before, it is over without having run."""
        self.status = "waiting"
        timing = self._timing
        wall = self._clock("wall", limits.wall_seconds, wall_time(limits))
        cpu = ProcessorClock(
            limits.cpu_seconds,
            timing.notice_seconds,
            used=lambda: 0.0 if self._supervisor is None else self._supervisor.cpu_seconds(),
            approach=lambda left: self._approach("cpu", limits.cpu_seconds, left),
        )
        self._computing = running = ClockGroup(wall, cpu)
        if (seconds := timing.place_seconds) is not None:
            running = ClockGroup(running, self._clock("place", seconds, kept_place(seconds)))
        self._clocks = running
        if (seconds := timing.pause_seconds) is not None:
            self._pause = self._clock("pause", seconds, left_paused(seconds))
            self._clocks = ClockGroup(running, self._pause)
        self._supervisor = supervise(
            runner,
            program,
            limits,
            self.log,
            running,
            lambda paused: self.pause_began() if paused else self.pause_ended(),
        )
        self._task = asyncio.create_task(self._run(self._supervisor, runner), name=f"session {self.id}")
        if over is not None:
            self._task.add_done_callback(lambda _: over(self))
        self.restart_unwatched_clock()
        return self._begin

    def _begin(self) -> None:
        if self.status == "waiting":
            self.status = "running"
            self.notices.drop(Waiting)
        self._turn.set()

    def _clock(self, limit: Limit, seconds: float, ending: Ending) -> LimitClock:
        return LimitClock(
            seconds,
            self._timing.notice_seconds,
            approach=lambda left: self._approach(limit, seconds, left),
            expired=lambda: self._end_at_limit(ending),
        )

    def _approach(self, limit: Limit, seconds: float, left: float | None) -> None:
        if left is None:
            self.notices.drop(LimitApproaching, limit)
        else:
            self.notices.put(LimitApproaching(limit, seconds, left))

    def _end_at_limit(self, ending: Ending) -> None:
        if self._supervisor is not None and self.running:
            self._supervisor.end_at_limit(ending)

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Count one more watcher for as long as the context lasts."""
        self.watchers += 1
        self.restart_unwatched_clock()
        try:
            yield
        finally:
            self.watchers -= 1
            self.restart_unwatched_clock()

    def restart_unwatched_clock(self) -> None:
        """Restart the clock of runs without a watcher: one came or left, or a client sent a request."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        seconds = self._timing.unwatched_seconds
        if seconds is not None and self.watchers == 0 and self.running:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._end, unwatched(seconds))

    def pause_began(self) -> None:
        """Stop the program's clocks and start that of the pause: the program waits for a command."""
        self.paused_since = asyncio.get_running_loop().time()
        self._computing.stop()
        if self._pause is not None:
            self._pause.start()
        self.paused()

    def pause_ended(self) -> None:
        """Start the program's clocks again.  The pause's remaining time is kept: only a command resets it."""
        self.paused_since = None
        self.reclaim_place(False)
        if self._pause is not None:
            self._pause.stop()
        self._computing.start()
        self.paused()

    def reclaim_place(self, wanted: bool) -> None:
        """Have a paused program give up its place after a notice, or let it keep the place."""
        if wanted and self._reclaiming is None:
            seconds = self._timing.notice_seconds
            self._reclaiming = asyncio.get_running_loop().call_later(seconds, self._end_at_limit, gave_place())
            self.notices.put(LimitApproaching("wanted", seconds, seconds))
        elif not wanted and self._reclaiming is not None:
            self._reclaiming.cancel()
            self._reclaiming = None
            self.notices.drop(LimitApproaching, "wanted")

    def reset_pause_clock(self) -> None:
        """Reset the clock of the pause: a page sent a command."""
        if self._pause is not None:
            self._pause.reset()

    def command(self, command: Command, reply: Reply) -> None:
        """Pass a command of the debugger on to the program; `reply` gets its answer."""
        self.reset_pause_clock()
        self.commanded = True
        if self._supervisor is None:
            reply(Refused(id=command.id, reason=FINISHED))
        else:
            self._supervisor.command(command, reply)

    def stop(self, ending: Ending = STOPPED) -> None:
        """End the run, if it is not over; with status "stopped" unless another ending is given.

        A program that waits in line leaves it.
        """
        self._end(ending)

    async def unkept(self) -> str | None:
        """Return why a finished run is not on disk; None if it is, need not be, or the disk takes too long."""
        if self.keeping is None:
            return None
        try:
            return await asyncio.wait_for(asyncio.shield(self.keeping), _KEEPING_SECONDS)
        except TimeoutError:
            return None

    def _end(self, ending: Ending) -> None:
        if self._supervisor is not None and self.running:
            self._supervisor.end(ending)
            self._ended.set()
            self._turn.set()

    async def over(self) -> None:
        """Wait until the run is over."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def _run(self, supervisor: Supervision, runner: Runner) -> None:
        await self._turn.wait()
        if not runner.ready and not self._ended.is_set():
            self.notices.put(Starting())
            waiting = [asyncio.create_task(runner.settled()), asyncio.create_task(self._ended.wait())]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in waiting:
                task.cancel()
            self.notices.drop(Starting)
        self.status = await supervisor.run()
        self.ended_by = supervisor.ending
        self._supervisor = None  # Frees the program's source and the commands.
        if self._timer is not None:
            self._timer.cancel()
        self._clocks.stop()
        self.paused_since = None
        self.reclaim_place(False)
        self.notices.clear()
