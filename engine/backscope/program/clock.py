"""A clock that is the same in every run: it moves by a millisecond a look and by what the program sleeps."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

START = 1_700_000_000.0
STEP = 0.001


class FrozenClock:
    """Inside, the functions of `time` are deterministic; sleeping takes no time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.originals: dict[str, Any] = {}

    def _look(self) -> float:
        self.now += STEP
        return self.now

    def _sleep(self, seconds: float) -> None:
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.now += seconds

    def __enter__(self) -> FrozenClock:
        replaced: dict[str, Any] = {
            "time": lambda: START + self._look(),
            "time_ns": lambda: int((START + self._look()) * 1e9),
            "sleep": self._sleep,
        }
        for name in ("perf_counter", "monotonic", "process_time", "thread_time"):
            replaced[name] = self._look
            replaced[name + "_ns"] = lambda: int(self._look() * 1e9)
        for name, function in replaced.items():
            self.originals[name] = getattr(time, name)
            setattr(time, name, function)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name, function in self.originals.items():
            setattr(time, name, function)
