"""Lines of the program: where a frame was is kept as its code and instruction, and looked up when it is told."""

from __future__ import annotations

from types import CodeType
from typing import Any

Spot = tuple[CodeType, int]
"""A frame's code, and the instruction that it was at."""


class Lines:
    """The lines of spots that were asked for before."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], tuple[int | None, CodeType]] = {}

    def line(self, spot: Any) -> int | None:
        """The line of a spot; a line or None is what it is."""
        if spot.__class__ is not tuple:
            return spot  # type: ignore[no-any-return]
        code, at = spot
        known = self.known.get((id(code), at))
        if known is None:
            known = self.known[id(code), at] = line_of(code, at), code
        return known[0]


def line_of(code: CodeType, at: int) -> int | None:
    """The line of an instruction, as f_lineno says it."""
    for begin, end, line in code.co_lines():
        if begin <= at < end:
            return line
    return None
