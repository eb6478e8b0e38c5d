"""The files of a program in which it can stop: the main one, and those of its folder that it imports."""

from __future__ import annotations

import ast
import os
import tokenize
from pathlib import Path
from typing import Protocol

from backscope.debugger.breakpoints.armed import Unusable
from backscope.debugger.stopping import Places, weave
from backscope.diagnosis.misspelling import nearest
from backscope.protocol.file_lines import FileLine


class OwnFolder(Protocol):
    """Recognizes the files that are the program's own."""

    @property
    def folder(self) -> str:
        """The folder that the names of files begin from."""

    def name(self, path: str) -> str | None:
        """Return the name of a file of the program by its absolute path; None for any other file."""


class StoppableFiles:
    """Finds files by what a user types, and the lines at which each can stop.

    `main` are the places of the main file, which has the name `main_name`.  A program that runs without a folder
    (`own` is None) has no other file.  Files are numbered when they are imported; one that is asked for before that is
    read for its places.
    """

    def __init__(self, main_name: str, own: OwnFolder | None, main: Places | None = None) -> None:
        self.main = main or Places()
        self._main_name = main_name
        self._own = own
        self._places: dict[str, Places] = {}
        self._numbers: dict[str, int] = {}

    def imported(self, name: str, number: int, places: Places) -> None:
        """Take in a file that the program imports, by its name and number."""
        self._numbers[name] = number
        self._places[name] = places

    def find(self, typed: str) -> str | None:
        """Return the name of a file that a user means; None for the main one.

        Raises: Unusable for what is no file of the program.
        """
        own = self._own
        if typed in self._numbers:
            return typed
        if typed in (self._main_name, os.path.basename(self._main_name)):
            return None
        if own is None:
            raise Unusable(f"This program has no file {typed}: it is one file. Give the number of a line alone.")
        main = os.path.realpath(self._main_name)
        strange = None
        for base in (own.folder, os.getcwd()):
            path = os.path.realpath(os.path.join(base, typed))
            if not os.path.isfile(path):
                continue
            if path == main:
                return None
            if (name := own.name(path)) is not None:
                return name
            strange = strange or path
        if strange is not None:
            raise Unusable(
                f"{typed} is no file of the program: those are below {own.folder}, without installed packages. "
                "Break at a line of yours that calls it, or at the name of an op."
            )
        ends = [name for name in self._numbers if name.endswith(f"/{typed}")]
        if len(ends) == 1:
            return ends[0]
        if ends:
            raise Unusable(f"{typed} may be {' or '.join(sorted(ends))}. Give the folder too.")
        raise Unusable(f"There is no file {typed} in {own.folder}.{self._meant(typed, own)}")

    def _meant(self, typed: str, own: OwnFolder) -> str:
        folder = Path(own.folder)
        names = [path.relative_to(folder).as_posix() for pattern in ("*.py", "*/*.py") for path in folder.glob(pattern)]
        ends = [name for name in names if name.endswith((f"/{typed}", f"/{typed}.py")) or name == f"{typed}.py"]
        meant = ends[0] if ends else nearest(typed, sorted(names))
        return " Name it as from there, for instance parts/model.py." if meant is None else f" Did you mean {meant}?"

    def number(self, name: str | None) -> int | None:
        """Return the number of a file, 0 for the main one; None for one that has not been imported so far."""
        return 0 if name is None else self._numbers.get(name)

    def nearest(self, name: str | None, line: int) -> int:
        """Return the line of a file where a breakpoint in `line` stops: of the statement there or of the next one.

        Raises: Unusable where there is none.
        """
        found = (self.main if name is None else self._places_of(name)).nearest(line)
        if found is None:
            of = "" if name is None else f" of {name}"
            raise Unusable(f"No statement begins at line {line}{of} or after it.")
        return found

    def place(self, name: str | None, line: int) -> int | None:
        """Return a line of a file as events have it; None in one that has not been imported so far."""
        number = self.number(name)
        return None if number is None else FileLine(number, line, name) if name is not None else line

    def _places_of(self, name: str) -> Places:
        """Return the places of a file, which is read where it has not been imported.

        Raises: Unusable where it cannot be read as Python.
        """
        if name not in self._places:
            assert self._own is not None
            places = Places()
            try:
                with tokenize.open(os.path.join(self._own.folder, name)) as file:
                    weave(ast.parse(file.read(), name), places)
            except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
                text = f"{error.msg}, line {error.lineno}" if isinstance(error, SyntaxError) else str(error)
                raise Unusable(f"{name} cannot be read as Python: {text}.") from None
            self._places[name] = places
        return self._places[name]
