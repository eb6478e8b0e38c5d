"""The user's code of a recorded block on the stack, found by the sources that the block is part of."""

from __future__ import annotations

import sys
from types import CodeType
from typing import Any

from backscope.program.sources import Sources
from backscope.recorder.user_code import UserCode


class SourceCode(UserCode):
    """Finds the user's frames by their source files; lines are those of the recorded program."""

    __slots__ = ("sources",)

    def __init__(self, user_globals: dict[str, Any], sources: Sources) -> None:
        super().__init__(user_globals)
        self.sources = sources
        self.others = sources.others

    def line_at(self, code: CodeType, line: int | None) -> int | None:
        """Return the line of some code in the recorded program; None where it is not part of it."""
        return self.sources.line(code, line)

    def line(self) -> int | None:
        """Return the line of the recorded program that is running."""
        frame = self.own(sys._getframe(2))
        while frame is not None:
            line = self.sources.line(frame.f_code, frame.f_lineno)
            if line is not None:
                return line
            frame = self.own(frame.f_back)
        return None
