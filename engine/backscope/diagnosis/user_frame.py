"""The frames of the user's program: finds them and evaluates expressions in them."""

from __future__ import annotations

import inspect
import linecache
import sys
import traceback
from collections.abc import Mapping
from types import CodeType, FrameType
from typing import Any, NamedTuple, Protocol, TypeAlias

from backscope.protocol.field_types import DEEPEST

WAITING: set[CodeType] = set()
"""Functions of other files in which the program may pause as in a line of its own, such as input()."""


Frame: TypeAlias = tuple[int, CodeType, int]
"""A frame that a program was in: the line in events, its code, and the line in that code's file."""


class OwnCode(Protocol):
    """The code of the program, in its main file and in others."""

    def owns(self, frame: FrameType) -> bool:
        """Return True for a frame of the program's code."""

    def line_at(self, code: CodeType, line: int | None) -> int | None:
        """Return a line of the program's code as events have it."""


class Frames(NamedTuple):
    """Line, function and text of the frames of an event, outermost first, and how many frames are `left_out`."""

    lines: list[tuple[int, str, str]]
    left_out: int = 0


def ends(frames: list[Frame]) -> Frames:
    """Keep DEEPEST frames of a deep stack, outermost first: the first one and the innermost."""
    kept = frames if len(frames) <= DEEPEST else [frames[0], *frames[1 - DEEPEST :]]
    return Frames([_shown(*frame) for frame in kept], len(frames) - len(kept))


def _shown(line: int | None, code: CodeType, at: int) -> tuple[int, str, str]:
    return line if line is not None and line > 0 else 0, code.co_name, linecache.getline(code.co_filename, at).strip()


class Stack:
    """The frames of the user's code, innermost first; `at` has the line of each in its own file."""

    def __init__(self, frames: list[FrameType], own: OwnCode) -> None:
        self.frames = frames
        self.at = [frame.f_lineno for frame in frames]
        self._own = own

    @property
    def line(self) -> int | None:
        """The line of the innermost frame, as events have it."""
        return self.place(0) if self.frames else None

    def place(self, number: int) -> int | None:
        """Return the line of a frame, as events have it."""
        return self._own.line_at(self.frames[number].f_code, self.at[number])

    def raised(self, error: BaseException) -> None:
        """Set the line of the innermost frame to that of the call which raised an exception."""
        for frame, line in traceback.walk_tb(error.__traceback__):
            if self.frames and frame is self.frames[0]:
                self.at[0] = line

    def for_event(self) -> Frames:
        """Return the frames for an event; of a deep stack the innermost ones, which can be inspected by number."""
        kept = list(zip(self.frames, self.at, strict=True))[:DEEPEST][::-1]
        shown = [_shown(self._own.line_at(f.f_code, line), f.f_code, line) for f, line in kept]
        return Frames(shown, len(self.frames) - len(kept))


def user_stack(frame: FrameType | None, own: OwnCode) -> Stack:
    """Return the user's frames from this one outwards."""
    frames: list[FrameType] = []
    while frame is not None:
        if own.owns(frame):
            frames.append(frame)
        frame = frame.f_back
    return Stack(frames, own)


def stack_of(error: BaseException, own: OwnCode) -> Stack:
    """Return the user's frames that an exception came through."""
    through = [(f, line) for f, line in traceback.walk_tb(error.__traceback__) if own.owns(f)][::-1]
    stack = Stack([frame for frame, _ in through], own)
    stack.at = [line for _, line in through]
    return stack


def in_line(frame: FrameType | None, own: OwnCode) -> bool:
    """Return whether a frame is in a line of the program, or waits for input in one."""
    while frame is not None and frame.f_code in WAITING:
        frame = frame.f_back
    return frame is not None and own.owns(frame)


# Any: an expression has a value of any type.
def evaluate(code: CodeType, frame: FrameType, further: Mapping[str, Any] | None = None) -> Any:
    """Return the value of a compiled expression in a frame; it can change objects there, but no variables.

    `further` names come before those of the frame.
    """
    # As globals: lambdas and comprehensions in the expression find no other names.
    names = {**frame.f_globals, **frame.f_locals, **(further or {})}
    forget(frame)
    return eval(code, names)


def in_inlined_comprehension(frame: FrameType) -> bool:
    """Return whether a module or a class is within a comprehension of its own, which since Python 3.12 has no frame.

    There each read of f_locals makes a new dict with the comprehension's variables, and writes to it are lost.
    """
    if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return False
    first, second = frame.f_locals, frame.f_locals
    return first is not second


def variables_of(frame: FrameType) -> Mapping[str, Any]:
    """Return the variables of a frame by name."""
    if frame.f_code.co_name == "<module>" and in_inlined_comprehension(frame):
        return {**frame.f_globals, **frame.f_locals}
    return frame.f_locals


def forget(frame: FrameType) -> None:
    """Drop the copies that f_locals made of a function's variables, which would keep tensors alive."""
    if frame.f_code.co_flags & inspect.CO_OPTIMIZED and sys.version_info < (3, 13):
        frame.f_locals.clear()


def depth_of(frame: FrameType) -> int:
    """Count a frame and its callers."""
    count = 0
    at: FrameType | None = frame
    while at is not None:
        count += 1
        at = at.f_back
    return count
