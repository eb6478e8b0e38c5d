"""The files of a program besides its main one: their numbers and names."""

from __future__ import annotations

from types import CodeType

from backscope.protocol.file_lines import FileLine


class OtherFiles:
    """Numbers the files from 1, by the paths that their code has."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._names: list[str] = [""]

    def add(self, path: str, name: str) -> int:
        """Add a file of the program by the path that its code has; return its number."""
        number = self.numbers[path] = len(self._names)
        self._names.append(name)
        return number

    def name(self, number: int) -> str:
        """Return the name of a file."""
        return self._names[number]

    def line_at(self, code: CodeType, line: int | None) -> int | None:
        """Return a line of some code as events have it: a FileLine in one of these files, itself elsewhere."""
        return self.line(code.co_filename, line) if code.co_filename in self.numbers else line

    def line(self, path: str, line: int | None) -> FileLine | None:
        """Return a line of a file as events have it; None where the file is none of these."""
        number = self.numbers.get(path)
        return None if number is None or line is None else FileLine(number, line, self._names[number])
