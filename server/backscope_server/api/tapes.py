"""Answers questions about runs, in threads, from an index of their events, a tape, that is kept for the next question.

A tape takes about six times the memory of the log that it indexes, so few are kept, and none of a very long run.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar
from weakref import WeakSet

from backscope.diagnosis.why import NotAsked, OutOfTime, Question, Subject, Tape, ask, questions, within
from backscope.diagnosis.why.answer import amount
from backscope.protocol import events
from backscope.protocol.file_lines import written_diagnosis
from backscope_server.access.work import Work
from backscope_server.errors import Problem
from backscope_server.session.lines import Lines, NotKept
from backscope_server.session.session import Session

logger = logging.getLogger(__name__)

_BATCH_EVENTS = 1000
_EVENTS_AT_ONCE = 100
"""The events that are indexed between two calls of `yield_thread`: about a millisecond of work."""

_Result = TypeVar("_Result")


class _Kept:
    """The tape of a run, and the size of its events."""

    __slots__ = ("asking", "nbytes", "tape")

    def __init__(self) -> None:
        self.asking = threading.Lock()
        """Held while a question is answered from it."""
        self.tape = Tape()
        self.nbytes = 0

    def extend(self, lines: Lines, count: int, yield_thread: Callable[[], None]) -> None:
        """Index the events up to the first `count`; `yield_thread` is called between some of them."""
        while (taken := self.tape.seq + 1) < count:
            for number, line in enumerate(lines.some(taken, min(count - taken, _BATCH_EVENTS))):
                if number % _EVENTS_AT_ONCE == 0:
                    yield_thread()
                self.tape.add(events.decode(line))


class Tapes:
    """Keeps the tapes that were used last, of about `nbytes` bytes of events; a longer run gets no answers.

    An answer that takes more than `seconds` is cancelled.  The threads of `work` compute answers.
    """

    def __init__(self, nbytes: int, seconds: float, work: Work) -> None:
        self.nbytes = nbytes
        self.seconds = seconds
        self._work = work
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._forgotten: WeakSet[Session] = WeakSet()
        self._keeping = threading.Lock()

    async def questions(self, session: Session, seq: int | None, about: Subject, address: str = "") -> list[Question]:
        """Return the questions about a subject after event `seq` of a run, by default the last one so far.

        Raises: Problem 410, 413, 422, 429, 503.
        """
        return await self._answer(session, seq, address, lambda tape, at: questions(tape, at, about))

    async def ask(
        self, session: Session, seq: int | None, key: str, about: Subject, address: str = ""
    ) -> events.Diagnosis:
        """Answer one of these questions; raises as `questions` does."""
        return await self._answer(session, seq, address, lambda tape, at: written_diagnosis(ask(tape, at, key, about)))

    def forget(self, session: Session) -> None:
        """Drop the tape of a run."""
        with self._keeping:
            self._forgotten.add(session)
            self._kept.pop(session.id, None)

    async def _answer(
        self, session: Session, seq: int | None, address: str, find: Callable[[Tape, int], _Result]
    ) -> _Result:
        log = session.log
        count = len(log.lines)
        at = count - 1 if seq is None else seq
        if not 0 <= at < count:
            has = f"events 0 to {count - 1:,}" if count else "no events yet"
            raise Problem(422, f"seq: the run has {has}; {at} is none of them.")
        if (nbytes := log.lines.text_nbytes) > self.nbytes:
            raise Problem(
                413,
                f"This run is too long to ask about: its events take {amount(nbytes)}, and questions are answered "
                f"up to {amount(self.nbytes)}. Run fewer steps, or raise BACKSCOPE_WHY_BYTES.",
            )

        def work() -> _Result:
            kept = self._of(session, nbytes)
            with kept.asking, within(self.seconds):
                kept.extend(log.lines, count, self._work.yield_thread)
                return find(kept.tape, at)

        try:
            return await self._work.do(address, work)
        except Problem:
            raise
        except NotKept as error:
            raise Problem(410, str(error)) from None
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

    def _of(self, session: Session, nbytes: int) -> _Kept:
        """Return the tape of a run with so many bytes of events; drop others to make room for it.

        Raises: NotKept.
        """
        with self._keeping:
            if session in self._forgotten:  # Its tape would be kept for ever.
                raise NotKept
            kept = self._kept.setdefault(session.id, _Kept())
            kept.nbytes = nbytes
            self._kept.move_to_end(session.id)
            total = sum(other.nbytes for other in self._kept.values())
            while total > self.nbytes and len(self._kept) > 1:
                total -= self._kept.popitem(last=False)[1].nbytes
            return kept
