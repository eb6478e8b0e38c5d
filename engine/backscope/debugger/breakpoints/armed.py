"""A breakpoint in force: its compiled condition and how often it was reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import CodeType, FrameType
from typing import Any, TypeAlias

from backscope.debugger.expression import NotAnExpression, compiled
from backscope.diagnosis.user_frame import evaluate
from backscope.protocol.commands import Breakpoint


class Unusable(ValueError):
    """A breakpoint cannot be set; the text says which one and why."""


class Armed:
    """A breakpoint in force; `count` is how often it was reached while its condition held.

    Raises: Unusable where the condition is not an expression.
    """

    def __init__(self, definition: Breakpoint) -> None:
        self.definition = definition
        self.count = 0
        self.condition: CodeType | None = None
        if definition.condition is not None:
            try:
                self.condition = compiled(definition.condition, f"<condition of breakpoint {definition.id}>")
            except NotAnExpression as error:
                raise Unusable(f"The condition {error}") from None

    def hit(self, frame: FrameType | None, names: Mapping[str, Any] | None = None) -> tuple[bool, str | None]:
        """Count that the breakpoint was reached in `frame`; return whether it stops, and a note where that fails.

        The condition may also name `names`.  This is the debugger's own work, which is not recorded.
        """
        note = None
        if self.condition is not None and frame is not None:
            try:
                if not evaluate(self.condition, frame, names):
                    return False, None
            except Exception as error:
                note = f"The condition of breakpoint {self.definition.id} raised {type(error).__name__}: {error}"
        self.count += 1
        return self.count >= self.definition.hits, note


Reached: TypeAlias = tuple[Armed, str | None]
"""A breakpoint that was reached, and a note for the user on what reached it."""


def hits(
    reached: Sequence[Reached], frame: FrameType | None, names: Mapping[str, Any] | None = None
) -> tuple[list[int], str | None]:
    """Return the ids of the reached breakpoints that stop, and their notes in one text."""
    found: list[int] = []
    notes: list[str] = []
    for armed, reason in reached:
        stops, note = armed.hit(frame, names)
        if stops:
            found.append(armed.definition.id)
            notes += [x for x in (reason, note) if x is not None]
    return found, " ".join(dict.fromkeys(notes)) or None
