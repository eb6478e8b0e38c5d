"""Makes a program stop before its lines: a look at a list before each statement, woven into its syntax tree.

Before each statement the program asks STOPS[line], and calls STOP() where that is true: as long as it is not, nothing
else is paid, and it can be set for any line at any time.  The same goes for what a lambda or a comprehension computes;
an element of a comprehension in the line of its statement asks STOPS[-1], which is set for steps alone, or a breakpoint
on the statement would stop at every element too.  The head of a loop is asked for again at the end of each pass, as
breakpoints stop there before the next one; steps do not.  An exception that leaves a function, or the program, calls
RAISED() on its way where STOPS[0] is true, while the frame is still there.  Line numbers stay.
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
        """The last line of the statement that begins in a line, of a compound one the last of its head."""

    @property
    def last(self) -> int:
        """The last line that can be stopped at, 0 where there is none."""
        return max(self.spans, default=0)

    def nearest(self, line: int) -> int | None:
        """The line to stop at for a breakpoint in `line`: of the statement there, else of the next; None after all."""
        lines = sorted(self.spans)
        at = bisect.bisect_right(lines, line)
        if at and self.spans[lines[at - 1]] >= line:
            return lines[at - 1]
        return lines[at] if at < len(lines) else None


def weave(tree: ast.Module, places: Places) -> None:
    """Put the looks into a tree and note where."""
    bodies = [
        (holder, field, statements)
        for holder in ast.walk(tree)
        for field in ("body", "orelse", "finalbody")
        if isinstance(statements := getattr(holder, field, None), list) and statements
    ]
    # What a loop runs in the line of its head stops there at each pass anyway.
    loops = [n for n in ast.walk(tree) if isinstance(n, _LOOPS) and n.body[0].lineno > n.lineno]
    for _, _, statements in bodies:
        for statement in statements:
            _look_inside(statement, places)
    for holder, field, statements in bodies:
        documented = field == "body" and isinstance(holder, _DOCUMENTED)
        woven: list[ast.stmt] = []
        for number, statement in enumerate(statements):
            if _stoppable(statement) and not (documented and number == 0 and _is_text(statement)):
                woven.append(_look(statement, places))
            woven.append(statement)
        setattr(holder, field, woven)
    for loop in loops:
        loop.body = [*_passing(loop.body, loop), _look_again(loop)]


def _passing(statements: list[ast.stmt], loop: Loop) -> list[ast.stmt]:
    """The statements of a loop's body, with a look at its head before each `continue` of its own."""
    woven: list[ast.stmt] = []
    for statement in statements:
        if isinstance(statement, ast.Continue):
            woven.append(_look_again(loop))
        elif not isinstance(statement, _SCOPES):
            holders = [statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
            for holder in holders:
                for field in ("orelse",) if isinstance(holder, _LOOPS) else ("body", "orelse", "finalbody"):
                    if inner := getattr(holder, field, None):
                        setattr(holder, field, _passing(inner, loop))
        woven.append(statement)
    return woven


def _look_again(loop: Loop) -> ast.stmt:
    """The look before another pass of a loop, for breakpoints alone."""
    look = _asked(loop.lineno, STOP, ast.Constant(False), ast.Constant(True))
    _place(look, loop.lineno, loop.col_offset)
    return look


def _look_inside(statement: ast.stmt, places: Places) -> None:
    """Put looks into the lambdas and comprehensions of a statement, not of those inside it."""
    waiting: list[tuple[ast.AST, int]] = [(statement, 0)]
    while waiting:
        node, nesting = waiting.pop()
        # What is formatted in a text has no lines of its own before Python 3.12.
        children = [n for n in ast.iter_child_nodes(node) if not isinstance(n, (ast.stmt, ast.JoinedStr))]
        if isinstance(node, ast.Lambda):
            nesting = 0
            node.body = _looking(node.body, node.body.lineno, places)
        elif isinstance(node, _COMPREHENSIONS):
            nesting = 0 if isinstance(node, ast.GeneratorExp) else nesting + 1
            field = "key" if isinstance(node, ast.DictComp) else "elt"
            element: ast.expr = getattr(node, field)
            flag = -1 if element.lineno == statement.lineno else element.lineno
            setattr(node, field, _looking(element, flag, places, nesting))
        waiting += [(child, nesting) for child in children]


def _looking(value: ast.expr, flag: int, places: Places, nesting: int = 0) -> ast.expr:
    """`STOPS[flag] and STOP(...) or value`: STOP() gives None; `nesting` counts comprehensions around in its frame."""
    if flag > 0:
        places.spans[flag] = max(places.spans.get(flag, 0), value.end_lineno or flag)
    where = [ast.Constant(flag < 0), ast.Constant(False), ast.Constant(nesting)] if flag < 0 or nesting else []
    look = ast.BoolOp(ast.And(), [_flag(flag), _call(STOP, *where)])
    _place(look, value.lineno, value.col_offset)
    return ast.copy_location(ast.BoolOp(ast.Or(), [look, value]), value)


def _stoppable(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
        return False
    return not isinstance(statement, (ast.Global, ast.Nonlocal))


def _is_text(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def guard(tree: ast.Module) -> None:
    """Have exceptions tell that they leave a function or the program."""
    for holder in [node for node in ast.walk(tree) if isinstance(node, _RUN)]:
        body = holder.body
        first = 0
        while first < len(body) and (not _stoppable(body[first]) or (first == 0 and _is_text(body[first]))):
            first += 1
        if first < len(body):
            at = body[first]
            # Recursion that goes too deep leaves no room for the call: then it is seen further out, as it was.
            unseen = ast.ExceptHandler(ast.Name("RecursionError", ast.Load()), None, [ast.Pass()])
            asked = ast.If(_flag(0), [ast.Try([ast.Expr(_call(RAISED))], [unseen], [], [])], [])
            handler = ast.ExceptHandler(ast.Name("BaseException", ast.Load()), None, [asked, ast.Raise()])
            tried = ast.Try(body[first:], [handler], [], [])
            _place(handler, at.lineno, at.col_offset)
            tried.lineno, tried.col_offset = at.lineno, at.col_offset
            tried.end_lineno, tried.end_col_offset = at.end_lineno, at.end_col_offset
            holder.body = [*body[:first], tried]


def _look(statement: ast.stmt, places: Places) -> ast.stmt:
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
    places.spans[first] = max(places.spans.get(first, 0), _head_end(statement))
    look = _asked(first, STOP)
    _place(look, first, statement.col_offset)
    return look


def _asked(flag: int, function: str, *arguments: ast.expr) -> ast.If:
    """`if STOPS[flag]: function(...)`."""
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
    """The last line of a statement, of a compound one the last before its first inner statement."""
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if not body:
        return statement.end_lineno or statement.lineno
    inner = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
    inner_first = min([inner.lineno, *(d.lineno for d in getattr(inner, "decorator_list", ()))])
    return max(statement.lineno, int(inner_first) - 1)
