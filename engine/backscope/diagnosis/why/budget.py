"""How long an answer may take: every look at a tape is a step, and the step after the time is up is not made."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

# Bound here: inside of a program that is run, the clock is another one.
_clock = time.monotonic


class OutOfTime(Exception):
    """An answer took longer than it may."""


class _Budget(threading.local):
    deadline: float | None = None
    steps = 0


_budget = _Budget()


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Answers that are looked for inside, in this thread, take so long at most.

    Raises: OutOfTime.
    """
    _budget.deadline = _clock() + seconds
    try:
        yield
    finally:
        _budget.deadline = None


def step() -> None:
    """Count a look at the tape.

    Raises: OutOfTime.
    """
    _budget.steps += 1
    if _budget.deadline is not None and _clock() > _budget.deadline:
        raise OutOfTime


def steps() -> int:
    """How many there were in this thread."""
    return _budget.steps
