"""Runs a program again to an event of its run and pauses it there, to read its values."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from backscope.protocol.commands import (
    Answer,
    Breakpoint,
    Order,
    Pause,
    Refused,
    Step,
    TraceGradient,
    Watch,
    WatchChange,
    WatchSet,
)
from backscope_server.sandbox.limits import Limits
from backscope_server.session.ending import STOPPED, Ending, wall_time
from backscope_server.session.limit_clocks import LimitClock
from backscope_server.session.past.course import Course, Point, Unreachable
from backscope_server.session.past.repeated_stops import Stop, stops
from backscope_server.session.past.replay_comparison import ReplayComparison
from backscope_server.session.past.run_record import RunRecord
from backscope_server.session.running import Runner, supervise

_OWN_EVENTS = 20_000
"""Events that a replay may have beside those of its run: two for each stop."""
_OWN_BYTES = 16 << 20


class _Awaited(ReplayComparison):
    """A comparison with a method to wait for further events."""

    def __init__(self, record: RunRecord) -> None:
        super().__init__(record)
        self._changed = asyncio.Event()

    def append(self, lines: list[bytes]) -> None:
        super().append(lines)
        self._changed.set()

    def finish(self) -> None:
        super().finish()
        self._changed.set()

    async def moved(self) -> None:
        """Wait until another event has arrived."""
        self._changed.clear()
        await self._changed.wait()


class Replay:
    """One process that runs the program of `record` again.

    It goes forward only: `reaches` says whether an event is still ahead, or the one where it is paused.
    """

    def __init__(self, record: RunRecord, limits: Limits, runner: Runner, over: Callable[[Replay], None]) -> None:
        self.comparison = _Awaited(record)
        self._course = Course(record, self.comparison)
        self._record = record
        self._over = over
        more = msgspec.structs.replace(
            limits, events=limits.events + _OWN_EVENTS, log_bytes=limits.log_bytes + _OWN_BYTES
        )
        self._clock = LimitClock(
            limits.wall_seconds,
            0,
            approach=lambda _left: None,
            expired=lambda: self._supervisor.end_at_limit(wall_time(limits)),
        )
        self._supervisor = supervise(runner, record.program(), more, self.comparison)
        self._watches = False
        self._rehearsed = False
        """True once it ran a pass for TraceGradient: hooks ran that its run did not call, so it must not go on."""
        self._task: asyncio.Task[None] | None = None

    @property
    def ended(self) -> bool:
        """Return whether the process accepts no more commands."""
        return self.comparison.over

    @property
    def seq(self) -> int:
        """Return the seq, in the original run, of the event that it has reached; -1 before the first."""
        return self._record.seq(self.comparison.index) if self.comparison.index >= 0 else -1

    def reaches(self, index: int) -> bool:
        """Return whether the moment at `index` is still ahead; False if the program has differed from its run."""
        if self._rehearsed:
            return not self.ended and self.comparison.index == index
        return self._course.reaches(index)

    async def reach(self, index: int) -> None:
        """Bring the program to the moment after the event at `index`, repeating the changes by hand up to there.

        Raises: Unreachable; it is ended then.
        """
        try:
            if self._task is None:
                await self._begin()
            for order in self._course.to(index):
                if isinstance(order, Step):
                    await self._step(order)
                else:
                    await self.ask(order)
        except BaseException:
            self.close()
            raise

    async def watch(
        self,
        expressions: list[str],
        seq: int,
        report: Callable[[list[Point]], None],
        unusable: Callable[[list[tuple[int, str]]], None],
    ) -> None:
        """Run from the first line to the event `seq`; `report` is called with the changes of the expressions.

        `unusable` is called with those that cannot be evaluated, and the reason.

        Raises: Unreachable where it ends before or differs: changes up to there are reported.
        """
        self._watches = True
        await self._begin()
        answer = await self._send(
            Watch(id=0, expressions=expressions), lambda changes: report(self._course.points(changes))
        )
        if isinstance(answer, WatchSet):
            unusable([(one.watch, one.reason) for one in answer.unusable])
            if len(answer.unusable) == len(expressions):
                return
        await self.reach(min(self._record.index(seq), self._record.last))

    async def stops(
        self,
        breakpoints: Sequence[Breakpoint],
        seq: int,
        expression: str | None,
        report: Callable[[Stop], None],
        most: int,
    ) -> bool:
        """Run from the first line to the event `seq`; `report` is called with the stops of breakpoints, `most` of them.

        Each has the value of the expression there.  Returns whether stops are left out.

        Raises: Unreachable; ValueError for a breakpoint that cannot be set, or an expression that is none.
        """
        await self._begin()
        index = min(self._record.index(seq), self._record.last)
        plan = stops(self._course, self.comparison, self._record, index, breakpoints, expression, report, most)
        answer: Answer | None = None
        while True:
            try:
                order = plan.send(answer)
            except StopIteration as end:
                return bool(end.value)
            answer = None
            if isinstance(order, Step):
                await self._step(order)
            else:
                answer = await self.ask(order)

    async def ask(self, command: Order) -> Answer:
        """Return the answer of the paused program to a command.

        Raises: Unreachable where it was ended meanwhile.
        """
        self._rehearsed |= isinstance(command, TraceGradient)
        self._clock.start()
        try:
            answer = await self._send(command)
        finally:
            self._clock.stop()
        if isinstance(answer, Refused) and self.comparison.over:
            raise self._course.ended()
        return answer

    def stop_reading(self) -> None:
        """Stop reading its events: it waits as soon as its pipe is full."""
        self._supervisor.stop_reading()

    def resume_reading(self) -> None:
        """Read its events again."""
        self._supervisor.resume_reading()

    def close(self, ending: Ending = STOPPED) -> None:
        """End the process."""
        self._supervisor.end(ending)
        self.comparison.finish()

    async def gone(self) -> None:
        """Wait until its process has ended."""
        if self._task is not None:
            await asyncio.shield(self._task)

    def _send(
        self, command: Order, watched: Callable[[list[WatchChange]], None] | None = None
    ) -> asyncio.Future[Answer]:
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def reply(answer: Answer) -> None:
            if not answered.done():
                answered.set_result(answer)

        self._supervisor.command(command, reply, watched)
        return answered

    async def _begin(self) -> None:
        answered = self._send(Pause(id=0))  # In the pipe before the program is: it stops at its first line.
        self._task = asyncio.create_task(self._run(), name="replay")
        await answered
        await self._stopped(0)

    async def _run(self) -> None:
        try:
            await self._supervisor.run()
        finally:
            self._clock.stop()
            self.comparison.finish()
            self._over(self)

    async def _step(self, step: Step) -> None:
        stops = self.comparison.stops
        self._clock.start()
        try:
            answer = await self._send(step)
            if isinstance(answer, Refused) and not self.comparison.over:
                raise Unreachable(f"The program could not be run on: {answer.reason}")
            await self._stopped(stops)
        finally:
            self._clock.stop()

    async def _stopped(self, stops: int) -> None:
        """Wait until it has paused after `stops` stops, without having differed before its goal."""
        comparison = self.comparison
        while comparison.place is None or comparison.stops <= stops:
            if not self._watches:  # Changes of watched expressions up to the difference arrive at the stop.
                self._course.check()
            if comparison.over:
                raise self._course.ended()
            await comparison.moved()
        self._course.check()
