"""One-line formulas as source text, which is pasted into the compiled backward of a node to save a call."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from backscope.runtime.given import Value


@cache
def _functions(filename: str) -> dict[int, ast.FunctionDef]:
    """Return the functions of a file by their first line; none where the file can't be read."""
    try:
        with open(filename, encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError):
        return {}
    return {node.lineno: node for node in _defined(tree.body) if not node.decorator_list}


def _defined(statements: list[ast.stmt]) -> Iterator[ast.FunctionDef]:
    """Yield the functions among statements and inside them; expressions, most of a file, contain none."""
    for statement in statements:
        if isinstance(statement, ast.FunctionDef):
            yield statement
        for inner in ("body", "orelse"):
            yield from _defined(getattr(statement, inner, []))


def read_sources() -> None:
    """Read the source files of all declared formulas, for a process that can open no file when they are compiled."""
    from backscope.ops.core.declaration import primitives

    for op in primitives.values():
        for function in (op.forward, *op.formulas.values()):
            _functions(function.__code__.co_filename)


def expression(function: Callable[..., Any], arguments: list[str], names: dict[str, Any], *, real: bool) -> str | None:
    """Return `function(*arguments)` as the text of the function's expression; None for functions of more than one.

    Names in the expression are added to `names`.  `real` drops conj(), which does nothing to real numbers.
    """
    needs = getattr(function, "needs", None)
    if needs is not None:
        function, arguments = function.formula, [*arguments, repr(needs)]  # type: ignore[attr-defined]
    code = getattr(function, "__code__", None)
    if code is None or function.__closure__:
        return None
    definition = _functions(code.co_filename).get(code.co_firstlineno)
    if definition is None or definition.name != code.co_name:
        return None
    body = definition.body
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return None
    parameters = dict(zip(code.co_varnames[: code.co_argcount], arguments, strict=False))
    try:
        made = _Substitution(parameters, function.__globals__, names, real).visit(body[0].value)
    except KeyError:  # A name of a comprehension, or of a function that is defined further down.
        return None
    return f"({ast.unparse(made)})"


class _Substitution(ast.NodeTransformer):
    """Replaces parameters by arguments and other names by entries of `names`, on copies of the changed nodes."""

    def __init__(self, parameters: dict[str, str], scope: dict[str, Any], names: dict[str, Any], real: bool) -> None:
        self.parameters = parameters
        self.scope = scope
        self.names = names
        self.real = real

    def generic_visit(self, node: ast.AST) -> ast.AST:
        fields = {}
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                fields[field] = [self.visit(v) if isinstance(v, ast.AST) else v for v in value]
            else:
                fields[field] = self.visit(value) if isinstance(value, ast.AST) else value
        return type(node)(**fields)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self.real and isinstance(node.func, ast.Name) and node.func.id == "conj" and len(node.args) == 1:
            found: ast.AST = self.visit(node.args[0])
            return found
        forward = self._forward(node)
        if forward is None:
            return self.generic_visit(node)
        arguments = [self.visit(a) for a in node.args]
        if all(isinstance(a, (ast.Name, ast.Constant)) for a in arguments):
            text = expression(forward, [ast.unparse(a) for a in arguments], self.names, real=self.real)
            if text is not None:
                return ast.parse(text, mode="eval").body
        return ast.Call(self._named(forward.__name__, forward), arguments, [])

    def _forward(self, node: ast.Call) -> Any:
        """Return the raw function behind a call of `xp`, as no Tensor can occur here; None for any other call."""
        function = node.func
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            return None
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "xp":
            return getattr(getattr(self.scope["xp"], function.attr, None), "forward", None)
        return None

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.parameters:
            text = self.parameters[node.id]
            return ast.Name(text, ast.Load()) if text.isidentifier() else ast.parse(text, mode="eval").body
        if node.id not in self.scope and hasattr(builtins, node.id):
            return ast.Name(node.id, ast.Load())
        return self._named(node.id, self.scope[node.id])

    def _named(self, alias: str, value: Value) -> ast.Name:
        while alias in self.names and self.names[alias] is not value:
            alias += "_"
        self.names[alias] = value
        return ast.Name(alias, ast.Load())
