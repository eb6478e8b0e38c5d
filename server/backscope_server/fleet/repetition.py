"""Brings a program that is run again to where its log ends, with the commands that it had taken.

Its events are compared with the log until there, and those that follow have the log's numbers.  Commands that it took
while it was paused are given to it in the same pauses.  It took others while it ran, at no place that can be repeated
by itself: there it is stopped on purpose, and these stops of its own are left out.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from msgspec import structs

from backscope.protocol import events
from backscope.protocol.commands import Answer, Order, Pause, Refused, Resume, SetBreakpoints, Step
from backscope_server.session.past.replay_comparison import Difference, alike
from backscope_server.session.past.run_record import PAUSED, STOPS

_LINES = 2_000
"""Lines that are stepped over to find the one where it was paused by hand."""

Took: TypeAlias = tuple[Order, int, bool]
"""A command that the program had taken: after which event, -1 before it began, and whether it was paused there."""
Send: TypeAlias = Callable[[Order], Awaitable[Answer]]


class NotRepeated(RuntimeError):
    """The error for a program that did something else when it was run again; the text says where."""


class _Waypoint:
    """A place that the program has to be stopped at: at the log's `paused` event, or after an event, on purpose."""

    def __init__(self, seq: int, resumed: bool, *, on_purpose: bool) -> None:
        self.seq = seq
        self.resumed = resumed
        self.on_purpose = on_purpose
        self.is_in_log = not on_purpose
        self.commands: list[Order] = []
        self.go_on: Order | None = None


