"""Groups the repeated frames of a recursion, so that a deep stack is printed in few lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from backscope.protocol.events import TracebackLine

LONGEST = 6
"""The most frames that are looked for as one repeated group: a recursion through more functions is printed whole."""
FEWEST = 4
"""The least number of repetitions that are printed as one group."""


class RepeatedFrames(NamedTuple):
    """Frames that occur `times` times one after the other, from index `at` of the stack on."""

    at: int
    frames: list[TracebackLine]
    times: int


def group_frames(frames: Sequence[TracebackLine]) -> list[RepeatedFrames]:
    """Return the frames of a stack in their order, those of a recursion as one group."""
    found: list[RepeatedFrames] = []
    at = 0
    while at < len(frames):
        length, times = next(((n, t) for n in range(1, LONGEST + 1) if (t := _times(frames, at, n)) >= FEWEST), (1, 1))
        found.append(RepeatedFrames(at, list(frames[at : at + length]), times))
        at += length * times
    return found


def _times(frames: Sequence[TracebackLine], at: int, length: int) -> int:
    end = at + length
    while end + length <= len(frames) and frames[end : end + length] == frames[at : at + length]:
        end += length
    return (end - at) // length
