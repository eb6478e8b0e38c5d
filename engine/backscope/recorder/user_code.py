"""Where the user's code is: its lines and frames on the stack."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from backscope.diagnosis.user_frame import Frame


class UserCode:
    """Finds the user's frames: those that have the globals of the program."""

    __slots__ = ("user_globals",)

    def __init__(self, user_globals: dict[str, Any] | None) -> None:
        self.user_globals = user_globals

    def line(self) -> int | None:
        """The user's line that is running."""
        frame: Any = sys._getframe(2)
        wanted = self.user_globals
        while frame is not None:
            if frame.f_globals is wanted:
                return frame.f_lineno  # type: ignore[no-any-return] # None where Python has none.
            frame = frame.f_back
        return None

    def spot(self) -> Any:
        """Where the user's code is, as what narration makes the line from."""
        frame: Any = sys._getframe(2)
        wanted = self.user_globals
        while frame is not None:
            if frame.f_globals is wanted:
                return frame.f_code, frame.f_lasti
            frame = frame.f_back
        return None

    def line_in(self, frame: FrameType | None) -> int | None:
        """The line that a frame is in, None where it is not the user's."""
        return frame.f_lineno if frame is not None and frame.f_globals is self.user_globals else None

    def frames(self, walk: Iterator[tuple[FrameType, int]]) -> list[Frame]:
        """The frames of the user's code among those of a stack or a traceback."""
        return [(line, frame.f_code, line) for frame, line in walk if frame.f_globals is self.user_globals]
