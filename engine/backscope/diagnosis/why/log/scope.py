"""Finds the functions of the program that a line belongs to."""

from __future__ import annotations

import ast

from backscope.protocol.file_lines import MOST_LINES
from backscope.runtime.syntax_tree import tree_of

Scope = tuple[int, ...]
"""The functions around a line, outermost first, by their first lines; empty at the level of the module."""


class Scopes:
    """The functions of a program's files; a file that cannot be parsed has none."""

    def __init__(self) -> None:
        self._lines: dict[int, Scope] = {}

    def add(self, source: str, file: int = 0) -> None:
        """Add the text of a file, by its number."""
        first = file * MOST_LINES
        tree = tree_of(source)
        if tree is None:
            return
        waiting: list[tuple[ast.AST, Scope]] = [(tree, ())]
        while waiting:
            node, around = waiting.pop(0)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                around = (*around, first + node.lineno)
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    self._lines[first + line] = around
            waiting += [(child, around) for child in ast.iter_child_nodes(node)]

    def of(self, line: int | None) -> Scope:
        """Return the functions around a line."""
        return () if line is None else self._lines.get(line, ())
