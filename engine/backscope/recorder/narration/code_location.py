"""Lines of the program: a frame is kept as its code and instruction, whose line is looked up when an event is made."""

from __future__ import annotations

from types import CodeType
from typing import TypeAlias

from backscope.recorder.narration.other_files import OtherFiles

Location: TypeAlias = "tuple[CodeType, int] | int | None"
"""A frame's code with the instruction that it was at, a line, or None outside of the program."""

MOST_KNOWN = 1 << 16
"""Instructions whose lines are kept at most."""


class Lines:
    """A cache of the lines of instructions; a line of one of the `others` is a FileLine."""

    def __init__(self, others: OtherFiles) -> None:
        self.known: dict[tuple[int, int], tuple[int | None, CodeType]] = {}
        self.others = others

    def line(self, location: Location) -> int | None:
        """Return the line of a location; a line or None is returned unchanged."""
        if location.__class__ is not tuple:
            return location  # type: ignore[return-value] # mypy does not narrow by __class__.
        code, at = location
        known = self.known.get((id(code), at))
        if known is None:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            known = self.known[id(code), at] = self.line_at(code, line_of(code, at)), code
        return known[0]

    def line_at(self, code: CodeType, line: int | None) -> int | None:
        """Return the line of some code as events have it."""
        return self.others.line_at(code, line)


def line_of(code: CodeType, at: int) -> int | None:
    """Return the line of an instruction, as f_lineno has it."""
    for begin, end, line in code.co_lines():
        if begin <= at < end:
            return line
    return None
