"""The names that a source binds and its loops, by function, for programs that are not instrumented."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType

from backscope.program.instrument import GROWING, LONGEST_HEAD, bound_names, is_recorded
from backscope.recorder.narration.loops import FUNCTION
from backscope.runtime.syntax_tree import tree_of

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_INNER = (*_FUNCTIONS, ast.Lambda, ast.ClassDef)


class LoopSite:
    """A loop: its number among those of the program, its `head`'s line, its lines, and the names that rounds bind."""

    def __init__(self, number: int, node: ast.For | ast.While) -> None:
        self.number = number
        self.head = node.lineno
        self.body = node.body[0].lineno
        self.last = node.body[-1].end_lineno or self.body
        self.targets = bound_names(node.target) if isinstance(node, ast.For) else []


class Scope:
    """One function of a source, or its outermost level: names with the lines that bind them, and its loops.

    A name is that of a variable, or "self.x" for an attribute.
    """

    def __init__(self, line: int) -> None:
        self.line = line
        self.arguments: list[str] = []
        self.bindings: dict[str, list[int]] = {}
        self.containers: dict[str, int] = {}
        """Names of containers that items are put into, with the first line that does so."""
        self.calls: dict[tuple[str, str], int] = {}
        """Methods that are called, as the name of the object and that of the method, with the first line of each."""
        self.loops: list[LoopSite] = []
        self.site: int | None = None
        """The number of the function, if its calls are recorded."""

    def line_of(self, name: str, before: int, now: int) -> int:
        """Return the line that bound a name in a frame that went on from line `before` to line `now`."""
        lines = self.bindings[name]
        if before < now:
            passed = [line for line in lines if before <= line < now]
        else:
            passed = [line for line in lines if line < now] or [line for line in lines if line >= before]
        return passed[-1] if passed else lines[0]


class Outline:
    """The scopes of one source, and its loops and functions as line and head; their numbers go on from `first`."""

    def __init__(self, lines: list[str], first: int = 0) -> None:
        self.lines = lines
        self.loops: list[tuple[int, str]] = []
        self._first = first
        self._scopes: dict[tuple[int, str] | None, Scope] = {}
        self._methods: set[ast.AST] = set()
        self._clauses: list[tuple[int, int, bool]] | None = None
        # None for such as a cell with commands of the notebook's own; then nothing has a name.
        self.tree = tree_of("".join(lines))
        if self.tree is None:
            return
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            waiting += self._scope(waiting.pop())

    def scope(self, code: CodeType) -> Scope | None:
        """Return the scope that a piece of code was compiled from; None for code without bindings of its own."""
        name = code.co_name
        if name.startswith("<"):  # Notebooks have a name of their own for the outermost level.
            return self._scopes.get(None) if name == "<module>" or name.startswith("<cell") else None
        return self._scopes.get((code.co_firstlineno, name))

    def catches(self, line: int) -> bool:
        """Return True if an exception that is being handled at a line is caught there.

        It is not caught in a `finally`, nor at the line of a `with` that it leaves.
        """
        if self.tree is None:
            return True
        if self._clauses is None:
            self._clauses = []
            for node in ast.walk(self.tree):
                if isinstance(node, (ast.Try, ast.TryStar)):
                    bodies = [(handler.body, True) for handler in node.handlers] + [(node.finalbody, False)]
                    self._clauses += [(b[0].lineno, b[-1].end_lineno or b[0].lineno, kind) for b, kind in bodies if b]
        around = [(last - first, kind) for first, last, kind in self._clauses if first <= line <= last]
        return min(around)[1] if around else False

    def _scope(self, holder: ast.AST) -> list[ast.AST]:
        """Add one scope; return the nodes of those inside it."""
        if isinstance(holder, _FUNCTIONS):
            first = min([holder.lineno, *(d.lineno for d in holder.decorator_list)])
            key, scope = (first, holder.name), Scope(holder.lineno)
            given = holder.args
            scope.arguments = [
                a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs) if a.arg not in ("self", "cls")
            ]
        else:
            key, scope = None, Scope(1)
        inner: list[ast.AST] = []
        loops: list[ast.For | ast.While] = []
        pieces = isinstance(holder, ast.AsyncFunctionDef)
        for node in _own(holder, inner):
            pieces = pieces or isinstance(node, (ast.Yield, ast.YieldFrom))
            if isinstance(node, (ast.For, ast.While)):
                loops.append(node)
            if (container := _container(node)) is not None:
                line = _line(node)
                scope.containers[container] = min(line, scope.containers.get(container, line))
            if (call := _method_call(node)) is not None:
                scope.calls[call] = min(_line(node), scope.calls.get(call, _line(node)))
            for target in _targets(node):
                for name in _names(target):
                    scope.bindings.setdefault(name, []).append(_line(node))
        if isinstance(holder, ast.ClassDef):
            self._methods.update(inner)
        for lines in scope.bindings.values():
            lines.sort()
        is_method = holder in self._methods
        if isinstance(holder, ast.FunctionDef) and not pieces and is_recorded(holder.name, in_class=is_method):
            scope.site = self._first + len(self.loops)
            self.loops.append((holder.lineno, FUNCTION + holder.name))
        for loop in sorted(loops, key=lambda node: (node.lineno, node.col_offset)):
            if not pieces:
                scope.loops.append(LoopSite(self._first + len(self.loops), loop))
                self.loops.append((loop.lineno, self._head(loop)))
        if key is not None or isinstance(holder, ast.Module):
            self._scopes[key] = scope
        return inner

    def _head(self, node: ast.For | ast.While) -> str:
        line = self.lines[node.lineno - 1].encode()
        last = node.iter if isinstance(node, ast.For) else node.test
        end = last.end_col_offset if last.end_lineno == node.lineno else len(line)
        head = line[node.col_offset : end].decode().strip()
        return head if len(head) <= LONGEST_HEAD else head[: LONGEST_HEAD - 3] + "..."


