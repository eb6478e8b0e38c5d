"""The texts that a recorded block's lines are in, joined as one program."""

from __future__ import annotations

import linecache
import os
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any

from backscope.program.own_files import OwnFiles
from backscope.program.source_outline import Outline, Scope
from backscope.recorder.narration.code_location import Lines
from backscope.recorder.narration.other_files import OtherFiles
from backscope.runtime.passive import class_dict, is_a, module_name

CELL = "# The cell of a function that is used below:\n"


class Sources:
    """The texts that a block's lines are in: its own file, or in a notebook also the cells that its functions are from.

    They are joined as one program, one after the other; `offsets` has how many lines come before each.  Other files
    of the program are added when their code is met.
    """

    def __init__(self, frame: FrameType) -> None:
        own = frame.f_code.co_filename
        self.filename = own
        self.others = OtherFiles()
        self.added: Callable[[str, str, str], None] = lambda path, name, text: None
        """Called with path, name and text of a further file."""
        self.own = OwnFiles(*([] if own.startswith("<") else [os.path.dirname(os.path.abspath(own))]), os.getcwd())
        self.offsets: dict[str, int] = {}
        self.outlines: dict[str, Outline] = {}
        self.loops: list[tuple[int, str]] = []
        parts: list[str] = []
        for name in [*_cells(frame.f_globals, own), own]:
            lines = linecache.getlines(name, frame.f_globals)
            if lines and not lines[-1].endswith("\n"):
                lines = [*lines[:-1], lines[-1] + "\n"]
            if not lines and name != own:
                continue
            if name != own:
                parts.append(CELL)
            self.offsets[name] = offset = len(parts)
            outline = self.outlines[name] = Outline(lines, len(self.loops))
            self.loops += [(line + offset, head) for line, head in outline.loops]
            parts += lines
            if name != own:
                parts.append("\n")
        self.text = "".join(parts)
        self._strange: set[str] = set()
        """Paths of code that is not the program's."""
        self._scopes: dict[int, tuple[CodeType, Scope | None]] = {}

    def line(self, code: CodeType, line: int | None) -> int | None:
        """Return the line of some code in the recorded program; None where it is not part of it."""
        return self.line_in(code.co_filename, line)

    def line_in(self, path: str, line: int | None) -> int | None:
        """Return the line of a file, by the path that its code has, in the recorded program."""
        offset = self.offsets.get(path)
        if offset is None:
            return self.others.line(path, line)
        return None if line is None else line + offset

    def scope(self, code: CodeType) -> Scope | None:
        """Return the names that a piece of code binds, None where they are not known."""
        known = self._scopes.get(id(code))
        if known is None:
            outline = self.outlines.get(code.co_filename) or self.meet(code.co_filename)
            known = self._scopes[id(code)] = code, None if outline is None else outline.scope(code)
        return known[1]

    def meet(self, path: str) -> Outline | None:
        """Add a file that code was met of, if it is one of the program's."""
        if path in self.outlines:
            return self.outlines[path]
        if path in self._strange:
            return None
        name = self.own.name(path)
        lines = linecache.getlines(path) if name is not None else []
        if name is None or not lines:
            self._strange.add(path)
            return None
        self.added(path, name, "".join(lines))
        outline = self.outlines[path] = Outline(lines, len(self.loops))
        self.loops += [(self.others.line(path, line) or line, head) for line, head in outline.loops]
        return outline


def _cells(space: dict[str, Any], own: str) -> list[str]:
    """Return the other files that functions of the same namespace are from: in a notebook, its cells."""
    found: dict[str, None] = {}
    for value in list(space.values()):
        own_class = is_a(value, type) and module_name(value) == space.get("__name__")
        for function in class_dict(value).values() if own_class else [value]:
            inner = function.__func__ if _is_around(function) else function
            if type(inner) is FunctionType and inner.__globals__ is space:
                found[inner.__code__.co_filename] = None
    found.pop(own, None)
    return list(found)


def _is_around(value: Any) -> bool:
    """Return True for a method, which has its function inside."""
    return any(type(value) is kind for kind in (staticmethod, classmethod, MethodType))


class SourceLines(Lines):
    """Lines of the recorded program, which several texts are part of."""

    def __init__(self, sources: Sources) -> None:
        super().__init__(sources.others)
        self.sources = sources

    def line_at(self, code: CodeType, line: int | None) -> int | None:
        """Return the line of some code, in the recorded program."""
        return self.sources.line(code, line)
