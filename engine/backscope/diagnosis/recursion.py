"""Explains a RecursionError: which functions of the program call one another without an end."""

from __future__ import annotations

from collections import Counter

from backscope.diagnosis.user_frame import OwnCode, stack_of
from backscope.protocol.events import Diagnosis

_FEW = 10
"""The most repeated calls that are not taken for a recursion."""
_MOST = 3
"""The most functions that an answer names."""


def too_deep(error: BaseException, own: OwnCode, line: int | None) -> Diagnosis | None:
    """Return the diagnosis of a RecursionError; None where no function of the program was called repeatedly."""
    stack = stack_of(error, own)
    calls = Counter((frame.f_code, at) for frame, at in zip(stack.frames, stack.at, strict=True))
    often = max(calls.values(), default=0)
    if often < _FEW:
        return None
    # The first and the last cycle of calls may be incomplete.
    around = [(code, at) for code, at in reversed(calls) if calls[code, at] >= often - 2]
    names = list(dict.fromkeys(code.co_name for code, _ in around))
    if len(names) == 1:
        cycle = f"{names[0]}() calls itself at line {own.line_at(*around[0])}"
    else:
        listed = ", ".join(f"{name}()" for name in names[:_MOST])
        cycle = f"{listed}{' and others' if len(names) > _MOST else ''} call one another"
    fix = (
        "Let one case end without the call, or write it as a loop, which has no such limit: backward() walks a graph "
        "of any depth."
    )
    if "forward" in names:
        fix = "Within forward(), self(x) calls forward() again: call one of its layers, self.layer(x). " + fix
    return Diagnosis(
        cause=f"{cycle}: {often:,} calls lie one within another, more than Python allows.",
        fix=fix,
        wrong_fix="sys.setrecursionlimit() moves the limit: where no case ends it is only reached later.",
        lines=[x for x in dict.fromkeys([*(own.line_at(*call) for call in around[:_MOST]), line]) if x is not None],
        nodes=[],
        tensors=[],
    )
