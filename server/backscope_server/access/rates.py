"""Counts by key how often something happens, and how many things are open at once, in bounded memory."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

_MOST_KEYS = 20_000


class Rate:
    """A limit of `amount` in any `seconds` for each key, spent at once or over time."""

    def __init__(self, amount: float, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.amount = amount
        self.seconds = seconds
        self._clock = clock
        self._paid_up: dict[str, float] = {}
        """The time at which the whole amount of each key is available again."""

    def take(self, key: str = "", cost: float = 1) -> float:
        """Spend `cost` of a key's amount; return 0, or if it is not there the seconds after which it will be."""
        now = self._clock()
        after = max(now, self._paid_up.get(key, now)) + cost * self.seconds / self.amount
        # An amount as large as the whole account must fit, whatever the division rounds to.
        if (excess := after - now - self.seconds) > 1e-9 * self.seconds:
            return excess
        if len(self._paid_up) >= _MOST_KEYS and key not in self._paid_up:
            self._forget(now)
        self._paid_up[key] = after
        return 0.0

    def _forget(self, now: float) -> None:
        kept = sorted((when, key) for key, when in self._paid_up.items() if when > now)
        self._paid_up = {key: when for when, key in kept[-_MOST_KEYS // 2 :]}


class Count:
    """Counts how many things each key has open: at most `most`, and `in_all` of all keys together."""

    def __init__(self, most: int, in_all: int | None = None) -> None:
        self.most = most
        self._in_all = in_all
        self._open: Counter[str] = Counter()

    def enter(self, key: str) -> bool:
        """Count one more; return False, and count nothing, if that is too many."""
        if self._open[key] >= self.most or (self._in_all is not None and self._open.total() >= self._in_all):
            return False
        self._open[key] += 1
        return True

    @property
    def total(self) -> int:
        """How many are open."""
        return self._open.total()

    def leave(self, key: str) -> None:
        """Count one less."""
        self._open[key] -= 1
        if self._open[key] <= 0:
            del self._open[key]
