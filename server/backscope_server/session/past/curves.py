"""Evaluates expressions over a whole run: runs the program again and streams each change of their values."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator

from backscope_server.session.past.course import Point, Unreachable
from backscope_server.session.past.replay import Replay

logger = logging.getLogger(__name__)

MOST_POINTS = 400_000
"""Changes of all expressions together."""
_EVERY_SECONDS = 0.15
_UNREAD_POINTS = 5000
"""The number of points that may wait for a reader before the program is held."""


class Curves:
    """Runs the program of `replay` to the event `last`, evaluates `expressions` after each moment, and ends it."""

    def __init__(self, replay: Replay, expressions: list[str], last: int) -> None:
        self._replay = replay
        self._expressions = expressions
        self._last = last
        self._points: list[Point] = []
        self._unusable: list[tuple[int, str]] = []
        self._count = 0
        self._full = asyncio.Event()
        """Set when many points wait for the reader, and after the last point."""
        # A task of its own, so that it ends even without a reader.
        self._task = asyncio.create_task(self._run(), name="curves")
        self._task.add_done_callback(lambda _task: self._full.set())

    async def read(self) -> AsyncGenerator[dict[str, object], None]:
        """Yield the new `points` up to the event `seq` of `last`; at the end `done`, or a `refusal` with the reason.

        Expressions that cannot be evaluated come first, as `unusable`.  The run ends when the reader leaves.
        """
        try:
            while True:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._full.wait(), _EVERY_SECONDS)
                done = self._task.done()
                points, self._points = self._points, []
                self._full.clear()
                self._replay.resume_reading()
                if self._unusable:
                    unusable, self._unusable = self._unusable, []
                    yield {"unusable": unusable}
                refusal = self._task.result() if done else None
                seq = self._last if done and refusal is None else self._replay.seq
                yield {"points": points, "seq": seq, "last": self._last}
                if done:
                    yield {"done": True} if refusal is None else {"refusal": refusal}
                    return
        finally:
            self._task.cancel()

    async def _run(self) -> str | None:
        try:
            await self._replay.watch(self._expressions, self._last, self._take, self._unusable.extend)
        except Unreachable as error:
            if self._count > MOST_POINTS:
                return f"These expressions change more than {MOST_POINTS:,} times. Watch fewer of them."
            return str(error)
        except Exception:
            logger.exception("Watching expressions failed.")
            return "The server failed while it watched these expressions; its log says why. Try again, or report it."
        finally:
            self._replay.close()
        return None

    def _take(self, points: list[Point]) -> None:
        self._points += points
        self._count += len(points)
        if len(self._points) >= _UNREAD_POINTS:
            self._replay.stop_reading()
            self._full.set()
        if self._count > MOST_POINTS:
            self._replay.close()
