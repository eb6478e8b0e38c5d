"""Questions about runs, answered off the event loop: the tape of each run that is asked about is kept for the next one.

A tape takes about six times the memory of the log that it indexes, so few are kept, and none of a very long run.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakSet

from backscope import events
from backscope.why import NotAsked, OutOfTime, Question, Subject, Tape, ask, questions, within
from backscope.why.answer import amount
from backscope_server.errors import Problem
from backscope_server.session.log import Lines
from backscope_server.session.session import Session

logger = logging.getLogger(__name__)

_WAITING = 50
"""How many questions may wait for their answers."""
_WAITING_OF_ADDRESS = 10
"""How many of them may be of one address, which are answered one after the other."""
_BUSY_SECONDS = 5
_BATCH_EVENTS = 1000

_Result = TypeVar("_Result")


class _Kept:
    """The tape of a run, and the size of the events that it has taken."""

    __slots__ = ("nbytes", "tape")

    def __init__(self) -> None:
        self.tape = Tape()
        self.nbytes = 0

    def extend(self, lines: Lines, count: int) -> None:
        """Take the events that came since, of the first `count`."""
        while (taken := self.tape.seq + 1) < count:
            for line in lines.some(taken, min(count - taken, _BATCH_EVENTS)):
                self.tape.add(events.decode(line))
                self.nbytes += len(line)


class Tapes:
    """Keeps the tapes of about `nbytes` bytes of events, asked last; a longer run is not answered for.

    An answer that takes more than `seconds` is given up.
    """

    def __init__(self, nbytes: int, seconds: float) -> None:
        self.nbytes = nbytes
        self.seconds = seconds
        # One thread alone touches the tapes, and leaves the event loop its turns.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="why")
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._forgotten: WeakSet[Session] = WeakSet()
        self._closed = False
        self._asking: Counter[str] = Counter()
        """How many questions of each address wait for their answers."""
        self._locks: dict[str, asyncio.Lock] = {}

    async def questions(self, session: Session, seq: int | None, about: Subject, address: str = "") -> list[Question]:
        """What can be asked about a subject after event `seq` of a run, the last one so far without it.

        Raises: Problem 410, 413, 422, 429, 503.
        """
        return await self._answer(session, seq, address, lambda tape, at: questions(tape, at, about))

    async def ask(
        self, session: Session, seq: int | None, key: str, about: Subject, address: str = ""
    ) -> events.Diagnosis:
        """The answer to one of these questions; raises as `questions` does."""
        return await self._answer(session, seq, address, lambda tape, at: ask(tape, at, key, about))

    def forget(self, session: Session) -> None:
        """Let go of the tape of a run that is forgotten."""
        if not self._closed:
            self._forgotten.add(session)
            self._thread.submit(self._kept.pop, session.id, None)

    def close(self) -> None:
        """Answer nothing any more."""
        self._closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _answer(
        self, session: Session, seq: int | None, address: str, find: Callable[[Tape, int], _Result]
    ) -> _Result:
        log = session.log
        count = len(log.lines)
        at = count - 1 if seq is None else seq
        if not 0 <= at < count:
            has = f"events 0 to {count - 1:,}" if count else "no events yet"
            raise Problem(422, f"seq: the run has {has}; {at} is none of them.")
        if (told := log.lines.told) > self.nbytes:
            raise Problem(
                413,
                f"This run is too long to ask about: its events take {amount(told)}, and questions are answered "
                f"up to {amount(self.nbytes)}. Run fewer steps, or raise BACKSCOPE_WHY_BYTES.",
            )

        def work() -> _Result:
            with within(self.seconds):
                return find(self._tape(session.id, log.lines, count), at)

        try:
            async with self._turn(address):
                if self._closed:
                    raise Problem(503, "The server is stopping. Ask again when it is back.", retry_after=_BUSY_SECONDS)
                if session in self._forgotten:  # Its tape would come back, and nobody would let go of it.
                    raise Problem(410, "This run is no longer kept.")
                return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except Problem:
            raise
        except OutOfTime:
            raise Problem(
                422,
                f"The answer was given up after {self.seconds:g} s. Ask about an earlier event, run fewer steps, or "
                "raise BACKSCOPE_WHY_SECONDS.",
            ) from None
        except NotAsked as error:
            raise Problem(422, str(error)) from None
        except Exception:
            # A program that forges events can make them contradict each other.
            logger.warning("A question about a run could not be answered.", exc_info=True)
            raise Problem(422, "The record of this run contradicts itself here, so there is no answer.") from None

    @contextlib.asynccontextmanager
    async def _turn(self, address: str) -> AsyncIterator[None]:
        """Wait until no other question of an address is being answered.

        Raises: Problem 429, 503.
        """
        if self._asking.total() >= _WAITING:
            raise Problem(
                503, "Too many questions wait for their answers. Ask again in a moment.", retry_after=_BUSY_SECONDS
            )
        if self._asking[address] >= _WAITING_OF_ADDRESS:
            raise Problem(
                429,
                f"{_WAITING_OF_ADDRESS} questions of your network address wait for their answers. Ask again in a "
                "moment.",
                retry_after=_BUSY_SECONDS,
            )
        self._asking[address] += 1
        try:
            async with self._locks.setdefault(address, asyncio.Lock()):
                yield
        finally:
            self._asking[address] -= 1
            if not self._asking[address]:
                del self._asking[address], self._locks[address]

    def _tape(self, identity: str, lines: Lines, count: int) -> Tape:
        kept = self._kept.setdefault(identity, _Kept())
        self._kept.move_to_end(identity)
        try:
            kept.extend(lines, count)
        finally:  # What it took when the time was up is there for the next question.
            total = sum(other.nbytes for other in self._kept.values())
            while total > self.nbytes and len(self._kept) > 1:
                total -= self._kept.popitem(last=False)[1].nbytes
        return kept.tape
