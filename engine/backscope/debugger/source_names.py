"""The names that the source of a program binds."""

from __future__ import annotations

import ast

from backscope.runtime.syntax_tree import tree_of


class SourceNames:
    """The names in a source.

    `variables` are all that it binds, its functions, classes and imports included.  `attributes` are those that it
    assigns, such as "self.w".  `functions` has the line of each function.  A source that cannot be parsed has no names.
    """

    def __init__(self, source: str) -> None:
        self.variables: set[str] = set()
        self.attributes: set[str] = set()
        self.functions: dict[str, int] = {}
        self.classes: set[str] = set()
        self.imported: set[str] = set()
        tree = tree_of(source)
        if tree is None:
            return
        for node in ast.walk(tree):
            self._add(node)
        self.variables |= {*self.functions, *self.classes, *self.imported}

    def _add(self, node: ast.AST) -> None:
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                self.variables.add(name)
            case ast.arg(arg=name):
                self.variables.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self.functions.setdefault(name, node.lineno)
            case ast.ClassDef(name=name):
                self.classes.add(name)
            case ast.alias(name=name, asname=other):
                self.imported.add(other or name.partition(".")[0])
            case ast.Attribute(ctx=ast.Store()):
                self.attributes.add(ast.unparse(node))
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.ExceptHandler(name=str(name)):
                self.variables.add(name)
