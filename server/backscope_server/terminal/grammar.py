"""Parses breakpoints as a user types them, and formats them so."""

from __future__ import annotations

import re

import msgspec

from backscope.debugger.expression import NotAnExpression, parsed
from backscope.diagnosis.why import Tape
from backscope.protocol import commands as c

KINDS = """\
break LINE                  before the line runs
break FILE:LINE             in a file that the program imports, layers.py:5
break NAME                  an op, mul, or a node, MulBackward0
break module PATH           where a module is called, model.fc1
break node NUMBER [after]   at one node, by its number in `graph`
break tensor NAME WHEN      created, changed, gradient, accumulated, released
break nan                   where a NaN or Inf comes of finite numbers
break norm above X          where a gradient's norm is over X; below Y, too
break freed [NAME]          after a node freed what it saved
break hook [NAME]           after a hook ran
break exception [TYPE]      where an exception leaves a function
... if CONDITION            only where that is true in the frame that stops
... hits N                  from the Nth time on"""

_TAIL = re.compile(
    r"^(?P<head>.*?)(?:\s+hits\s+(?P<hits>\d+))?(?:\s+if\s+(?P<condition>.+?))?(?:\s+hits\s+(?P<more>\d+))?$"
)
_IN_FILE = re.compile(r"(?P<file>.*\S):(?P<line>\d+)")
_WHEN = ("created", "changed", "gradient", "accumulated", "released")


class NotUnderstood(ValueError):
    """The error for a text that is not a breakpoint; its message says what is accepted."""


def parse(typed: str, number: int) -> c.Breakpoint:
    """Parse a breakpoint, and give it this number.

    Raises: NotUnderstood.
    """
    found = _TAIL.match(typed.strip())
    words = found["head"].split() if found is not None else []
    if found is None or not words:
        raise NotUnderstood("Where? These can be typed:\n" + KINDS)
    if found["condition"] is not None:
        check_condition(found["condition"])
    more = {"id": number, "condition": found["condition"], "hits": int(found["hits"] or found["more"] or 1)}
    try:
        found_at: c.Breakpoint = msgspec.convert(_place(words, more), c.Breakpoint)
    except NotUnderstood:
        raise
    except (msgspec.ValidationError, ValueError) as error:
        raise NotUnderstood(f"{typed.strip()!r} is no breakpoint: {error}.") from None
    return found_at


def check_condition(typed: str) -> None:
    """Do nothing for a condition that is an expression of Python.

    Raises: NotUnderstood.
    """
    try:
        parsed(typed)
    except NotAnExpression as error:
        raise NotUnderstood(f"The condition {error}") from None


def _place(words: list[str], more: dict[str, object]) -> dict[str, object]:
    first, rest = words[0], words[1:]
    one = rest[0] if rest else None
    if first.isdigit() and not rest:
        return {"on": "line", "line": int(first), **more}
    if first == "line" and len(rest) == 1 and rest[0].isdigit():
        return {"on": "line", "line": int(rest[0]), **more}
    if in_file := _IN_FILE.fullmatch(" ".join(rest if first == "line" else words)):
        return {"on": "line", "line": int(in_file["line"]), "file": in_file["file"], **more}
    if first in ("op", "grad_fn", "module") and len(rest) == 1:
        return {"on": "op", "name": one, **more}
    if first == "node" and rest and rest[0].lstrip("#").isdigit() and rest[1:] in ([], ["before"], ["after"]):
        return {
            "on": "node",
            "node": int(rest[0].lstrip("#")),
            "when": "after" if "after" in rest else "before",
            **more,
        }
    if first == "tensor":
        if len(rest) != 2 or rest[1] not in _WHEN:
            raise NotUnderstood(f"A tensor has a name and a when: break tensor w {'|'.join(_WHEN)}")
        return {"on": "tensor", "tensor": int(rest[0]) if rest[0].isdigit() else rest[0], "when": rest[1], **more}
    if first in ("nan", "inf", "non_finite") and not rest:
        return {"on": "non_finite", **more}
    if first == "norm":
        return {"on": "gradient_norm", **_bounds(rest), **more}
    if first in ("freed", "hook", "exception") and len(rest) <= 1:
        return {"on": first, ("type" if first == "exception" else "name"): one, **more}
    if not rest and re.fullmatch(r"\w+", first):
        return {"on": "op", "name": first, **more}
    raise NotUnderstood(f"{' '.join(words)!r} is no place to stop at. These can be typed:\n{KINDS}")


def _bounds(words: list[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for side, value in zip(words[::2], words[1::2], strict=False):
        if side in ("above", "below"):
            try:
                found[side] = float(value)
            except ValueError:
                raise NotUnderstood(f"{value!r} is not a number.") from None
    if not found or len(words) != 2 * len(found):
        raise NotUnderstood("A norm has a bound: break norm above 100, break norm below 1e-6, or both.")
    return found


def words_of(b: c.Breakpoint, tape: Tape | None = None) -> str:
    """Return a breakpoint as a user types it, without its number."""
    if isinstance(b, c.LineBreakpoint):
        where = f"line {b.line}" if b.file is None else f"{b.file}:{b.line}"
    elif isinstance(b, c.OpBreakpoint):
        where = f"{'module' if '.' in b.name else 'op'} {b.name}"
    elif isinstance(b, c.NodeBreakpoint):
        where = f"node {b.node}{' after' if b.when == 'after' else ''}"
    elif isinstance(b, c.TensorBreakpoint):
        where = f"tensor {b.tensor} {b.when}"
    elif isinstance(b, c.NonFiniteBreakpoint):
        where = "nan"
    elif isinstance(b, c.GradientNormBreakpoint):
        above = "" if b.above is None else f" above {b.above:g}"
        where = f"norm{above}{'' if b.below is None else f' below {b.below:g}'}"
    elif isinstance(b, c.ExceptionBreakpoint):
        where = f"exception {b.type or ''}".strip()
    else:
        where = f"{'freed' if isinstance(b, c.FreedBreakpoint) else 'hook'} {b.name or ''}".strip()
    condition = "" if b.condition is None else f" if {b.condition}"
    return f"{where}{condition}{f' hits {b.hits}' if b.hits > 1 else ''}"
