"""Runs a whole program on PyTorch as `python FILE` does, and records it."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable
from types import CodeType, FrameType, ModuleType

from backscope.pytorch.recording import TorchRecording

_BEGIN = "__backscope_begin__"


def run(file: str, source: str, recording: TorchRecording) -> BaseException | None:
    """Run a program with a recording of all of it; return the exception that ended it, None if it came to its end.

    Its module is `__main__`, and stays so.

    Raises: SyntaxError where the text is no program.
    """
    code = compiled(ast.parse(source, file), source, file)
    ended = executed(code, file, recording.begin)
    recording.__exit__(None if ended is None else type(ended), ended, None)
    return ended


def compiled(tree: ast.Module, source: str, file: str) -> CodeType:
    """Return the code of a program for executed().

    Raises: SyntaxError where the tree is no program.
    """
    first = 0
    while first < len(tree.body) and _comes_first(tree.body[first]):
        first += 1
    # The frame that begins the recording is the program's own; no line of it changes.
    tree.body[first:first] = ast.parse(f"{_BEGIN}()").body
    code = compile(ast.fix_missing_locations(tree), file, "exec", dont_inherit=True)
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    return code


def executed(code: CodeType, file: str, begin: Callable[[FrameType], None]) -> BaseException | None:
    """Run the code of a program, whose own frame `begin` is called with; return the exception that ended it.

    Its module is `__main__`, and stays so.
    """
    module = ModuleType("__main__")
    module.__file__ = file
    space = module.__dict__

    def beginning() -> None:
        del space[_BEGIN]
        begin(sys._getframe(1))

    space[_BEGIN] = beginning
    sys.modules["__main__"] = module
    ended: BaseException | None = None
    try:
        exec(code, space)
    except BaseException as error:  # noqa: BLE001 - it is the program's
        ended = error
    return ended


def _comes_first(statement: ast.stmt) -> bool:
    """Return True for a docstring and for imports from __future__, which nothing may come before."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
