"""The time by Redis's clock, and for how long of it Redis has answered this process."""

from __future__ import annotations

from collections import deque

# Any: redis-py types its answers as unions that say nothing.
from typing import Any

_AWAY_SECONDS = 4.0
"""The time between two answers from which on Redis was away: a gateway asks every two seconds."""
_MOST = 64
"""The last times when Redis was away, so many of them."""


class RedisClock:
    """Redis's clock; while Redis is away workers cannot renew what they write there, so that time does not count."""

    # Any: the client of redis-py, see above.
    def __init__(self, redis: Any) -> None:
        self._redis = redis
        self._last: float | None = None
        self._away: deque[tuple[float, float]] = deque(maxlen=_MOST)
        """The last answer before each time when Redis was away, and the first one after it."""

    async def now(self) -> float:
        """Return the time, seconds; raises the errors of Redis."""
        seconds, microseconds = await self._redis.time()
        now: float = seconds + microseconds / 1e6
        if self._last is not None and now - self._last > _AWAY_SECONDS:
            self._away.append((self._last, now))
        self._last = now
        return now

    async def ago(self, seconds: float) -> float:
        """Return the time since which Redis has answered for so many seconds; raises the errors of Redis."""
        since = await self.now() - seconds
        for went, back in reversed(self._away):
            if since >= back:
                break
            since -= back - went
        return since
