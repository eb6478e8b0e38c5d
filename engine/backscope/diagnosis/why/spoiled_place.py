"""Finds the numbers that made NaN or an infinity: the element, or the row that was reduced to it."""

from __future__ import annotations

import ast
import math

from backscope.diagnosis.why.answer import number
from backscope.diagnosis.why.log.elements import floats
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev
from backscope.protocol.op_names import argument_text

REDUCE = (
    "sum", "mean", "nanmean", "std", "var", "prod", "softmax", "log_softmax", "logsumexp", "linalg_vector_norm", "norm"
)  # fmt: skip
"""Ops that reduce a row to one element."""
OF_ONE = ("log", "log2", "log10", "log1p", "exp", "expm1", "sqrt", "rsqrt", "acos", "asin", "atanh")
MOST = 4
"""The most elements of a row that an answer shows."""


def element(index: list[int]) -> str:
    """Return "element [1, 0]: ", or nothing for a single number."""
    return f"element {index}: " if index else ""


def unravel(flat: int, shape: list[int]) -> list[int]:
    """Return the index of an element."""
    found: list[int] = []
    for size in reversed(shape):
        found.append(flat % size)
        flat //= size
    return found[::-1]


def sum_of(op: str, given: list[float]) -> str:
    """Return the computation of an elementwise op, such as "0 ÷ 0"; "" for an op without such a notation."""
    shown = [_text(v) for v in given]
    two = {"div": "÷", "true_divide": "÷", "mul": "×", "sub": "-", "add": "+", "pow": "**"}
    if op in two and len(shown) == 2:
        return f"{shown[0]} {two[op]} {shown[1]}"
    if op == "reciprocal" and len(shown) == 1:
        return f"1 ÷ {shown[0]}"
    if op in OF_ONE and len(shown) == 1:
        return f"{op}({shown[0]})"
    return ""


def row(tape: Tape, op: ev.OpApplied, value: ev.Summary, flat: int) -> str | None:
    """Return the elements that were reduced to one, such as "z[0, :] is [1]"; None where the log does not have them."""
    if op.op.rstrip("_") not in REDUCE or not op.inputs or op.inputs[0].tensor is None:
        return None
    source = op.inputs[0].tensor
    before = tape.value(source, tape.before(op))
    inside = floats(before)
    if before is None or inside is None or not before.shape:
        return None
    dims = _dims(op, len(before.shape))
    at = unravel(flat, value.shape)
    if len(value.shape) != len(before.shape):
        kept = iter(at)
        at = [0 if i in dims else next(kept, 0) for i in range(len(before.shape))]
    found = [
        v
        for i, v in enumerate(inside)
        if all(d in dims or here == at[d] for d, here in enumerate(unravel(i, before.shape)))
    ]
    shown = ", ".join(_text(v) for v in found[:MOST])
    place = ", ".join(":" if d in dims else str(at[d]) for d in range(len(before.shape)))
    more = ", ..." if len(found) > MOST else ""
    name = tape.name(source, op.seq)
    row_name = f"[{place}] of {name}" if " " in name else f"{name}[{place}]"
    return f"{row_name} is [{shown}{more}]"


def _text(value: float) -> str:
    if math.isnan(value):
        return "nan"
    return number(value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity")


def _dims(op: ev.OpApplied, rank: int) -> set[int]:
    """Return the dims that an op reduces: all where it names none."""
    text = argument_text(op.inputs, "dim")
    try:
        read = None if text is None else ast.literal_eval(text)
    except (ValueError, SyntaxError):
        read = None
    if read is None or read == ():
        return set(range(rank))
    return {d % rank for d in (read if isinstance(read, (tuple, list)) else (read,)) if isinstance(d, int)}
