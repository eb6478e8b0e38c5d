"""Makes a program stop before its lines: a check of a flag before each statement, woven into its syntax tree.

Before each statement the program reads STOPS[line] and calls STOP() if it is true: without a flag a line costs that
read alone, and flags can be set at any time.  Lambdas and comprehensions have a check before each value that they
compute.  In a comprehension on the line of its statement that check reads STOPS[-1], which is set for steps alone, as a
breakpoint on the statement would otherwise stop at every element.  The flag of a loop's head is read again at the end
of each iteration, as breakpoints stop there before the next one; steps do not.  An exception that leaves a function or
the program calls RAISED() if STOPS[0] is true, while the frame still exists.  Line numbers stay as they are.
"""

from __future__ import annotations

import ast
import bisect
from typing import TypeAlias

STOPS = "__backscope_stops__"
STOP = "__backscope_stop__"
RAISED = "__backscope_raised__"

Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While


_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_RUN = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class Places:
    """The lines of a program at which it can stop."""

    def __init__(self) -> None:
        self.spans: dict[int, int] = {}
        """By the line where a statement begins, its last line; for a compound statement the last line of its head."""

    @property
    def last(self) -> int:
        """The last line at which the program can stop; 0 if there is none."""
        return max(self.spans, default=0)

    def nearest(self, line: int) -> int | None:
        """Return the line where a breakpoint in `line` stops: of the statement there or of the next one; else None."""
        lines = sorted(self.spans)
        at = bisect.bisect_right(lines, line)
        if at and self.spans[lines[at - 1]] >= line:
            return lines[at - 1]
        return lines[at] if at < len(lines) else None


def weave(tree: ast.Module, places: Places) -> None:
    """Put the checks into a syntax tree and add their lines to `places`."""
    bodies = [
        (holder, field, statements)
        for holder in ast.walk(tree)
        for field in ("body", "orelse", "finalbody")
        if isinstance(statements := getattr(holder, field, None), list) and statements
    ]
    # A loop with its body on the line of its head stops there in each iteration anyway.
    loops = [n for n in ast.walk(tree) if isinstance(n, _LOOPS) and n.body[0].lineno > n.lineno]
    for _, _, statements in bodies:
        for statement in statements:
            _check_expressions(statement, places)
    for holder, field, statements in bodies:
        documented = field == "body" and isinstance(holder, _DOCUMENTED)
        woven: list[ast.stmt] = []
        for number, statement in enumerate(statements):
            if _stoppable(statement) and not (documented and number == 0 and _is_text(statement)):
                woven.append(_statement_check(statement, places))
            woven.append(statement)
        setattr(holder, field, woven)
    for loop in loops:
        loop.body = [*_with_loop_checks(loop.body, loop), _check_next_iteration(loop)]