class Repetition:
    """`lines` are those of the log so far, `took` the commands; without lines the program is a new one.

    `feed` takes all events of the program and returns those to be written.
    """

    def __init__(self, lines: Sequence[bytes], took: Sequence[Took]) -> None:
        self.paused = False
        """True while the program is stopped, on purpose or not."""
        self.goings = 0
        """How often the program has gone on after it was stopped."""
        self.live = not lines
        """True once its events are written."""
        self.offset = 0
        """What has to be added to a seq of the log for that of the program."""
        self.failure: str | None = None
        """What was different, if something was."""
        self._lines = lines
        self._stops = [seq for seq, line in enumerate(lines) if line.startswith(STOPS)]
        self._at = 0
        self._seq = -1
        self._index = -1
        self._count = 0
        self._place: events.Paused | None = None
        self._last_stretch = False
        """True once the program runs on to the end of the log, where no stop is."""
        self._early = -2
        """The index at which breakpoints were set on purpose, some lines that record nothing earlier than before."""
        self._resumes = False
        """True if the log has the event of its going on already."""
        self._changed = asyncio.Event()
        self._skip()
        self._opening = [command for command, after, _ in took if after < 0]
        self._waypoints = [] if self.live else self._plan(took)

    @property
    def opening(self) -> list[Order]:
        """The commands that the program gets before it begins, of those that it had taken."""
        if self._waypoints and self._waypoints[0].on_purpose:
            return [*(one for one in self._opening if not isinstance(one, Pause)), Pause(id=0)]
        return self._opening

    def begin(self) -> None:
        """Prepare for the first event; called before the program begins."""
        if not self.live and not self._waypoints:
            self._last_stretch = True

    def feed(self, lines: list[bytes]) -> list[bytes]:
        """Take the next events of the program, and return those that follow the log, with its numbers."""
        if self.live and not self.offset:
            for line in lines:
                if line.startswith(STOPS):
                    self._stop(line)
            self._seq += len(lines)
            self._wake()
            return lines
        written: list[bytes] = []
        for line in lines:
            self._seq += 1
            stops = line.startswith(STOPS)
            if stops:
                self._stop(line)
            if self.live:
                written.append(line.replace(b'"seq":%d' % self._seq, b'"seq":%d' % (self._seq - self.offset), 1))
            elif self.failure is None:
                if not stops:
                    self._compare(line)
                elif not (self._last_stretch and self._stop_at_end(line, written)):
                    self._stopped(line)
                self._end_of_stretch()
        self._wake()
        return written

    def finished(self) -> None:
        """Note that the program has ended."""
        if not self.live and self.failure is None:
            seq = min(self._at, len(self._lines) - 1)
            self.failure = f"The program ended before event {seq} when it was run again."
        self._wake()

    def outward(self, command: Order) -> Order:
        """Return a command that names an event of the log as the program has to get it."""
        if isinstance(command, Step) and command.seq is not None:
            return structs.replace(command, seq=max(0, command.seq + self.offset))
        return command

    async def went_on(self, goings: int) -> None:
        """Wait until the program has gone on more than so many times."""
        while self.goings <= goings and self.failure is None:
            await self._move()

    async def run(self, send: Send) -> None:
        """Bring the program to the end of the log.

        Raises: NotRepeated.
        """
        before: Order | None = None
        for number, point in enumerate(self._waypoints):
            forced = self._is_forced(number)
            if forced:
                await self._stop_at(point, send)
            else:
                await self._stops_at(point, send)
            for command in point.commands:
                await send(self._within(command, point))
            if not point.is_in_log:
                self._early = self._index
            go_on = point.go_on or (before if point.on_purpose else None) or Resume(id=0)
            before = go_on
            if number + 1 < len(self._waypoints):
                if self._is_forced(number + 1):
                    continue
            elif point.is_in_log and not point.resumed:
                self._go_live()
                if point.go_on is not None:  # It had taken that command, and not gone on yet.
                    await send(self.outward(point.go_on))
                return
            else:
                self._resumes = True
                self._last_stretch = True
            goings = self.goings
            await send(self._within(go_on, point))
            await self.went_on(goings)
        self._end_of_stretch()
        while not self.live:
            self._check()
            if self.paused and self._is_early():
                await self._pass(send)
            else:
                await self._move()

    def _plan(self, took: Sequence[Took]) -> list[_Waypoint]:
        """Return the places at which the program has to be stopped, in their order."""
        lines = self._lines
        points = []
        for seq in self._stops:
            if lines[seq].startswith(PAUSED):
                points.append(_Waypoint(seq, False, on_purpose=False))
            elif points:
                points[-1].resumed = True
        pauses = [point.seq for point in points]
        silent = []
        for command, after, paused in took:
            if after < 0:
                continue
            if paused and (number := bisect_right(pauses, after) - 1) >= 0:
                point = points[number]
                if isinstance(command, (Resume, Step)):
                    point.go_on = command
                else:
                    point.commands.append(command)
            elif isinstance(command, SetBreakpoints):
                made = _Waypoint(after, True, on_purpose=True)
                made.commands.append(command)
                silent.append(made)
        for point in points:
            if b'"reason":"pause"' in lines[point.seq]:
                point.on_purpose = True
        if points and points[0].on_purpose and any(isinstance(one, Pause) for one in self._opening):
            points[0].on_purpose = False
        return sorted([*points, *silent], key=lambda point: (point.seq, point.is_in_log))

    def _is_forced(self, number: int) -> bool:
        return self._waypoints[number].on_purpose

    async def _stop_at(self, point: _Waypoint, send: Send) -> None:
        """Bring the paused program on to a place where it does not stop by itself."""
        await self._until_paused(0)
        target = self._index_of(point.seq - 1 if point.is_in_log else point.seq)
        if self._index < target:
            count = self._count
            await send(Step(id=0, to="seq", seq=target + (self._seq - self._index) + 1))
            await self._until_paused(count)
        if point.is_in_log:
            await self._find(point, send)

    async def _find(self, point: _Waypoint, send: Send) -> None:
        wanted = events.decode(self._lines[point.seq])
        assert isinstance(wanted, events.Paused)
        index = self._index
        for _ in range(_LINES):
            place = self._place
            if self._index != index or place is None:
                break
            if wanted.where not in ("line", "before node") or _stop_place(place) == _stop_place(wanted):
                return
            count = self._count
            await send(Step(id=0, to="into" if wanted.where == "line" else "node"))
            await self._until_paused(count)
        self._fail(
            f"The program could not be stopped again where it was paused, at event {point.seq}, line {wanted.line}."
        )
        self._check()

    async def _stops_at(self, point: _Waypoint, send: Send) -> None:
        """Wait until the program has stopped by itself where it did before."""
        while not self.paused or (self._is_early() and self._index != self._index_of(point.seq)):
            self._check()
            if self.paused:
                await self._pass(send)
            else:
                await self._move()
        self._check()
        if self._index != self._index_of(point.seq):
            self._fail(f"The program stopped elsewhere when it was run again: not at event {point.seq}.")
        wanted = events.decode(self._lines[point.seq])
        if self._place is not None and isinstance(wanted, events.Paused) and not _same_stop(self._place, wanted):
            self._fail(
                f"The program stopped at line {self._place.line} when it was run again, where it had stopped at line "
                f"{wanted.line}, at event {point.seq}."
            )
        self._check()

    def _is_early(self) -> bool:
        return self._index == self._early

    async def _pass(self, send: Send) -> None:
        """Go on from a stop at a breakpoint that was not set there yet when the program ran before."""
        goings = self.goings
        await send(Resume(id=0))
        await self.went_on(goings)

    async def _until_paused(self, count: int) -> None:
        while not self.paused or self._count <= count:
            self._check()
            await self._move()
        self._check()

    def _within(self, command: Order, point: _Waypoint) -> Order:
        if isinstance(command, Step) and command.seq is not None:
            return structs.replace(command, seq=max(0, command.seq + self._seq - point.seq))
        return command

    def _index_of(self, seq: int) -> int:
        """Return the index, among all events that are no stops, of the last one up to `seq`."""
        return seq - bisect_right(self._stops, seq)

    def _compare(self, line: bytes) -> None:
        self._index += 1
        if self._at >= len(self._lines):
            self._fail(f"The program went on when it was run again, beyond its pause at event {len(self._lines) - 1}.")
            return
        was = self._lines[self._at]
        now = line if self._seq == self._at else line.replace(b'"seq":%d' % self._seq, b'"seq":%d' % self._at, 1)
        if now != was and not (self._at == 0 or alike(now, was)):
            self._fail(str(Difference(self._index, self._at, was, now, "")))
            return
        self._at += 1
        self._skip()

    def _stop(self, line: bytes) -> None:
        self.paused = line.startswith(PAUSED)
        self.goings += not self.paused

    def _stopped(self, line: bytes) -> None:
        if not self.paused:
            self._place = None
            return
        self._count += 1
        event = events.decode(line)
        self._place = event if isinstance(event, events.Paused) else None

    def _stop_at_end(self, line: bytes, written: list[bytes]) -> bool:
        """Take a stop while the program runs on to the end of the log; return False where it is its going on."""
        if not self.paused:
            self._resumes = False
            return False
        if self._at < len(self._lines) and not self._is_early():
            self._fail(f"The program stopped when it was run again, before event {self._at}.")
        return True

    def _end_of_stretch(self) -> None:
        if self._last_stretch and not self._resumes and self._at >= len(self._lines) and self.failure is None:
            self._go_live()

    def _go_live(self) -> None:
        if not self.live:
            self.live = True
            self.offset = self._seq - (len(self._lines) - 1)
            self._lines = ()
        self._wake()

    def _skip(self) -> None:
        while self._at < len(self._lines) and self._lines[self._at].startswith(STOPS):
            self._at += 1

    def _fail(self, text: str) -> None:
        if self.failure is None:
            self.failure = text
        self._wake()

    def _check(self) -> None:
        if self.failure is not None:
            raise NotRepeated(self.failure)

    async def _move(self) -> None:
        await self._changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _stop_place(place: events.Paused) -> object:
    return place.where, place.line, place.node, place.stack


def _same_stop(one: events.Paused, other: events.Paused) -> bool:
    return structs.replace(one, seq=0) == structs.replace(other, seq=0)


def was_refused(answer: Answer) -> bool:
    """Return whether a command was not carried out."""
    return isinstance(answer, Refused)
