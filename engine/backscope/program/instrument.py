"""Weaves small calls into a program's syntax tree, which report its variable names, caught errors, functions and loops.

After each binding of a name the program calls NAMED(name, value), after that of `self.x` ATTRIBUTE(self, "x"), after
something was put into a container KEPT(name, container) or KEPT("self", self, "x"), after `del x` DELETED("x"), at
the start of each `except` block CAUGHT(), LOOP(mark) where a loop is entered, goes round and is left, and CALL(mark)
where a function is entered and left.  Line numbers stay.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any, TypeVar

from backscope.debugger import stopping
from backscope.debugger.stopping import Places
from backscope.recorder.narration.loops import ENTERED, FUNCTION, LEFT, MARKS, ROUND

NAMED = "__backscope_named__"
KEPT = "__backscope_kept__"
CAUGHT = "__backscope_caught__"
DELETED = "__backscope_deleted__"
ATTRIBUTE = "__backscope_attribute__"
LOOP = "__backscope_loop__"
CALL = "__backscope_call__"

GROWING = frozenset({"append", "appendleft", "extend", "insert"})
"""The methods that put something into a container."""

LONGEST_HEAD = 80
"""Characters of a loop's first line in events."""

Loop = TypeVar("Loop", ast.For, ast.While)

_WITH_OWN_EVENTS = frozenset({"forward", "backward", "jvp", "vmap", "setup_context"})
"""Methods whose calls have events of their own: those of modules and of custom Functions."""


def weave(
    source: str, filename: str, *, loops: bool = True, places: Places | None = None, first: int = 0
) -> tuple[ast.Module, list[tuple[int, str]]]:
    """Return the program's tree with calls inserted, and line and head of each loop and function that got marks.

    With `places` the program can also be stopped; the lines where it can are added there.  The numbers in the marks
    go on from `first`.
    Raises: SyntaxError as compile() would.
    """
    tree = ast.parse(source, filename)
    if places is not None:
        stopping.weave(tree, places)
    weaver = _Weaver(source.splitlines(), loops=loops, first=first)
    woven: ast.Module = weaver.visit(tree)
    if places is not None and loops:
        stopping.guard(woven)
    # Last, so that a breakpoint on an exception is checked before the mark of the function's end.
    for function, site in weaver.functions:
        _mark_function(function, site)
    return woven, weaver.sites


def compiled(
    source: str, filename: str, places: Places | None = None, *, first: int = 0
) -> tuple[CodeType, list[tuple[int, str]]]:
    """Return the instrumented program as code, its loops and functions; `places` and `first` are as in weave().

    If blocks are nested as deeply as Python allows, marks would nest them too deeply: then the program has none, and
    exceptions that leave functions are not recorded.
    """
    try:
        tree, sites = weave(source, filename, places=places, first=first)
        return compile(tree, filename, "exec", dont_inherit=True), sites
    except SyntaxError:
        tree, _ = weave(source, filename, loops=False, places=places)
        return compile(tree, filename, "exec", dont_inherit=True), []


def _call(function: str, arguments: list[ast.expr], at: ast.stmt | ast.excepthandler | ast.expr) -> ast.stmt:
    call = ast.Expr(ast.Call(ast.Name(function, ast.Load()), arguments, []))
    for node in ast.walk(call):
        if isinstance(node, (ast.expr, ast.stmt)):
            node.lineno = at.lineno
            node.col_offset = at.col_offset
            node.end_lineno = at.lineno
            node.end_col_offset = at.col_offset
    return call


