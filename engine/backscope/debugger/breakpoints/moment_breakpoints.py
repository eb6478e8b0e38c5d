"""A base for breakpoints of a kind that some moments of the recorder reach, by what these are given alone."""

from __future__ import annotations

from typing import ClassVar

from backscope.debugger.breakpoints.armed import Armed
from backscope.debugger.breakpoints.reached import ReachedBreakpoints
from backscope.protocol.commands import Breakpoint
from backscope.recorder.program_listener import ProgramListener


class MomentBreakpoints(ProgramListener):
    """The breakpoints of one kind; `definition` is its struct.

    A class that derives from this has a method for each moment at which one of them may be reached.  While one is set,
    the method is called after each of these moments with what the recorder was given.  Without one it costs nothing.
    """

    definition: ClassVar[type[Breakpoint]]

    def __init__(self, reached: ReachedBreakpoints) -> None:
        self.armed: list[Armed] = []
        self._reached = reached
