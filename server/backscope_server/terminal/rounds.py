"""Groups the frames of a deep stack that repeat: those of one function, or of several that call one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from backscope.protocol.events import TracebackLine

LONGEST = 6
"""Frames of one round at most."""
FEWEST = 4
"""The repetitions from which on frames are shown as rounds."""


class Rounds(NamedTuple):
    """Frames that come `times` times one after the other; `at` is the place of the first of them all."""

    at: int
    frames: list[TracebackLine]
    times: int


def rounds(frames: Sequence[TracebackLine]) -> list[Rounds]:
    """The frames of a stack in their order, each once or as a part of rounds."""
    found: list[Rounds] = []
    at = 0
    while at < len(frames):
        length, times = next(((n, t) for n in range(1, LONGEST + 1) if (t := _times(frames, at, n)) >= FEWEST), (1, 1))
        found.append(Rounds(at, list(frames[at : at + length]), times))
        at += length * times
    return found


def _times(frames: Sequence[TracebackLine], at: int, length: int) -> int:
    end = at + length
    while end + length <= len(frames) and frames[end : end + length] == frames[at : at + length]:
        end += length
    return (end - at) // length
