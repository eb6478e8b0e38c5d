"""Protects the syntax of `break`: every kind, with condition and hits, and a clear error for any other text."""

from __future__ import annotations

import pytest

from backscope.protocol import commands as c
from backscope_server.terminal.grammar import NotUnderstood, parse, words_of


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("12", c.LineBreakpoint(id=1, line=12)),
        ("line 12 if i == 2 hits 3", c.LineBreakpoint(id=1, line=12, condition="i == 2", hits=3)),
        ("12 hits 3 if hits > 2", c.LineBreakpoint(id=1, line=12, condition="hits > 2", hits=3)),
        ("12 if 'a if b' in s", c.LineBreakpoint(id=1, line=12, condition="'a if b' in s")),
        ("layers.py:5", c.LineBreakpoint(id=1, line=5, file="layers.py")),
        (
            "line my parts/net.py:7 if x hits 2",
            c.LineBreakpoint(id=1, line=7, file="my parts/net.py", condition="x", hits=2),
        ),
        ("mul", c.OpBreakpoint(id=1, name="mul")),
        ("op sum", c.OpBreakpoint(id=1, name="sum")),
        ("MulBackward0", c.OpBreakpoint(id=1, name="MulBackward0")),
        ("node 7", c.NodeBreakpoint(id=1, node=7)),
        ("node #7 after", c.NodeBreakpoint(id=1, node=7, when="after")),
        ("tensor w gradient", c.TensorBreakpoint(id=1, tensor="w", when="gradient")),
        ("tensor 5 released", c.TensorBreakpoint(id=1, tensor=5, when="released")),
        ("nan", c.NonFiniteBreakpoint(id=1)),
        ("norm above 1e3 below 0.5", c.GradientNormBreakpoint(id=1, above=1e3, below=0.5)),
        ("freed", c.FreedBreakpoint(id=1)),
        ("freed MulBackward0", c.FreedBreakpoint(id=1, name="MulBackward0")),
        ("hook clip", c.HookBreakpoint(id=1, name="clip")),
        ("exception ValueError", c.ExceptionBreakpoint(id=1, type="ValueError")),
    ],
)
def test_every_kind_is_parsed_and_formatted(typed, wanted):
    assert parse(typed, 1) == wanted
    assert parse(words_of(wanted), 1) == wanted


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Where?"),
        ("wat is this", "no place to stop at"),
        ("tensor w", "created|changed|gradient|accumulated|released"),
        ("tensor w exploded", "created|changed|gradient|accumulated|released"),
        ("norm", "A norm has a bound"),
        ("norm above high", "'high' is not a number"),
        ("norm above 1 beneath 2", "A norm has a bound"),
        ("0", "no breakpoint"),
        ("12 hits 0", "no breakpoint"),
        ("layers.py:0", "no breakpoint"),
        ("layers.py:", "no place to stop at"),
        (":5", "no place to stop at"),
        ("node 99999999999999999999", "no breakpoint"),
        ("12 if (", "The condition '(' is not an expression"),
        ("12 if " + "x" * 5000, "no breakpoint"),
    ],
)
def test_any_other_text_is_an_error(typed, said):
    with pytest.raises(NotUnderstood) as error:
        parse(typed, 1)
    assert said in str(error.value)
