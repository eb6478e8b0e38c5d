"""Line numbers: a frame's place is kept as its code and instruction, and looked up when its event is made."""

from __future__ import annotations

from types import CodeType
from typing import Any

Spot = tuple[CodeType, int]
"""A frame's code, and the instruction that it was at."""


MOST_KNOWN = 1 << 16
"""Locations whose lines are kept at most."""


class Lines:
    """A cache of the lines of spots."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], tuple[int | None, CodeType]] = {}

    def line(self, spot: Any) -> int | None:
        """The line of a spot; a line number or None is returned unchanged."""
        if spot.__class__ is not tuple:
            return spot  # type: ignore[no-any-return]
        code, at = spot
        known = self.known.get((id(code), at))
        if known is None:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            known = self.known[id(code), at] = line_of(code, at), code
        return known[0]


def line_of(code: CodeType, at: int) -> int | None:
    """The line of an instruction, as f_lineno says it."""
    for begin, end, line in code.co_lines():
        if begin <= at < end:
            return line
    return None
