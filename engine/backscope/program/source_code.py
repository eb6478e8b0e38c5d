"""The user's code of a recorded block on the stack, found by the sources that the block is part of."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from backscope.diagnosis.user_frame import Frame
from backscope.program.sources import Sources
from backscope.recorder.user_code import UserCode


class SourceCode(UserCode):
    """Finds the user's frames by their source files; lines are those of the recorded program."""

    __slots__ = ("sources",)

    def __init__(self, user_globals: dict[str, Any], sources: Sources) -> None:
        super().__init__(user_globals)
        self.sources = sources

    def owns(self, frame: FrameType) -> bool:
        """Return True for a frame of the recorded program."""
        return frame.f_globals is self.user_globals

    def line(self) -> int | None:
        """Return the line of the recorded program that is running."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            if frame.f_globals is self.user_globals:
                line = self.sources.line(frame.f_code, frame.f_lineno)
                if line is not None:
                    return line
            frame = frame.f_back
        return None

    def line_in(self, frame: FrameType | None) -> int | None:
        """Return the line that a frame is at, None where it is not the user's."""
        own = frame is not None and frame.f_globals is self.user_globals
        return self.sources.line(frame.f_code, frame.f_lineno) if own and frame is not None else None

    def frames(self, walk: Iterator[tuple[FrameType, int]]) -> list[Frame]:
        """Return the frames of the recorded program among those of a stack or a traceback."""
        found: list[Frame] = []
        for frame, at in walk:
            line = self.sources.line(frame.f_code, at) if frame.f_globals is self.user_globals else None
            if line is not None:
                found.append((line, frame.f_code, at))
        return found
