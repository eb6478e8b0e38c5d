"""Why calls ran out of room: the functions of the program that call one another without an end."""

from __future__ import annotations

from collections import Counter
from typing import Any

from backscope.diagnosis.user_frame import stack_of
from backscope.protocol.events import Diagnosis

_FEW = 10
"""Calls that are no recursion yet, where something else has used up the room."""
_MOST = 3
"""Functions that are named."""


def too_deep(error: BaseException, user_globals: dict[str, Any] | None, line: int | None) -> Diagnosis | None:
    """The diagnosis of a RecursionError; None where no function of the program was called again and again."""
    stack = stack_of(error, user_globals)
    calls = Counter((frame.f_code, at) for frame, at in zip(stack.frames, stack.at, strict=True))
    often = max(calls.values(), default=0)
    if often < _FEW:
        return None
    # The first and the last round of them may be left unfinished.
    around = [(code, at) for code, at in reversed(calls) if calls[code, at] >= often - 2]
    names = list(dict.fromkeys(code.co_name for code, _ in around))
    if len(names) == 1:
        who = f"{names[0]}() calls itself at line {around[0][1]}"
    else:
        told = ", ".join(f"{name}()" for name in names[:_MOST])
        who = f"{told}{' and others' if len(names) > _MOST else ''} call one another"
    fix = (
        "Let one case end without the call, or write it as a loop, which has no such limit: backward() walks a graph "
        "of any depth."
    )
    if "forward" in names:
        fix = "Within forward(), self(x) calls forward() again: call one of its layers, self.layer(x). " + fix
    return Diagnosis(
        cause=f"{who}: {often:,} calls lie one within another, more than Python allows.",
        fix=fix,
        wrong_fix="sys.setrecursionlimit() moves the limit: where no case ends it is only reached later.",
        lines=[x for x in dict.fromkeys([*(at for _, at in around[:_MOST]), line]) if x is not None],
        nodes=[],
        tensors=[],
    )
