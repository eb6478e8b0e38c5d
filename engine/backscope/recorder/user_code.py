"""The user's code on the stack: its lines and frames."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from backscope.diagnosis.user_frame import Frame
from backscope.recorder.narration.code_location import Location
from backscope.recorder.narration.other_files import OtherFiles


class UserCode:
    """Finds the user's frames: those that have the globals of the program, or code of one of its other files."""

    __slots__ = ("others", "user_globals")

    def __init__(self, user_globals: dict[str, Any] | None) -> None:
        self.user_globals = user_globals
        self.others = OtherFiles()

    def owns(self, frame: FrameType) -> bool:
        """Return True for a frame of the user's code."""
        return frame.f_globals is self.user_globals or frame.f_code.co_filename in self.others.numbers

    def line_at(self, code: CodeType, line: int | None) -> int | None:
        """Return a line of the user's code as events have it; None for one outside of the program."""
        return self.others.line_at(code, line)

    def own(self, frame: FrameType | None) -> FrameType | None:
        """Return the innermost frame of the user's code, from this one outwards."""
        wanted, numbers = self.user_globals, self.others.numbers
        while frame is not None and frame.f_globals is not wanted and frame.f_code.co_filename not in numbers:
            frame = frame.f_back
        return frame

    def line(self) -> int | None:
        """Return the user's line that is running."""
        frame = self.own(sys._getframe(2))
        return None if frame is None else self.line_at(frame.f_code, frame.f_lineno)

    def location(self) -> Location:
        """Return the code and the instruction of the innermost frame of the user's, whose line is looked up later."""
        frame = self.own(sys._getframe(2))
        return None if frame is None else (frame.f_code, frame.f_lasti)

    def line_in(self, frame: FrameType | None) -> int | None:
        """Return the line that a frame is at, None where it is not the user's."""
        return self.line_at(frame.f_code, frame.f_lineno) if frame is not None and self.owns(frame) else None

    def frames(self, walk: Iterator[tuple[FrameType, int]]) -> list[Frame]:
        """Return the frames of the user's code among those of a stack or a traceback."""
        return [
            (place, frame.f_code, line)
            for frame, line in walk
            if self.owns(frame) and (place := self.line_at(frame.f_code, line)) is not None
        ]