def _with_loop_checks(statements: list[ast.stmt], loop: Loop) -> list[ast.stmt]:
    """Return the statements of a loop's body, with a check of its head before each `continue` of the loop."""
    woven: list[ast.stmt] = []
    for statement in statements:
        if isinstance(statement, ast.Continue):
            woven.append(_check_next_iteration(loop))
        elif not isinstance(statement, _SCOPES):
            holders = [statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
            for holder in holders:
                for field in ("orelse",) if isinstance(holder, _LOOPS) else ("body", "orelse", "finalbody"):
                    if inner := getattr(holder, field, None):
                        setattr(holder, field, _with_loop_checks(inner, loop))
        woven.append(statement)
    return woven


def _check_next_iteration(loop: Loop) -> ast.stmt:
    """Return the check before another iteration of a loop, for breakpoints alone."""
    check = _check(loop.lineno, STOP, ast.Constant(False), ast.Constant(True))
    _place(check, loop.lineno, loop.col_offset)
    return check


def _check_expressions(statement: ast.stmt, places: Places) -> None:
    """Put checks into the lambdas and comprehensions of a statement, but not of statements inside it."""
    waiting: list[tuple[ast.AST, int]] = [(statement, 0)]
    while waiting:
        node, nesting = waiting.pop()
        # Expressions in an f-string have no line numbers of their own before Python 3.12.
        children = [n for n in ast.iter_child_nodes(node) if not isinstance(n, (ast.stmt, ast.JoinedStr))]
        if isinstance(node, ast.Lambda):
            nesting = 0
            node.body = _checked(node.body, node.body.lineno, places)
        elif isinstance(node, _COMPREHENSIONS):
            nesting = 0 if isinstance(node, ast.GeneratorExp) else nesting + 1
            field = "key" if isinstance(node, ast.DictComp) else "elt"
            element: ast.expr = getattr(node, field)
            flag = -1 if element.lineno == statement.lineno else element.lineno
            setattr(node, field, _checked(element, flag, places, nesting))
        waiting += [(child, nesting) for child in children]


def _checked(value: ast.expr, flag: int, places: Places, nesting: int = 0) -> ast.expr:
    """Return `STOPS[flag] and STOP(...) or value`, where STOP() returns None.

    `nesting` counts the comprehensions around the value in one frame.
    """
    if flag > 0:
        places.spans[flag] = max(places.spans.get(flag, 0), value.end_lineno or flag)
    where = [ast.Constant(flag < 0), ast.Constant(False), ast.Constant(nesting)] if flag < 0 or nesting else []
    check = ast.BoolOp(ast.And(), [_flag(flag), _call(STOP, *where)])
    _place(check, value.lineno, value.col_offset)
    return ast.copy_location(ast.BoolOp(ast.Or(), [check, value]), value)


def _stoppable(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
        return False
    return not isinstance(statement, (ast.Global, ast.Nonlocal))


def _is_text(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def check_caught(tree: ast.Module) -> None:
    """Have each `except` block call RAISED() first, before its exception counts as caught."""
    for handler in [node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)]:
        check = ast.If(_flag(0), [ast.Expr(_call(RAISED))], [])
        _place(check, handler.body[0].lineno, handler.body[0].col_offset)
        handler.body.insert(0, check)


def guard(tree: ast.Module) -> None:
    """Put a handler around each function and the program that calls RAISED() when an exception leaves it."""
    for holder in [node for node in ast.walk(tree) if isinstance(node, _RUN)]:
        body = holder.body
        first = 0
        while first < len(body) and (not _stoppable(body[first]) or (first == 0 and _is_text(body[first]))):
            first += 1
        if first < len(body):
            at = body[first]
            # Where recursion went too deep for the call, a function further out makes it.
            unseen = ast.ExceptHandler(ast.Name("RecursionError", ast.Load()), None, [ast.Pass()])
            check = ast.If(_flag(0), [ast.Try([ast.Expr(_call(RAISED))], [unseen], [], [])], [])
            handler = ast.ExceptHandler(ast.Name("BaseException", ast.Load()), None, [check, ast.Raise()])
            tried = ast.Try(body[first:], [handler], [], [])
            _place(handler, at.lineno, at.col_offset)
            tried.lineno, tried.col_offset = at.lineno, at.col_offset
            tried.end_lineno, tried.end_col_offset = at.end_lineno, at.end_col_offset
            holder.body = [*body[:first], tried]


def _statement_check(statement: ast.stmt, places: Places) -> ast.stmt:
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
    places.spans[first] = max(places.spans.get(first, 0), _head_end(statement))
    check = _check(first, STOP)
    _place(check, first, statement.col_offset)
    return check


def _check(flag: int, function: str, *arguments: ast.expr) -> ast.If:
    """Return `if STOPS[flag]: function(...)`."""
    return ast.If(_flag(flag), [ast.Expr(_call(function, *arguments))], [])


def _flag(number: int) -> ast.expr:
    return ast.Subscript(ast.Name(STOPS, ast.Load()), ast.Constant(number), ast.Load())


def _call(function: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(function, ast.Load()), list(arguments), [])


def _place(made: ast.AST, line: int, column: int) -> None:
    for node in ast.walk(made):
        if isinstance(node, (ast.expr, ast.stmt, ast.ExceptHandler)):
            node.lineno = node.end_lineno = line
            node.col_offset = node.end_col_offset = column


def _head_end(statement: ast.stmt) -> int:
    """Return the last line of a statement; for a compound one, the last line before its first inner statement."""
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if not body:
        return statement.end_lineno or statement.lineno
    inner = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
    inner_first = min([inner.lineno, *(d.lineno for d in getattr(inner, "decorator_list", ()))])
    return max(statement.lineno, int(inner_first) - 1)
