"""The flags that a program made stoppable reads before each of its lines."""

from __future__ import annotations

from collections.abc import Iterable


class LineFlags:
    """`flags` has a flag for each line, at 0 that for exceptions and at -1 that for elements of comprehensions.

    The program holds the list itself, so that it is changed in place.
    """

    __slots__ = ("flags",)

    def __init__(self) -> None:
        self.flags: list[bool] = []

    def make(self, last_line: int) -> None:
        """Make the flags for the lines up to `last_line`."""
        self.flags += [False] * (last_line + 2)

    def set_all(self) -> None:
        """Have the program stop at its next line."""
        self.flags[:] = [True] * len(self.flags)

    def set(self, *, every_line: bool, lines: Iterable[int], exceptions: bool) -> None:
        """Set the flags of all lines or of some, and that for exceptions; clear the others."""
        flags = [every_line] * len(self.flags)
        for line in lines:
            flags[line] = True
        if flags:
            flags[0] = exceptions
        self.flags[:] = flags
