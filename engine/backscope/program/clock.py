"""Replaces the functions of `time` in a run by a clock that advances by 1 ms a call, and by the seconds of a sleep."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

START = 1_700_000_000.0
STEP = 0.001


class FrozenClock:
    """A context in which the functions of `time` return the same values in every run, and sleeping takes no time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.originals: dict[str, Any] = {}

    def _tick(self) -> float:
        self.now += STEP
        return self.now

    def _sleep(self, seconds: float) -> None:
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.now += seconds

    def __enter__(self) -> FrozenClock:
        replaced: dict[str, Any] = {
            "time": lambda: START + self._tick(),
            "time_ns": lambda: int((START + self._tick()) * 1e9),
            "sleep": self._sleep,
        }
        for name in ("perf_counter", "monotonic", "process_time", "thread_time"):
            replaced[name] = self._tick
            replaced[name + "_ns"] = lambda: int(self._tick() * 1e9)
        for name, function in replaced.items():
            self.originals[name] = getattr(time, name)
            setattr(time, name, function)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name, function in self.originals.items():
            setattr(time, name, function)
