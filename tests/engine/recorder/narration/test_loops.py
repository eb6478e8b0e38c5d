"""Rounds of the program's loops: every op knows which rounds it is in, and loops keep their meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from backscope.protocol import events as ev
from backscope.recorder.journal import Journal
from backscope.recorder.narration.loops import ROUND
from backscope.recorder.user_code import UserCode


def repeats(run: Any) -> list[list[int]]:
    """The rounds that each op is in."""
    return [e.repeat for e in run.of(ev.OpApplied)]


def test_nested_loops(record: Callable[..., Any]) -> None:
    """Rounds have events outermost first; an op after a loop is outside of it."""
    run = record(
        "x = torch.ones(1)\nfor epoch in range(2):\n    for step in range(2):\n        x * 2\n    x * 3\nx * 4\n"
    )
    assert repeats(run) == [[1, 1], [1, 2], [1], [2, 1], [2, 2], [2], []]
    rounds = [(e.line, e.loop, e.outer, e.round, e.text) for e in run.of(ev.RoundStarted)]
    outer, inner = "for epoch in range(2)", "for step in range(2)"
    assert rounds == [
        (3, 1, None, 1, outer), (4, 2, 1, 1, inner), (4, 2, 1, 2, inner),
        (3, 1, None, 2, outer), (4, 3, 1, 1, inner), (4, 3, 1, 2, inner),
    ]  # fmt: skip
    assert [(e.loop, e.rounds) for e in run.of(ev.LoopFinished)] == [(2, 2), (3, 2), (1, 2)]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("i = 0\nwhile i < 2:\n    i += 1\n    x * 2\n", [[1], [2]]),
        ("for i in range(9):\n    x * 2\n    if i:\n        break\nx * 3\n", [[1], [2], []]),
        ("for i in range(2):\n    if not i:\n        continue\n    x * 2\nelse:\n    x * 3\n", [[2], [2]]),
        ("def f():\n    for i in range(3):\n        if i:\n            return x * 2\nf()\nx * 3\n", [[2], []]),
        ("try:\n    for i in range(3):\n        x * 2\n        1 / 0\nexcept ZeroDivisionError:\n    x * 3\n",
         [[1], []]),
        ("def data():\n    for i in range(2):\n        yield x * 2\nfor t in data():\n    t * 3\nx * 4\n",
         [[], [1], [1], [2], []]),
        ("def f(n):\n    for i in range(2):\n        x * 2\n        if n:\n            f(n - 1)\nf(1)\n",
         [[1], [1, 1], [1, 2], [2], [2, 1], [2, 2]]),
        ("[x * 2 for _ in range(2)]\n", [[], []]),
        ("for i in range(3):\n    pass\nfor i in range(2):\n    x * 2\n", [[1], [2]]),
    ],
)  # fmt: skip
def test_ways_through_a_loop(record: Callable[..., Any], program: str, expected: list[list[int]]) -> None:
    """break, continue, else, return, exceptions, generators and recursion."""
    run = record("x = torch.ones(1)\n" + program)
    assert run.status == "ok"
    assert repeats(run) == expected


def test_a_loop_in_which_nothing_happens_is_not_told(record: Callable[..., Any]) -> None:
    """Rounds without events cost no events, and are counted all the same."""
    run = record(
        "x = torch.ones(1)\nfor i in range(100):\n    if i == 41:\n        x * 2\nfor i in range(9):\n    pass\n"
    )
    assert [e.round for e in run.of(ev.RoundStarted)] == [42]
    assert [(e.loop, e.rounds) for e in run.of(ev.LoopFinished)] == [(1, 100)]


def test_an_error_in_a_loop_has_its_own_line(record: Callable[..., Any]) -> None:
    """Leaving the loop does not hide where the exception came from."""
    run = record("for i in range(3):\n    a = 1\n    b = [][i]\n    c = 2\n")
    assert run.status == "error"
    error = run.one(ev.ErrorRaised)
    assert error.line == 4 and [t.line for t in error.traceback] == [4]


def test_blocks_nested_as_deeply_as_python_allows(record: Callable[..., Any]) -> None:
    """There is no room for marks then, and the program runs as it is."""
    lines = [f"{'  ' * i}for i{i} in range(1):" for i in range(19)]
    run = record("\n".join([*lines, "  " * 19 + "print(torch.ones(1) * 2)", ""]))
    assert run.status == "ok" and run.stdout == "tensor([2.])\n"
    assert repeats(run)[0] == []


def test_rounds_in_which_nothing_happens_take_no_memory(record: Callable[..., Any]) -> None:
    """However long an empty loop goes on, what is kept of it does not grow, even where no timer empties the journal."""
    run = record(
        "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nfor i in range(300_000):\n    pass\n"
        "for i in range(3):\n    for j in range(100_000):\n        pass\n    x = torch.ones(1)\n"
    )
    assert run.status == "ok"
    assert [(e.round, e.text) for e in run.of(ev.RoundStarted)] == [(i, "for i in range(3)") for i in (1, 2, 3)]


def test_marks_are_kept_together() -> None:
    """Further rounds are counted in the mark of the first."""
    written: list[bytes] = []
    journal = Journal(written.append, UserCode(None), {}, set())
    for _ in range(10_000):
        journal.marked(3 * 5 + ROUND)
    assert len(journal.moments) == 1
    loops = journal.narrator.loops
    loops.sites = [(1, "while True")] * 6
    loops.mark(3 * 5, passing=False)
    loops.mark(journal.moments[0], passing=False)
    assert loops.running[-1].round == 10_000