def bound_names(target: ast.expr) -> list[str]:
    """Return the variables that an assignment to a target binds."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, ast.Starred):
        return bound_names(target.value)
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for element in target.elts for name in bound_names(element)]
    return []


class _Weaver(ast.NodeTransformer):
    """`sites` are line and head of each loop and of each of the `functions`, which are to be given marks.

    A generator or coroutine runs in pieces, between which the program runs other code: it and its loops get no marks,
    but the functions inside it do.
    """

    def __init__(self, lines: list[str], *, loops: bool, first: int) -> None:
        self.lines = lines
        self.first = first
        self.marks = loops
        self.loops = loops
        self.sites: list[tuple[int, str]] = []
        self.functions: list[tuple[ast.FunctionDef, int]] = []
        self.in_class = False

    def visit(self, node: ast.AST) -> Any:
        """Visit statements alone: they bind names, and a long expression nests deeper than Python's stack."""
        return node if isinstance(node, ast.expr) else super().visit(node)

    def _naming(self, targets: list[ast.expr], at: ast.stmt) -> list[ast.stmt]:
        """Return the calls that record the names, attributes and container items that `targets` bind."""
        names = [name for target in targets for name in bound_names(target)]
        calls = [_call(NAMED, [ast.Constant(name), ast.Name(name, ast.Load())], at) for name in names]
        for target in targets:
            attribute = _attribute_of_self(target)
            if attribute is not None:
                calls.append(_call(ATTRIBUTE, [ast.Name("self", ast.Load()), ast.Constant(attribute)], at))
            if isinstance(target, ast.Subscript):
                calls += _keeping(target.value, at)
        return calls

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        self.generic_visit(node)
        return [node, *self._naming(node.targets, node)]

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | list[ast.stmt]:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in GROWING:
            return [node, *_keeping(call.func.value, node)]
        return node

    def visit_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        names = [name for target in node.targets for name in bound_names(target)]
        return [node, *(_call(DELETED, [ast.Constant(name)], node) for name in names)]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        self.generic_visit(node)
        return [node, *self._naming([node.target], node)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        self.generic_visit(node)
        return [node, *(self._naming([node.target], node) if node.value is not None else [])]

    def visit_For(self, node: ast.For) -> ast.For | list[ast.stmt]:
        site = self._site(node, node.iter)
        self.generic_visit(node)
        node.body[:0] = self._naming([node.target], node)
        return self._marked(node, site)

    def visit_While(self, node: ast.While) -> ast.While | list[ast.stmt]:
        site = self._site(node, node.test)
        self.generic_visit(node)
        return self._marked(node, site)

    def _site(self, node: ast.For | ast.While, last: ast.expr) -> int:
        if self.loops:
            line = self.lines[node.lineno - 1].encode()
            end = last.end_col_offset if last.end_lineno == node.lineno else len(line)
            head = line[node.col_offset : end].decode()
            self.sites.append((node.lineno, head if len(head) <= LONGEST_HEAD else head[: LONGEST_HEAD - 3] + "..."))
        return self.first + len(self.sites) - 1

    def _marked(self, node: Loop, site: int) -> Loop | list[ast.stmt]:
        """Return a loop with its marks; the last one runs however the loop is left."""
        if not self.loops:
            return node
        entered, went, left = (
            _call(LOOP, [ast.Constant(MARKS * site + what)], node) for what in (ENTERED, ROUND, LEFT)
        )
        node.body.insert(0, went)
        return [entered, ast.copy_location(ast.Try(body=[node], handlers=[], orelse=[], finalbody=[left]), node)]

    def visit_With(self, node: ast.With) -> ast.With:
        self.generic_visit(node)
        targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
        node.body[:0] = self._naming(targets, node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self._visit_inside(node, loops=self.loops, in_class=True)
        return node

    def _visit_inside(self, node: ast.AST, *, loops: bool, in_class: bool) -> None:
        around = self.loops, self.in_class
        self.loops, self.in_class = loops, in_class
        self.generic_visit(node)
        self.loops, self.in_class = around

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        self._visit_inside(node, loops=False, in_class=False)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        marked = self.marks and not _yields(node)
        if marked and is_recorded(node.name, in_class=self.in_class):
            self.functions.append((node, self.first + len(self.sites)))
            self.sites.append((node.lineno, FUNCTION + node.name))
        self._visit_inside(node, loops=marked, in_class=False)
        names = [
            a.arg
            for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            if a.arg not in ("self", "cls")
        ]
        at = _documented(node)
        calls = [_call(NAMED, [ast.Constant(name), ast.Name(name, ast.Load())], node) for name in names]
        node.body[at:at] = calls
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.generic_visit(node)
        node.body.insert(0, _call(CAUGHT, [], node))
        return node


def _documented(function: ast.FunctionDef) -> int:
    """Return the number of statements before the body of a function: 1 for a docstring, else 0."""
    first = function.body[0]
    value = first.value if isinstance(first, ast.Expr) else None
    return 1 if isinstance(value, ast.Constant) and isinstance(value.value, str) else 0


def is_recorded(name: str, *, in_class: bool) -> bool:
    """Return True if calls of a function are recorded: special methods, which Python calls, are not."""
    special = name.startswith("__") and name.endswith("__") and name != "__call__"
    return not (in_class and (special or name in _WITH_OWN_EVENTS))


def _mark_function(function: ast.FunctionDef, site: int) -> None:
    """Mark where a function is entered and, however it ends, left."""
    at = _documented(function)
    # The mark has the program's own line, because recursion that goes too deep raises in it.
    line = function.body[at] if at < len(function.body) else function
    entered, left = (_call(CALL, [ast.Constant(MARKS * site + what)], line) for what in (ENTERED, LEFT))
    body = ast.Try(body=function.body[at:], handlers=[], orelse=[], finalbody=[left])
    function.body[at:] = [entered, ast.copy_location(body, function)] if body.body else [entered, left]


def _keeping(container: ast.expr, at: ast.stmt) -> list[ast.stmt]:
    """Return the call that records the new item of a container, if that is a variable or an attribute of one."""
    if isinstance(container, ast.Name):
        return [_call(KEPT, [ast.Constant(container.id), ast.Name(container.id, ast.Load())], at)]
    if isinstance(container, ast.Attribute) and isinstance(container.value, ast.Name):
        holder = container.value.id
        return [_call(KEPT, [ast.Constant(holder), ast.Name(holder, ast.Load()), ast.Constant(container.attr)], at)]
    return []


def _yields(function: ast.FunctionDef) -> bool:
    """Return True for a generator; functions and lambdas inside the function do not count."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(node))
    return False


def _attribute_of_self(target: ast.expr) -> str | None:
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
        return target.attr
    return None
