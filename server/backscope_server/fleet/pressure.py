"""How full and how slow Redis is: new runs are refused before running ones are harmed."""

from __future__ import annotations

import asyncio
import logging

from backscope.diagnosis.why.answer import amount
from backscope_server.fleet.connection import LOST, Connection, RedisError
from backscope_server.fleet.tasks import end
from backscope_server.session.sessions import PoolFull

logger = logging.getLogger(__name__)

_EVERY_SECONDS = 1.0
_SLOW_SECONDS = 1.5
"""The time for an answer from which on Redis is slow."""
_SLOW_ANSWERS = 2
"""The slow answers, one after the other, from which on it takes no further runs."""
FULL = 0.8
"""The part of its memory from which on Redis takes no new run; from `MAKES_ROOM` on the oldest finished ones go."""
MAKES_ROOM = 0.7
_SAFE_POLICY = "noeviction"


class Pressure:
    """Looks at Redis once a second; `refusal` says why no run may start, None where one may."""

    def __init__(self, connection: Connection) -> None:
        self.refusal: str | None = None
        self.answers = True
        """False once Redis has not answered, or has been slow, a few times one after the other."""
        self.nbytes = 0
        """The memory that is used."""
        self.used = 0.0
        """The part of the memory that is used, of what Redis or the setting allows."""
        self._connection = connection
        self._warned = False
        self._slow = 0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look."""
        self._task = asyncio.create_task(self._run(), name="pressure")

    async def close(self) -> None:
        """Look no more."""
        if self._task is not None:
            await end([self._task])

    def admit(self) -> None:
        """Return if a run may start.

        Raises: PoolFull.
        """
        if self.refusal is not None:
            raise PoolFull(f"{self.refusal} Try again in a minute.")

    async def _run(self) -> None:
        while True:
            try:
                async with asyncio.timeout(_SLOW_SECONDS):
                    await self.look()
                self._slow, self.answers = 0, True
            except (*LOST, RedisError, TimeoutError):
                self._slow += 1
                if self._slow >= _SLOW_ANSWERS:
                    self.answers = False
                    self.refusal = "The server's store is slow or does not answer, so no program can be started."
            await asyncio.sleep(_EVERY_SECONDS)

    async def look(self) -> None:
        """Look once."""
        memory = await self._connection.redis.info("memory")
        self.nbytes = used = int(memory["used_memory"])
        bounds = [most for most in (int(memory.get("maxmemory", 0)), self._connection.settings.fleet_bytes) if most]
        self.used = used / min(bounds) if bounds else 0.0
        if self.used >= FULL:
            self.refusal = f"The server's store is full: {amount(used)} of {amount(min(bounds))} are used."
        else:
            self.refusal = None
        policy = memory.get("maxmemory_policy", _SAFE_POLICY)
        if policy != _SAFE_POLICY and memory.get("maxmemory") and not self._warned:
            self._warned = True
            logger.warning(
                "The fleet's Redis has maxmemory-policy %s and may drop runs. Set it to %s.", policy, _SAFE_POLICY
            )
