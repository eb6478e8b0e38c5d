"""Makes a program tell its variable names and caught errors: small calls woven into its syntax tree.

After each binding of a name the program calls NAMED(name, value), after that of `self.x` ATTRIBUTE(self, "x"), and at
the start of each `except` block CAUGHT().  Line numbers stay.
"""

from __future__ import annotations

import ast
from typing import Any, TypeVar

NAMED = "__backscope_named__"
CAUGHT = "__backscope_caught__"
ATTRIBUTE = "__backscope_attribute__"

Node = TypeVar("Node", bound=ast.AST)


def weave(source: str, filename: str) -> ast.Module:
    """The program's tree with the calls in place; raises SyntaxError as compile() would."""
    tree = ast.parse(source, filename)
    woven: ast.Module = _Weaver().visit(tree)
    return woven


def _call(function: str, arguments: list[ast.expr], at: ast.stmt | ast.excepthandler | ast.expr) -> ast.stmt:
    call = ast.Expr(ast.Call(ast.Name(function, ast.Load()), arguments, []))
    for node in ast.walk(call):
        if isinstance(node, (ast.expr, ast.stmt)):
            node.lineno = at.lineno
            node.col_offset = at.col_offset
            node.end_lineno = at.lineno
            node.end_col_offset = at.col_offset
    return call


def _named(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Starred):
        return _named(target.value)
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for element in target.elts for name in _named(element)]
    return []


class _Weaver(ast.NodeTransformer):
    def visit(self, node: ast.AST) -> Any:
        """Statements only: they bind what is told, and a long expression nests deeper than Python's stack."""
        return node if isinstance(node, ast.expr) else super().visit(node)

    def _tell(self, targets: list[ast.expr], at: ast.stmt) -> list[ast.stmt]:
        names = [name for target in targets for name in _named(target)]
        calls = [_call(NAMED, [ast.Constant(name), ast.Name(name, ast.Load())], at) for name in names]
        for target in targets:
            attribute = _attribute_of_self(target)
            if attribute is not None:
                calls.append(_call(ATTRIBUTE, [ast.Name("self", ast.Load()), ast.Constant(attribute)], at))
        return calls

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        self.generic_visit(node)
        return [node, *self._tell(node.targets, node)]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        self.generic_visit(node)
        return [node, *self._tell([node.target], node)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        self.generic_visit(node)
        return [node, *(self._tell([node.target], node) if node.value is not None else [])]

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        node.body[:0] = self._tell([node.target], node)
        return node

    def visit_With(self, node: ast.With) -> ast.With:
        self.generic_visit(node)
        targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
        node.body[:0] = self._tell(targets, node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        names = [
            a.arg
            for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            if a.arg not in ("self", "cls")
        ]
        first = node.body[0]
        documented = (
            isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
        )
        at = 1 if documented else 0
        calls = [_call(NAMED, [ast.Constant(name), ast.Name(name, ast.Load())], node) for name in names]
        node.body[at:at] = calls
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.generic_visit(node)
        node.body.insert(0, _call(CAUGHT, [], node))
        return node


def _attribute_of_self(target: ast.expr) -> str | None:
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
        return target.attr
    return None
