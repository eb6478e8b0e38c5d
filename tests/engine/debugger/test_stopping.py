"""Protects the places where a program can stop: statements of all kinds, lambdas, comprehensions, heads of loops."""

from __future__ import annotations

import sys

from debugged import debugged, line, plain, without_pauses

from backscope.protocol import commands as c


def test_a_line_without_a_statement_stops_at_the_next() -> None:
    """A line inside a statement stops at its beginning; the answer has the line of the stop."""
    source = "x = (1 +\n     2)\n\n# nothing\ny = 2\nif y:\n    z = 3\n"
    wanted = [c.LineBreakpoint(id=n, line=n) for n in (2, 3, 6)]
    _, stops, answers, _ = debugged(source, wanted, [c.Resume(id=0)] * 5)
    assert answers[0] == c.BreakpointsSet(
        id=0, places=[c.BreakpointPlace(id=i, line=at) for i, at in ((2, 1), (3, 5), (6, 6))]
    )
    assert [s.line for s in stops] == [1, 5, 6]


def test_a_breakpoint_at_the_head_of_a_loop_stops_before_each_pass() -> None:
    """As in pdb it stops before the loop and after each iteration, also one with continue or an inner loop."""
    source = (
        "seen = []\n"
        "for i in range(4):\n"
        "    if i == 1:\n"
        "        continue\n"
        "    for j in range(2):\n"
        "        if j == 0:\n"
        "            continue\n"
        "    else:\n"
        "        if i == 2:\n"
        "            continue\n"
        "    try:\n"
        "        seen.append(i)\n"
        "    except ValueError:\n"
        "        continue\n"
        "n = 0\n"
        "while n < 2:\n"
        "    n += 1\n"
        "for k in range(9):\n"
        "    if k == 1:\n"
        "        break\n"
        "for never in []:\n"
        "    pass\n"
        "for one in range(2): n += 1\n"
    )
    for at, times in ((2, 5), (5, 9), (16, 3), (18, 2), (21, 1), (23, 3)):
        events, stops, _, status = debugged(source, [line(at)], [c.Resume(id=0)] * 20)
        assert [(s.line, s.where) for s in stops] == [(at, "line")] * times
        assert status == "ok"
        assert without_pauses(events) == without_pauses(plain(source))
    _, stops, _, _ = debugged(source, [line(2, condition="'i' in dir() and i == 1")], [c.Resume(id=0)] * 20)
    assert len(stops) == 1


STATEMENTS = '''\
"""A docstring."""
from __future__ import annotations


import asyncio, contextlib
count = 0
@contextlib.contextmanager
def around():
    "Also documented."
    global count
    count += 1
    yield count
class Thing:
    """Of a class."""
    field = 1
    def __init__(self):
        nonlocal_ = 1
        def inner():
            nonlocal nonlocal_
            nonlocal_ = 2
        inner()
try:
    with around() as n:
        assert n == 1; t = Thing()
    match n:
        case 1:
            x = [i for i in range(3)]
        case _:
            x = 0
    raise KeyError(1)
except KeyError as error:
    y = 1
else:
    y = 2
finally:
    z = (lambda: 3)()
async def wait():
    await asyncio.sleep(0)
    return 1
while z:
    z -= 1
    if z == 2: continue
    elif z == 1:
        break
else:
    z = 5
print(around.__doc__, Thing.__doc__, __doc__, asyncio.iscoroutinefunction(wait), x, y, z)
'''


def test_statements_of_all_kinds_can_be_stopped_at() -> None:
    """They do the same as without checks: docstrings, __future__, decorators, match, try, with, async, class."""
    source = STATEMENTS
    events, stops, _, status = debugged(source, [line(n) for n in range(1, source.count("\n"))], [c.Resume(id=0)] * 500)
    assert status == "ok"
    assert without_pauses(events) == without_pauses(plain(source))
    assert {s.line for s in stops} >= {5, 6, 7, 11, 12, 13, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25, 27, 30, 32}