def _own(holder: ast.AST, inner: list[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a scope without those of the scopes inside it, which are put into `inner`."""
    waiting = list(ast.iter_child_nodes(holder))
    while waiting:
        node = waiting.pop()
        if isinstance(node, _INNER):
            inner.append(node)
        else:
            yield node
            waiting.extend(ast.iter_child_nodes(node))


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, (ast.AugAssign, ast.For, ast.NamedExpr)):
        return [node.target]
    if isinstance(node, ast.AnnAssign):
        return [node.target] if node.value is not None else []
    if isinstance(node, ast.With):
        return [item.optional_vars for item in node.items if item.optional_vars is not None]
    return []


def _container(node: ast.AST) -> str | None:
    """Return the variable, or attribute of one, into whose list or dict a statement puts an item."""
    at: ast.expr | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in GROWING:
        at = node.func.value
    elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
        at = node.targets[0].value
    return _short_name(at)


def _method_call(node: ast.AST) -> tuple[str, str] | None:
    """Return the object, a variable or an attribute of one, and the method that an expression calls."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    holder = _short_name(node.func.value)
    return None if holder is None else (holder, node.func.attr)


def _short_name(at: ast.expr | None) -> str | None:
    """Return the name of a variable or of an attribute of one; None for any other expression."""
    if isinstance(at, ast.Name):
        return at.id
    if isinstance(at, ast.Attribute) and isinstance(at.value, ast.Name):
        return f"{at.value.id}.{at.attr}"
    return None


def _names(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
        return [f"self.{target.attr}"]
    return bound_names(target)


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 1))


def used_in(tree: ast.Module | None, line: int) -> list[str]:
    """Return the variables and their attributes that the `with` block at a line reads, in their order.

    Where the text has none at line 1, as a notebook's cell that is recorded as a whole, all of it is the block.
    """
    block: ast.With | ast.AsyncWith | ast.Module | None = tree if line == 1 else None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, (ast.With, ast.AsyncWith)) and node.lineno <= line <= node.body[0].lineno:
            block = node  # The innermost comes last.
    if block is None:
        return []
    names: dict[tuple[int, int, str], None] = {}
    for statement in block.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                names[node.lineno, node.col_offset, node.id] = None
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                names[node.lineno, node.col_offset, f"{node.value.id}.{node.attr}"] = None
    return list(dict.fromkeys(name for _, _, name in sorted(names)))
