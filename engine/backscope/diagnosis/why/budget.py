"""Limits the time that an answer may take: each query of a tape is a step, and a step after that time raises."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

# Bound here: while a program runs, its clock is in place of this one.
_clock = time.monotonic


class OutOfTime(Exception):
    """An answer took longer than its limit."""


class _Budget(threading.local):
    deadline: float | None = None
    steps = 0


_budget = _Budget()


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Limit the time of the answers that are computed inside, in this thread.

    Raises: OutOfTime.
    """
    _budget.deadline = _clock() + seconds
    try:
        yield
    finally:
        _budget.deadline = None


def step() -> None:
    """Count one query of the tape.

    Raises: OutOfTime.
    """
    _budget.steps += 1
    if _budget.deadline is not None and _clock() > _budget.deadline:
        raise OutOfTime


def steps() -> int:
    """Return how many steps there were in this thread."""
    return _budget.steps
