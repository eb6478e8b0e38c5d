"""The flags that the files of a program read before each of their lines."""

from __future__ import annotations

from collections.abc import Iterable

from backscope.protocol.file_lines import file_of, line_in_file


class LineFlags:
    """`flags` has a flag for each line of the main file, at 0 that for exceptions and at -1 that for comprehensions.

    Each other file has such a list of its own.  The program holds the lists themselves, so that they are changed in
    place.
    """

    __slots__ = ("_by_file", "flags")

    def __init__(self) -> None:
        self.flags: list[bool] = []
        self._by_file: dict[int, list[bool]] = {0: self.flags}

    def of(self, file: int) -> list[bool]:
        """Return the flags of a file, by its number."""
        return self._by_file.setdefault(file, [])

    def make(self, last_line: int, file: int = 0) -> None:
        """Make the flags for the lines of a file up to `last_line`."""
        self.of(file)[:] = [False] * (last_line + 2)

    def set_all(self) -> None:
        """Have the program stop at its next line."""
        for flags in self._by_file.values():
            flags[:] = [True] * len(flags)

    def set(self, *, every_line: bool, lines: Iterable[int], exceptions: bool) -> None:
        """Set the flags of all lines or of some, and that for exceptions; clear the others."""
        for flags in self._by_file.values():
            flags[:] = [every_line] * len(flags)
            if flags:
                flags[0] = exceptions
        for line in lines:
            self._by_file[file_of(line)][line_in_file(line) or 0] = True