EXPRESSIONS = """\
import torch
w = torch.ones(2, requires_grad=True)
w.register_hook(lambda g: g * 2)
(w * 3).sum().backward()
rows = [
    n * 2
    for n in range(3)
]
table = {k: k + 1 for k in rows}
def each(): return list(v for v in rows if v)
found = sorted(each(), key=lambda v:
    -v)
text = f"{(lambda: 3)()}"
print(rows, table, found, text, any(r > 3 for r in rows), {r % 4 for r in rows})
"""


def test_lambdas_stop_where_they_run() -> None:
    """A hook stops inside backward(); a body on a line of its own has a place too."""
    events, stops, _, status = debugged(EXPRESSIONS, [line(3), line(12)], [c.Resume(id=0)] * 50)
    assert status == "ok" and without_pauses(events) == without_pauses(plain(EXPRESSIONS))
    assert [(s.line, s.stack[-1].function) for s in stops] == [
        (3, "<module>"), (3, "<lambda>"), (12, "<lambda>"), (12, "<lambda>")
    ]  # fmt: skip
    assert stops[1].call is not None


def test_comprehensions_stop_at_elements() -> None:
    """Elements on their own lines stop; those on the line of the statement stop for steps alone."""
    events, stops, _, status = debugged(EXPRESSIONS, [line(6), line(9)], [c.Resume(id=0)] * 50)
    assert status == "ok" and without_pauses(events) == without_pauses(plain(EXPRESSIONS))
    assert [s.line for s in stops] == [6, 6, 6, 9]
    _, stops, _, _ = debugged(EXPRESSIONS, [line(9)], ["into", "into", "into", "into"])
    assert [s.line for s in stops] == [9, 9, 9, 9, 10]
    _, stops, _, _ = debugged(EXPRESSIONS, [line(9)], ["into", "out"])
    assert [s.line for s in stops] == [9, 9, 10]
    _, stops, _, _ = debugged(EXPRESSIONS, [line(9)], ["line"])
    assert [s.line for s in stops] == [9, 10]


NESTED = """\
scale = 3
grid = [[i * j for j in range(2)] for i in range(2)]
rows = [
    [u + scale + v
     for u in range(2)]
    for v in range(2)]
print(grid, rows)
"""


def test_steps_in_and_out_of_nested_comprehensions_are_the_same_on_every_python() -> None:
    """Before Python 3.12 they have frames of their own, since then they have none."""
    for steps, lines in (
        (["line"] * 9, [1, 2, 3, 7]),
        (["line", "into", "into", "out", "out", "out"], [1, 2, 2, 2, 2, 3]),
        (["line", "line", "into", "into", "line", "out", "out"], [1, 2, 3, 4, 4, 4, 4, 7]),
    ):
        _, stops, _, status = debugged(NESTED, [line(1)], steps)
        assert status == "ok"
        assert [s.line for s in stops] == lines, steps


def test_the_variables_around_a_comprehension_can_be_read() -> None:
    """They are listed with those of the comprehension, and can be assigned where Python keeps them apart."""
    inlined = sys.version_info >= (3, 12)
    _, stops, answers, _ = debugged(
        NESTED,
        [line(4)],
        [
            c.Resume(id=0),
            c.Evaluate(id=0, expression="(scale, u, v)"),
            c.ListLocals(id=0, frame=0),
            c.Assign(id=0, target="scale", expression="10"),
            c.Assign(id=0, target="u", expression="7"),
            c.Evaluate(id=0, expression="(scale, u, v)"),
        ],
    )
    assert [s.line for s in stops] == [4, 4]
    _, _, before, listed, changed, own, after = answers
    assert before.look.text == "(3, 0, 0)"
    names = {variable.name for variable in listed.variables}
    assert {"u", "v"} <= names if not inlined else {"scale", "grid", "u", "v"} == names
    assert isinstance(changed, c.Done if inlined else c.Refused)
    if inlined:
        assert (
            own.reason
            == f"u belongs to a comprehension outside functions: Python 3.{sys.version_info[1]} lets nobody change it."
        )
        assert after.look.text == "(10, 0, 0)"
    else:
        assert after.look.text == "(3, 7, 0)"
