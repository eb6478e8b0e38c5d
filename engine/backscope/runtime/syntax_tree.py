"""The syntax trees of Python's sources, as several threads of a server ask for them."""

from __future__ import annotations

import ast
import threading
from typing import Literal, overload

_parsing = threading.RLock()
"""Reentrant, for a handler of a signal parses where its thread does."""


@overload
def parse(source: str, mode: Literal["exec"] = "exec") -> ast.Module: ...
@overload
def parse(source: str, mode: Literal["eval"]) -> ast.Expression: ...
def parse(source: str, mode: Literal["exec", "eval"] = "exec") -> ast.AST:
    """Return the tree of a source, as `ast.parse` would.

    One thread at a time: Python 3.11 counts the depth of all threads' trees in one number, and raises SystemError
    where another thread has changed it.

    Raises: SyntaxError, ValueError, RecursionError or MemoryError for what is no source.
    """
    with _parsing:
        tree: ast.AST = ast.parse(source, mode=mode)
    return tree


def tree_of(source: str) -> ast.Module | None:
    """Return the tree of a source, None where it cannot be parsed."""
    try:
        return parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
