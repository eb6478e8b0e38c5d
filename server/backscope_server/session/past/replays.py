"""Keeps the replays of a server: each answers a question about the past, then waits a while for the next one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from weakref import WeakSet

from backscope_server.sandbox.limits import Limits
from backscope_server.session.past.replay import Replay
from backscope_server.session.past.run_record import NotRunnable, RunRecord
from backscope_server.session.running import Elsewhere, Runner
from backscope_server.session.session import Session

_MOST_PASTS = 32
"""The most sessions without a replay whose records are kept."""


class _Past:
    """The past of one session: its record and its waiting replays; used for one question at a time."""

    def __init__(self, session: Session, source_bytes: int | None) -> None:
        self.record = RunRecord(session.log, source_bytes)
        self.asking = asyncio.Lock()
        self.idle: list[Replay] = []


class Replays:
    """Runs programs again; keeps at most `kept` of them, paused, each for `seconds`, for a later question.

    A program may have `source_bytes`.  `changed` is called when one is over or idle, and its place
    can be used.
    """

    def __init__(
        self,
        runner: Runner,
        limits: Limits,
        *,
        kept: int,
        seconds: float,
        changed: Callable[[], None],
        source_bytes: int | None = None,
    ) -> None:
        self.runner = runner
        self.limits = limits
        self.kept = kept
        self.seconds = seconds
        self._changed = changed
        self._source_bytes = source_bytes
        self._pasts: dict[Session, _Past] = {}
        self._forgotten: WeakSet[Session] = WeakSet()
        self._places: dict[Replay, tuple[Session, str]] = {}
        """The replays with a place for their program, and the address that requested each."""
        self._timers: dict[Replay, asyncio.TimerHandle] = {}
        """The idle replays with their timers, the one that has been idle longest first."""
        self._closed = False

    def __len__(self) -> int:
        """Return how many replays have a place."""
        return len(self._places)

    def addresses(self, *, waiting: bool = False) -> list[str]:
        """Return the address that requested each replay, with or without those that are idle."""
        return [address for replay, (_, address) in self._places.items() if waiting or replay not in self._timers]

    def busy(self, session: Session) -> bool:
        """Return whether the program of a session is being run again."""
        return any(other is session for other, _ in self._places.values())

    def end_idle(self, address: str | None = None) -> bool:
        """End the replay that has been idle longest, of an address if one is given; return False if there is none."""
        for replay in self._timers:
            if address is None or self._places[replay][1] == address:
                self._close(replay)
                return True
        return False

    @contextlib.asynccontextmanager
    async def at(self, session: Session, seq: int, address: str, admit: Callable[[], None]) -> AsyncIterator[Replay]:
        """Yield a replay of a session, paused after its event `seq`, for the caller alone.

        `admit` is called before a process is started, and may raise.

        Raises: Unreachable, NotRunnable.
        """
        past = self._past(session)
        async with past.asking:
            record = past.record
            index = min(record.index(seq), record.last)
            replay = max(
                (replay for replay in past.idle if replay.reaches(index)),
                key=lambda replay: replay.comparison.index,
                default=None,
            )
            if replay is None:
                replay = self.separate(session, address, admit)
            else:
                self._wake(past, replay)
            try:
                await replay.reach(index)
                yield replay
            except BaseException:
                replay.close()
                raise
            finally:
                self._keep_idle(past, replay)

    def separate(self, session: Session, address: str, admit: Callable[[], None]) -> Replay:
        """Return a new replay for one use, which the caller closes.

        Raises: what `admit` does; NotRunnable.
        """
        past = self._past(session)
        past.record.program()
        admit()
        return self._start(past, session, address)

    def record(self, session: Session) -> RunRecord:
        """Return the record of a session.

        Raises: NotRunnable.
        """
        return self._past(session).record

    def forget(self, session: Session) -> None:
        """End the replays of a session that is removed."""
        self._pasts.pop(session, None)
        self._forgotten.add(session)
        for replay, (other, _) in list(self._places.items()):
            if other is session:
                self._close(replay)

    async def close(self) -> None:
        """End all replays."""
        self._closed = True
        replays = list(self._places)
        for replay in replays:
            self._close(replay)
        await asyncio.gather(*(replay.gone() for replay in replays))

    def _past(self, session: Session) -> _Past:
        if session in self._forgotten:
            raise NotRunnable("This run is no longer kept.")
        if session not in self._pasts:
            running = {other for other, _ in self._places.values()}
            unused = [other for other, past in self._pasts.items() if other not in running and not past.asking.locked()]
            for other in unused[: len(self._pasts) - _MOST_PASTS + 1]:
                del self._pasts[other]
            self._pasts[session] = _Past(session, self._source_bytes)
        return self._pasts[session]

    def _start(self, past: _Past, session: Session, address: str) -> Replay:
        runner = self.runner.of(address) if isinstance(self.runner, Elsewhere) else self.runner
        replay = Replay(past.record, self.limits, runner, self._over)
        self._places[replay] = (session, address)
        return replay

    def _wake(self, past: _Past, replay: Replay) -> None:
        past.idle.remove(replay)
        self._timers.pop(replay).cancel()

    def _keep_idle(self, past: _Past, replay: Replay) -> None:
        """Keep a replay for the next question, if one is possible."""
        session = self._places[replay][0] if replay in self._places else None
        if session is None or self._closed or replay.ended or self._pasts.get(session) is not past:
            replay.close()
            return
        past.idle.append(replay)
        self._timers[replay] = asyncio.get_running_loop().call_later(self.seconds, self._close, replay)
        while len(self._timers) > self.kept:
            self.end_idle()
        self._changed()

    def _close(self, replay: Replay) -> None:
        self._free(replay)
        replay.close()

    def _over(self, replay: Replay) -> None:
        """Release the place of a replay whose process has ended."""
        self._free(replay)
        self._changed()

    def _free(self, replay: Replay) -> None:
        if (timer := self._timers.pop(replay, None)) is not None:
            timer.cancel()
        place = self._places.pop(replay, None)
        if place is not None and (past := self._pasts.get(place[0])) is not None and replay in past.idle:
            past.idle.remove(replay)
