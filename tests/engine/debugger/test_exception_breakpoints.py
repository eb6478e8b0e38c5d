"""Protects breakpoints on exceptions: where they stop, and that exceptions stay as they are."""

from __future__ import annotations

import pytest
from breakpoint_stops import places, stops


def test_exceptions_before_their_frame_is_gone() -> None:
    """Each stops once, in the innermost function at the line that raised; types match their bases too."""
    first, second = stops({"on": "exception"})
    assert (first.line, first.note, [t.function for t in first.stack]) == (
        4,
        "ValueError was raised: no",
        ["<module>", "boom"],
    )
    assert (second.line, second.note) == (
        17,
        "RuntimeError was raised: Trying to backward through the graph a second time (or directly access saved ten...",
    )
    assert [line for line, _, _ in places({"on": "exception", "type": "ArithmeticError"})] == []
    assert [line for line, _, _ in places({"on": "exception", "type": "Exception"})] == [4, 17]


def test_an_exception_that_is_caught_where_it_is_raised() -> None:
    """It stops where it is caught."""
    source = "def f():\n    try:\n        {}['k']\n    except KeyError:\n        return 1\nf()\n"
    (stop,) = stops({"on": "exception"}, source=source)
    assert [t.function for t in stop.stack] == ["<module>", "f"]


@pytest.mark.parametrize(
    "source",
    [
        "def g():\n    try:\n        yield 1\n    finally:\n        print('closed')\nfor x in g():\n    break\n",
        "class A:\n    x = 1 / 1\n    def f(self):\n        'doc'\n        raise KeyError(1)\ntry:\n    A().f()\n"
        "except KeyError as e:\n    import traceback\n    print(traceback.format_exc(), e.__context__)\n",
        "import sys\nsys.exit(3)\n",
        "def f():\n    return 1\n1 / 0\n",
    ],
)
def test_exceptions_are_the_same_as_without_breakpoints(source: str) -> None:
    """Their text, traceback and context do not change."""
    stops({"on": "exception", "condition": "False"}, source=source)
    stops({"on": "line", "line": 1}, source=source)
