"""Expressions of Python that somebody typed: watches, conditions, what is evaluated at a stop."""

from __future__ import annotations

import ast
from types import CodeType

from backscope.runtime.syntax_tree import parse

_SHOWN = 80


class NotAnExpression(ValueError):
    """The error for a text that is not an expression of Python; it begins with the text and says why."""


def parsed(text: str) -> ast.Expression:
    """Return the tree of an expression.

    Raises: NotAnExpression.
    """
    try:
        return parse(text.strip(), "eval")
    except SyntaxError as error:
        raise NotAnExpression(f"{text!r} is not an expression: {error.msg}.") from None
    except (ValueError, RecursionError, MemoryError):
        raise NotAnExpression(f"{text[:_SHOWN]!r} is not an expression.") from None


def compiled(text: str, file: str = "<expression>") -> CodeType:
    """Return the code of an expression; tracebacks name `file`.

    Raises: NotAnExpression.
    """
    return compile(parsed(text), file, "eval")
