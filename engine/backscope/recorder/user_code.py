"""The user's code on the stack: its lines and frames."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from backscope.diagnosis.user_frame import Frame
from backscope.recorder.narration.code_location import Location


class UserCode:
    """Finds the user's frames: those that have the globals of the program."""

    __slots__ = ("user_globals",)

    def __init__(self, user_globals: dict[str, Any] | None) -> None:
        self.user_globals = user_globals

    def line(self) -> int | None:
        """Return the user's line that is running."""
        frame: FrameType | None = sys._getframe(2)
        wanted = self.user_globals
        while frame is not None:
            if frame.f_globals is wanted:
                return frame.f_lineno
            frame = frame.f_back
        return None

    def location(self) -> Location:
        """Return the code and the instruction of the innermost frame of the user's, whose line is looked up later."""
        frame: FrameType | None = sys._getframe(2)
        wanted = self.user_globals
        while frame is not None:
            if frame.f_globals is wanted:
                return frame.f_code, frame.f_lasti
            frame = frame.f_back
        return None

    def line_in(self, frame: FrameType | None) -> int | None:
        """Return the line that a frame is at, None where it is not the user's."""
        return frame.f_lineno if frame is not None and frame.f_globals is self.user_globals else None

    def frames(self, walk: Iterator[tuple[FrameType, int]]) -> list[Frame]:
        """Return the frames of the user's code among those of a stack or a traceback."""
        return [(line, frame.f_code, line) for frame, line in walk if frame.f_globals is self.user_globals]
