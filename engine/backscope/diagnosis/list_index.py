"""Explains an index beyond the end of a list or a tuple of the program: how long it is, and what the index was."""

from __future__ import annotations

import ast
import itertools
import linecache
from collections import deque
from types import FrameType, TracebackType
from typing import Any

from backscope.diagnosis.user_frame import OwnCode
from backscope.protocol.events import Diagnosis
from backscope.runtime.engine_frames import entries
from backscope.runtime.passive import own_dict
from backscope.runtime.syntax_tree import tree_of

_LISTS = (list, tuple, deque, range, str)
_CONTAINERS = ("torch.nn.modules.container",)
_UNKNOWN = object()
_LONGEST = 60
"""The most characters of an expression that an answer names."""


def beyond(error: IndexError, own: OwnCode, line: int | None) -> Diagnosis | None:
    """Return a diagnosis with the sequence, its length and the index; None where the code alone does not show them."""
    trace = None
    for entry in entries(error.__traceback__):
        if own.owns(entry.tb_frame):
            trace = entry
    found = None if trace is None else _subscript(trace)
    if trace is None or found is None:
        return None
    held, index = (_value(part, trace.tb_frame) for part in (found.value, found.slice))
    if type(held).__module__ in _CONTAINERS:
        held = [*own_dict(held).get("_modules", ())]
    if type(held) not in _LISTS or type(index) is not int or -len(held) <= index < len(held):
        return None
    name, text = ast.unparse(found.value), ast.unparse(found.slice)
    if max(len(name), len(text)) > _LONGEST:
        return None
    count = len(held)
    has = f"{name} has {count:,} element{'s' * (count != 1)}" if count else f"{name} is empty"
    last = f": counting starts at 0, so that the last one is {name}[{count - 1}]" if count else ""
    position = f"the index is {index:,}" if text == str(index) else f"{text} is {index:,}"
    return Diagnosis(
        cause=f"{has}, and {position}{last}.",
        fix=(
            f"Look at where {name} is filled, or let the index stay below len({name}). A loop that goes over {name} "
            "itself, with enumerate() where the number is needed, or over zip() of several, goes no further."
        ),
        lines=[] if line is None else [line],
        nodes=[],
        tensors=[],
    )


def _subscript(trace: TracebackType) -> ast.Subscript | None:
    """Return the subscript that was being evaluated."""
    code = trace.tb_frame.f_code
    place = next(itertools.islice(code.co_positions(), trace.tb_lasti // 2, None), None)
    if place is None or None in place or place[0] != place[1]:
        return None
    text = linecache.getline(code.co_filename, place[0] or 0).encode()[place[2] : place[3]].decode(errors="replace")
    match tree_of(text.strip()):
        case ast.Module(body=[ast.Expr(value=ast.Subscript() as found)]):
            return found
    return None


def _value(part: ast.expr, frame: FrameType) -> Any:
    """Return the value of an expression of names, attributes, whole numbers and indices; no other code runs."""
    if isinstance(part, ast.Constant):
        return part.value
    if isinstance(part, ast.Name):
        return frame.f_locals.get(part.id, frame.f_globals.get(part.id, _UNKNOWN))
    if isinstance(part, ast.Attribute):
        return own_dict(_value(part.value, frame)).get(part.attr, _UNKNOWN)
    if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub):
        value = _value(part.operand, frame)
        return -value if type(value) is int else _UNKNOWN
    if isinstance(part, ast.BinOp):
        left, right = _value(part.left, frame), _value(part.right, frame)
        if type(left) is int and type(right) is int and isinstance(part.op, ast.Add):
            return left + right
        if type(left) is int and type(right) is int and isinstance(part.op, ast.Sub):
            return left - right
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and len(part.args) == 1 and not part.keywords:
        is_own = _value(part.func, frame) is not _UNKNOWN
        measured: Any = None if is_own or part.func.id != "len" else _value(part.args[0], frame)
        return len(measured) if type(measured) in _LISTS else _UNKNOWN
    if isinstance(part, ast.Subscript):
        held, index = _value(part.value, frame), _value(part.slice, frame)
        if type(held) in (list, tuple) and type(index) is int and -len(held) <= index < len(held):
            return held[index]
        if type(held) is dict and type(index) in (int, str):
            return held.get(index, _UNKNOWN)
    return _UNKNOWN
