"""Breakpoints: which there are, and which of them a moment hits."""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType
from typing import Any, TypeAlias

from backscope.autograd.modes.grad_mode import mode
from backscope.debugger.stopping import Places
from backscope.diagnosis.user_frame import evaluate
from backscope.protocol.commands import Breakpoint, BreakpointPlace, LineBreakpoint, UnusableBreakpoint
from backscope.runtime.listening import hub


class Unusable(ValueError):
    """A breakpoint that cannot be set; the text says which and why."""


class Armed:
    """A breakpoint in force, with how often it was reached where its condition held."""

    def __init__(self, given: Breakpoint) -> None:
        self.given = given
        self.count = 0
        self.condition: Any = None
        if given.condition is not None:
            try:
                self.condition = compile(given.condition, f"<condition of breakpoint {given.id}>", "eval")
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                text = error.msg if isinstance(error, SyntaxError) else str(error)
                raise Unusable(f"The condition is not an expression: {given.condition!r} ({text}).") from None

    def hit(self, frame: FrameType | None) -> tuple[bool, str | None]:
        """Whether to stop, now that it is reached in this frame, and what is to be said then."""
        note = None
        if self.condition is not None and frame is not None:
            recording, mode.enabled = mode.enabled, False
            listener, hub.listener = hub.listener, None
            try:
                if not evaluate(self.condition, frame):
                    return False, None
            except Exception as error:
                note = f"The condition of breakpoint {self.given.id} raised {type(error).__name__}: {error}"
            finally:
                mode.enabled, hub.listener = recording, listener
        self.count += 1
        return self.count >= self.given.hits, note


Reached: TypeAlias = tuple[Armed, str | None]
"""A breakpoint, and what is to be said of the moment."""


class Breakpoints:
    """The breakpoints of a run; `lines` has those that wait at a line, `others` the rest."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.lines: dict[int, list[Armed]] = {}
        self.others: list[Armed] = []
        self._known: dict[Breakpoint, Armed] = {}

    def set(self, given: Sequence[Breakpoint]) -> tuple[list[BreakpointPlace], list[UnusableBreakpoint]]:
        """Have these and no others; returns where those on lines came to be, and which cannot be set.

        Raises: Unusable where two have the same id, and then nothing has changed.
        """
        numbers = [b.id for b in given]
        if len(set(numbers)) < len(numbers):
            raise Unusable("Two breakpoints have the same id.")
        known: dict[Breakpoint, Armed] = {}
        lines: dict[int, list[Armed]] = {}
        found: list[BreakpointPlace] = []
        others: list[Armed] = []
        unusable: list[UnusableBreakpoint] = []
        for b in given:
            try:
                armed = self._known.get(b) or Armed(b)
                line = self._line(b) if isinstance(b, LineBreakpoint) else None
            except Unusable as error:
                unusable.append(UnusableBreakpoint(id=b.id, reason=str(error)))
                continue
            known[b] = armed
            if line is None:
                others.append(armed)
                continue
            lines.setdefault(line, []).append(armed)
            found.append(BreakpointPlace(id=b.id, line=line))
        self._known, self.lines, self.others = known, lines, others
        return found, unusable

    def _line(self, given: LineBreakpoint) -> int:
        line = self.places.nearest(given.line)
        if line is None:
            raise Unusable(f"No statement begins at line {given.line} or after it.")
        return line


def hits(reached: Sequence[Reached], frame: FrameType | None) -> tuple[list[int], str | None]:
    """Which of the breakpoints that are reached stop, and what is to be said of them."""
    found: list[int] = []
    notes: list[str] = []
    for armed, said in reached:
        stops, note = armed.hit(frame)
        if stops:
            found.append(armed.given.id)
            notes += [x for x in (said, note) if x is not None]
    return found, " ".join(dict.fromkeys(notes)) or None
