"""Runs the programs of lessons in the sandbox, and reads what they held at moments of their runs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, Self, TypeAlias, TypeVar

import msgspec

from backscope.caption import Run
from backscope.protocol import commands, events as ev
from backscope_server.sandbox.limits import Limits
from backscope_server.session.past.course import Unreachable
from backscope_server.session.past.replay import Replay
from backscope_server.session.past.replays import Replays
from backscope_server.session.past.run_record import NotRunnable
from backscope_server.session.program import Program
from backscope_server.session.running import Runner
from backscope_server.session.session import Session

MOST_SECONDS = 60
"""The longest that a program of a lesson may run, however much more the settings allow."""
MOST_EVENTS = 100_000
"""The most events that a program of a lesson may record, as many as a hosted server allows."""
_SECONDS = 30.0
_ADDRESS = "lessons"
_EVENTS_AT_ONCE = 100
"""The events that are read between two calls of `yield_thread`: about a millisecond of work."""


class NotEvaluated(ValueError):
    """The error for an expression without a value at a moment; the text says why."""


Pausing: TypeAlias = Callable[[int], AbstractAsyncContextManager[Replay]]
"""A function that gives a replay of a run, paused after an event."""


_Result = TypeVar("_Result")


class Calling(Protocol):
    """A function that calls another one, perhaps in a thread, and returns its result."""

    async def __call__(self, function: Callable[..., _Result], /, *arguments: Any) -> _Result:
        """Return the result of a call."""


async def call_here(function: Callable[..., _Result], /, *arguments: Any) -> _Result:
    """Return the result of a call that is made at once, in this thread."""
    return function(*arguments)


async def evaluate(pausing: Pausing, seq: int, expression: str) -> commands.Look:
    """Return the value of an expression after the event `seq` of a run.

    Raises: NotEvaluated.
    """
    try:
        async with pausing(seq) as replay:
            answer = await replay.ask(commands.Evaluate(id=0, expression=expression))
    except (Unreachable, NotRunnable) as error:
        raise NotEvaluated(str(error)) from None
    if not isinstance(answer, commands.Evaluated):
        raise NotEvaluated(answer.reason if isinstance(answer, commands.Refused) else "It has no value.")
    return answer.look


class LessonRun:
    """A program that has run: its events, its steps, and the values of expressions at its moments.

    `yield_thread` is called about every millisecond while the events are read. `call` calls what searches the events.
    """

    def __init__(
        self,
        session: Session,
        pausing: Pausing,
        yield_thread: Callable[[], None] = lambda: None,
        call: Calling = call_here,
    ) -> None:
        self.call = call
        self.status = session.status
        self.lines = session.log.lines
        self.run = Run()
        for number, line in enumerate(session.log.lines):
            if number % _EVENTS_AT_ONCE == 0:
                yield_thread()
            self.run.take(ev.decode(line))
        self._pausing = pausing

    @property
    def source(self) -> str:
        """The program that was run."""
        return "" if self._started is None else self._started.source or ""

    @property
    def seed(self) -> int:
        """The seed of the random generators."""
        return 0 if self._started is None else self._started.seed

    @property
    def _started(self) -> ev.ProgramStarted | None:
        first = self.run.events[0] if self.run.events else None
        return first if isinstance(first, ev.ProgramStarted) else None

    @property
    def error(self) -> ev.ErrorRaised | None:
        """The error that ended the run, None where it ended well."""
        if self.status == "ok":
            return None
        return next((e for e in reversed(self.run.events) if isinstance(e, ev.ErrorRaised)), None)

    async def evaluate(self, seq: int, expression: str) -> commands.Look:
        """Return the value of an expression after the event `seq`.

        Raises: NotEvaluated.
        """
        return await evaluate(self._pausing, seq, expression)


class LessonRuns:
    """Runs programs one after the other; a replay of each is kept for a while for further questions.

    A program of a lesson has `limits`, or less where these are wider than those of any lesson. A launcher has been
    started. As a context it is closed at its end.

    The events of a run are read and searched by `call`, which lets others have the thread by `yield_thread`. With
    `nbytes`, the events of all runs together have so many bytes at most.
    """

    def __init__(
        self,
        runner: Runner,
        limits: Limits,
        *,
        call: Calling = call_here,
        yield_thread: Callable[[], None] = lambda: None,
        nbytes: int | None = None,
    ) -> None:
        self._runner = runner
        self._limits = limits = msgspec.structs.replace(
            limits,
            wall_seconds=min(limits.wall_seconds, MOST_SECONDS),
            cpu_seconds=min(limits.cpu_seconds, MOST_SECONDS),
            events=min(limits.events, MOST_EVENTS),
        )
        self._call = call
        self._yield_thread = yield_thread
        self._left = nbytes
        self._replays = Replays(runner, limits, kept=2, seconds=_SECONDS, changed=lambda: None)

    async def run(self, source: str, seed: int) -> LessonRun:
        """Run a program to its end."""
        session = Session()
        limits = self._limits
        if self._left is not None:
            limits = msgspec.structs.replace(limits, log_bytes=max(1, min(limits.log_bytes, self._left)))
        session.start(Program(source=source, seed=seed), limits, self._runner)
        try:
            await session.over()
        finally:
            session.stop()  # Where this was cancelled.
        if self._left is not None:
            self._left -= session.log.lines.text_nbytes

        def pausing(seq: int) -> AbstractAsyncContextManager[Replay]:
            return self._replays.at(session, seq, _ADDRESS, lambda: None)

        return await self._call(LessonRun, session, pausing, self._yield_thread, self._call)

    async def close(self) -> None:
        """End the replays."""
        await self._replays.close()

    async def __aenter__(self) -> Self:
        """Return itself, for a context that closes it."""
        return self

    async def __aexit__(self, *_error: object) -> None:
        """End the replays."""
        await self.close()
