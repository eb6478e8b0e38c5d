"""The frames of the user's program: which there are, and expressions in them."""

from __future__ import annotations

import inspect
import linecache
import sys
import traceback
from collections.abc import Mapping
from types import CodeType, FrameType
from typing import Any, NamedTuple, TypeAlias

from backscope.protocol.field_types import DEEPEST

WAITING: set[CodeType] = set()
"""Functions that are not the program's, in which it waits as in a line of its own, such as for what is typed."""


Frame: TypeAlias = tuple[int, CodeType, int]
"""A frame that a program was in: the line that is told, its code, and the line in that code's file."""


class Frames(NamedTuple):
    """Line, function and text of the frames of an event, outermost first, and how many others are `left_out`."""

    lines: list[tuple[int, str, str]]
    left_out: int = 0


def ends(frames: list[Frame]) -> Frames:
    """Of a deep stack, outermost first, the frame that began it and the innermost: DEEPEST in all."""
    kept = frames if len(frames) <= DEEPEST else [frames[0], *frames[1 - DEEPEST :]]
    return Frames([_told(*frame) for frame in kept], len(frames) - len(kept))


def _told(line: int, code: CodeType, at: int) -> tuple[int, str, str]:
    return max(line or 0, 0), code.co_name, linecache.getline(code.co_filename, at).strip()


class Stack:
    """The frames of the user's code, innermost first."""

    def __init__(self, frames: list[FrameType]) -> None:
        self.frames = frames
        self.at = [frame.f_lineno for frame in frames]

    @property
    def line(self) -> int | None:
        """The line of the innermost frame."""
        return self.at[0] if self.at else None

    def raised(self, error: BaseException) -> None:
        """The innermost frame is where an exception comes through: its line is that of the call which raised it."""
        for frame, line in traceback.walk_tb(error.__traceback__):
            if self.frames and frame is self.frames[0]:
                self.at[0] = line

    def told(self) -> Frames:
        """The frames for an event: of a deep stack the innermost ones, which can be inspected by their numbers."""
        kept = list(zip(self.frames, self.at, strict=True))[:DEEPEST][::-1]
        return Frames([_told(line, f.f_code, line) for f, line in kept], len(self.frames) - len(kept))


def user_stack(frame: FrameType | None, user_globals: dict[str, Any] | None) -> Stack:
    """The user's frames from this one on outwards."""
    frames: list[FrameType] = []
    while frame is not None:
        if frame.f_globals is user_globals:
            frames.append(frame)
        frame = frame.f_back
    return Stack(frames)


def stack_of(error: BaseException, user_globals: dict[str, Any] | None) -> Stack:
    """The user's frames that an exception came through."""
    through = [(f, line) for f, line in traceback.walk_tb(error.__traceback__) if f.f_globals is user_globals][::-1]
    stack = Stack([frame for frame, _ in through])
    stack.at = [line for _, line in through]
    return stack


def in_line(frame: FrameType | None, user_globals: dict[str, Any] | None) -> bool:
    """Whether the program is in a line of its own here, or waits in one."""
    while frame is not None and frame.f_code in WAITING:
        frame = frame.f_back
    return frame is not None and frame.f_globals is user_globals


def evaluate(code: Any, frame: FrameType) -> Any:
    """The value of a compiled expression in a frame, which can change nothing there but what objects hold."""
    # As globals, because what is nested in an expression sees no other names.
    names = {**frame.f_globals, **frame.f_locals}
    forget(frame)
    return eval(code, names)


def in_inlined_comprehension(frame: FrameType) -> bool:
    """Whether a module or a class is within a comprehension of its own, which since Python 3.12 has no frame.

    There f_locals is made anew at each look, with the comprehension's variables, and what is written to it is lost.
    """
    if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return False
    first, second = frame.f_locals, frame.f_locals
    return first is not second


def variables_of(frame: FrameType) -> Mapping[str, Any]:
    """The variables of a frame by name."""
    if frame.f_code.co_name == "<module>" and in_inlined_comprehension(frame):
        return {**frame.f_globals, **frame.f_locals}
    return frame.f_locals


def forget(frame: FrameType) -> None:
    """Drop the copies that f_locals made of a function's variables, which would keep tensors alive."""
    if frame.f_code.co_flags & inspect.CO_OPTIMIZED and sys.version_info < (3, 13):
        frame.f_locals.clear()


def depth_of(frame: FrameType) -> int:
    """How many frames a frame and its callers are."""
    count = 0
    at: FrameType | None = frame
    while at is not None:
        count += 1
        at = at.f_back
    return count
