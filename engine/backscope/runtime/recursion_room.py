"""Raises the recursion limit while events are recorded of a program that has used up its stack."""

from __future__ import annotations

import sys

_FRAMES = 200


def give() -> int:
    """Let calls nest deeper; returns the limit that it was, for `take_back` by the same function.

    Raises: RecursionError where there is no room even for this; nothing is changed then.
    """
    before = _limit()
    sys.setrecursionlimit(before + _FRAMES)
    return before


def take_back(before: int) -> None:
    """Have the limit as before, unless it was set to another meanwhile."""
    if sys.getrecursionlimit() == before + _FRAMES:
        sys.setrecursionlimit(before)


def _limit() -> int:
    # One call deeper than where the limit is lowered again: Python refuses one that is reached already.
    return sys.getrecursionlimit()
