"""Finds the stops that breakpoints make over a run: runs the program again and streams each stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator

from backscope.protocol.commands import Breakpoint
from backscope_server.session.past.course import Unreachable
from backscope_server.session.past.repeated_stops import MOST_STOPS, Stop
from backscope_server.session.past.replay import Replay

logger = logging.getLogger(__name__)

_MOST_BARE = 5000
"""Stops at most at which nothing is evaluated: a replay may record two events for each."""
_MOST_CHARACTERS = 1000
"""Of the value of an expression."""


class StopStream:
    """Runs the program of `replay` to the event `seq`, with breakpoints, and ends it."""

    def __init__(self, replay: Replay, breakpoints: list[Breakpoint], expression: str | None, seq: int) -> None:
        self._replay = replay
        self._breakpoints = breakpoints
        self._expression = expression
        self._seq = seq
        self._found: asyncio.Queue[dict[str, object]] = asyncio.Queue()
        self._task = asyncio.create_task(self._run(), name="stops")

    async def read(self) -> AsyncGenerator[dict[str, object], None]:
        """Yield each `stop`; at the end `done` with whether stops are `left_out`, or a `refusal` with the reason.

        The run ends when the reader leaves.
        """
        try:
            while "stop" in (part := await self._found.get()):
                yield part
            yield part
        finally:
            self._task.cancel()

    async def _run(self) -> None:
        most = _MOST_BARE if self._expression is None else MOST_STOPS
        try:
            left_out = await self._replay.stops(self._breakpoints, self._seq, self._expression, self._take, most)
            self._found.put_nowait({"done": True, "left_out": left_out})
        except (Unreachable, ValueError) as error:
            self._found.put_nowait({"refusal": str(error)})
        except Exception:
            logger.exception("Running a program again to its breakpoints failed.")
            self._found.put_nowait({"refusal": "The server failed while it ran the program again; its log says why."})
        finally:
            self._replay.close()

    def _take(self, stop: Stop) -> None:
        self._found.put_nowait({"stop": [stop.seq, stop.breakpoints, stop.text[:_MOST_CHARACTERS], stop.refused]})
