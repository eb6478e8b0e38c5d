"""Protects the cost of breakpoints: only the moments that they need are checked."""

from __future__ import annotations

from backscope.debugger.breakpoints.armed import Armed
from backscope.debugger.breakpoints.matching import Matching
from backscope.protocol import commands as c
from backscope.recorder.recorder import Recorder


def test_other_moments_are_not_checked() -> None:
    """A breakpoint on an op leaves the recorder's methods for other moments in place."""
    recorder = Recorder(lambda _: None)
    on_op = c.OpBreakpoint(id=1, name="exp")
    assert set(Matching(recorder, [Armed(on_op)], lambda: None).moments) == {
        "op",
        "applied",
        "function_applied",
        "accumulating",
    }
    assert not Matching(recorder, [], lambda: None).moments


def test_matches_are_named_like_moments() -> None:
    """A match for a moment that was renamed would never be called."""
    about = [c.TensorBreakpoint(id=1, tensor="w", when=when) for when in ("created", "changed", "gradient")]
    everything = [
        *about,
        c.TensorBreakpoint(id=1, tensor="w", when="accumulated"),
        c.TensorBreakpoint(id=1, tensor="w", when="released"),
        c.NonFiniteBreakpoint(id=1),
        c.GradientNormBreakpoint(id=1, above=1),
        c.FreedBreakpoint(id=1),
        c.HookBreakpoint(id=1),
        c.ExceptionBreakpoint(id=1),
        c.OpBreakpoint(id=1, name="exp"),
    ]
    moments = Matching(Recorder(lambda _: None), [Armed(b) for b in everything], lambda: None).moments
    assert {*moments} <= {*Recorder(lambda _: None).part_methods}
