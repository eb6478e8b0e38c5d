"""Runs the debugged program again, without output, to read its past, and compares its events with the first run."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from backscope.protocol import commands as c, events as ev
from backscope_server.session.past.course import Course, Point, Unreachable
from backscope_server.session.past.repeated_stops import MOST_STOPS, Stop, stops
from backscope_server.session.past.replay_comparison import ReplayComparison
from backscope_server.session.past.run_record import RunRecord
from backscope_server.terminal.history import History
from backscope_server.terminal.interrupt import interruptible
from backscope_server.terminal.process import Process
from backscope_server.terminal.screen import Screen

_SECONDS = 1.0
"""The interval of progress messages, seconds."""


class Curve(NamedTuple):
    """The values of an expression; `unusable` says why there are none, `refusal` why they stop before the end."""

    points: list[Point]
    unusable: str | None
    refusal: str | None


class Rerun:
    """Runs a program again to read its past; `begin` starts its process.

    One process is kept, paused at the moment that was read last, and goes on from there to later moments.
    """

    def __init__(self, begin: Callable[[], Process], history: History, screen: Screen) -> None:
        self._begin = begin
        self._screen = screen
        self._record = RunRecord(history)
        self._kept: _Again | None = None

    def at(self, seq: int) -> ev.Paused:
        """Bring the program to the moment after the event `seq` and return its place there.

        Raises: Unreachable.
        """
        index = self._index(seq)
        if self._kept is not None and self._kept.course.reaches(index):
            try:
                return self._kept.reach(index)
            except Unreachable:  # An evaluated expression may have changed something: start another process.
                if self._kept.interrupted:
                    raise
        self.close()
        self._kept = self._start()
        return self._kept.reach(index)

    def ask(self, seq: int, command: c.Looking) -> c.Reply:
        """Return the answer to a command at the moment of the event `seq`.

        Raises: Unreachable.
        """
        self.at(seq)
        assert self._kept is not None
        return self._kept.ask(command, operator.methodcaller("interrupt"))

    def curve(self, expression: str, seq: int) -> Curve:
        """Return the values of an expression after each moment up to the event `seq`."""
        again = self._start()
        points: list[Point] = []
        again.watched = lambda watched: points.extend(again.course.points(watched.changes))
        try:
            again.reach(0)
            answer = again.ask(c.Watch(id=0, expressions=[expression]), operator.methodcaller("kill"))
            if isinstance(answer, c.WatchSet) and answer.unusable:
                return Curve(points, answer.unusable[0].reason, None)
            again.reach(self._index(seq))
        except Unreachable as error:
            return Curve(points, None, str(error))
        finally:
            again.process.end()
        return Curve(points, None, None)

    def stops(self, breakpoints: Sequence[c.Breakpoint], seq: int, expression: str | None = None) -> list[Stop]:
        """Return where breakpoints stop the program up to the event `seq`, each with the value of an expression there.

        With an expression there are MOST_STOPS at most.

        Raises: Unreachable; ValueError for a breakpoint that cannot be set, or an expression that is none.
        """
        again = self._start()
        try:
            return again.stops(breakpoints, self._index(seq), expression)
        finally:
            again.process.end()

    def close(self) -> None:
        """End the kept process."""
        if self._kept is not None:
            self._kept.process.end()
            self._kept = None

    def _index(self, seq: int) -> int:
        return min(self._record.index(seq), self._record.last)

    def _start(self) -> _Again:
        return _Again(self._begin(), self._record, self._screen)


class _Again:
    """One process that runs the program again; `watched` gets the values of its expressions."""

    def __init__(self, process: Process, record: RunRecord, screen: Screen) -> None:
        self.process = process
        self.comparison = ReplayComparison(record)
        self.course = Course(record, self.comparison)
        self.watched: Callable[[c.Watched], None] | None = None
        self.interrupted = False
        self._screen = screen
        self._record = record
        self._progress_at = 0.0
        """When progress was last shown, in seconds of the monotonic clock."""

    def reach(self, index: int) -> ev.Paused:
        """Run on to the event at `index`.

        Raises: Unreachable; it is ended then.
        """
        self._progress_at = began = time.monotonic()
        try:
            with interruptible(self.process, self._interrupt, self._screen):
                self._stopped(0)
                for order in self.course.to(index):
                    stops = self.comparison.stops
                    self._answer(order)
                    if isinstance(order, c.Step):
                        self._stopped(stops)
        except BaseException:
            self.process.end()
            raise
        finally:
            if self._progress_at > began:
                self._screen.progress("")
        assert self.comparison.place is not None
        return self.comparison.place

    def stops(self, breakpoints: Sequence[c.Breakpoint], index: int, expression: str | None) -> list[Stop]:
        """Run on to the event at `index`, and return the stops of breakpoints up to there."""
        found: list[Stop] = []
        most = None if expression is None else MOST_STOPS
        plan = stops(self.course, self.comparison, self._record, index, breakpoints, expression, found.append, most)
        answer: c.Reply | None = None
        with interruptible(self.process, self._interrupt, self._screen):
            self._stopped(0)
            while True:
                try:
                    order = plan.send(answer)
                except StopIteration:
                    return found
                count = self.comparison.stops
                answer = self._answer(order)
                if isinstance(order, c.Step):
                    self._stopped(count)

    def ask(self, command: c.Order, stop: Callable[[Process], None]) -> c.Reply:
        """Return the answer of the paused program; Ctrl-C calls `stop`."""
        with interruptible(self.process, stop, self._screen):
            return self._answer(command)

    def _interrupt(self, process: Process) -> None:
        self.interrupted = True
        process.kill()

    def _answer(self, command: c.Order) -> c.Reply:
        number = self.process.send(command)
        while (reply := self._next()) is None or reply.id != number or isinstance(reply, c.Watched):
            pass
        return reply

    def _stopped(self, stops: int) -> None:
        """Wait until it has paused after so many stops, without having differed."""
        comparison = self.comparison
        while comparison.place is None or comparison.stops <= stops:
            if self.watched is None:  # Changes of watched expressions up to the difference arrive at the stop.
                self.course.check()
            self._next()
        self.course.check()

    def _next(self) -> c.Reply | None:
        """Process its next message; return it if it is an answer.

        Raises: Unreachable where it has ended.
        """
        line = self.process.line()
        if line is None:
            self.comparison.finish()
            if self.interrupted:
                raise Unreachable("It was interrupted.")
            self.course.check()
            raise self.course.ended()
        if not line.startswith(c.ANSWER_OPENING):
            self.comparison.append([line])
            if time.monotonic() - self._progress_at > _SECONDS:
                self._progress_at = time.monotonic()
                at, last = self.comparison.index, self._record.last
                self._screen.progress(
                    f"at event {self._record.seq(at):,} of {self._record.seq(last):,}; Ctrl-C ends it"
                )
            return None
        reply: c.Reply = c.decode_answer(line)
        if isinstance(reply, c.Watched) and self.watched is not None:
            self.watched(reply)
        return reply
