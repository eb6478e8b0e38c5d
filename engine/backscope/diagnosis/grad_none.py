"""Finds the tensor with a `.grad` of None that made a program fail, by the instruction that read it."""

from __future__ import annotations

import dis
import linecache
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, TypeAlias

from backscope.diagnosis.recorded_run import RecordedRun
from backscope.runtime.engine_frames import entries
from backscope.tensor.grad_reads import reads

if TYPE_CHECKING:
    from backscope.tensor.tensor import Tensor

_Span: TypeAlias = tuple[tuple[int, int], tuple[int, int]]


def unset(error: BaseException, recorder: RecordedRun) -> Tensor | None:
    """Return the tensor with the `.grad` that an error is about, or None where it is about something else."""
    if isinstance(error, AttributeError):
        if error.obj is not None or error.name is None:
            return None
    elif not isinstance(error, TypeError) or "NoneType" not in str(error):
        return None
    at = None
    for entry in entries(error.__traceback__):
        if recorder.owns(entry.tb_frame):
            at = entry.tb_frame, entry.tb_lasti
    if at is None:
        return None
    read = _read_in(*at)
    return _bound_in(*at) if read is None else read


def _read_in(frame: FrameType, instruction: int) -> Tensor | None:
    """Return the `.grad` that was read in the failed expression, or in a comprehension within it."""
    code = frame.f_code
    failed = _span(code, instruction)
    for tensor, within, at in reversed(reads):
        if within is code or within in code.co_consts:
            span = _span(within, at)
            if failed is not None and span is not None and failed[0] <= span[0] and span[1] <= failed[1]:
                return tensor()
    # The position of an attribute on a line of its own leaves out its object, which the instruction before loaded.
    steps = pairwise(one.offset for one in dis.get_instructions(code))
    before = next((at for at, then in steps if then == instruction), None)
    return next((tensor() for tensor, within, at in reversed(reads) if within is code and at == before), None)


def _bound_in(frame: FrameType, instruction: int) -> Tensor | None:
    """Return the `.grad` that was bound to a variable of the failed expression when it was read, and still is None."""
    code = frame.f_code
    failed = _span(code, instruction)
    if failed is None:
        return None
    instructions = list(dis.get_instructions(code))
    used = {
        name
        for one in instructions
        if one.opname.startswith("LOAD_") and (span := _span(code, one.offset)) is not None
        if failed[0] <= span[0] and span[1] <= failed[1]
        for name in _names(one)
        if frame.f_locals.get(name, frame.f_globals.get(name, frame)) is None
    }
    bound = {
        before.offset: set(_names(after))
        for before, after in pairwise(instructions)
        if after.opname.startswith("STORE_")
    }
    places = {
        text
        for one in instructions
        if one.opname in ("LOAD_ATTR", "LOAD_METHOD", "BINARY_SUBSCR") or one.argrepr == "[]"  # Since Python 3.14.
        if (span := _span(code, one.offset)) is not None and failed[0] <= span[0] and span[1] <= failed[1]
        if (text := _text(code, span)) is not None
    }
    for tensor, within, at in reversed(reads):
        if within is code and (
            not used.isdisjoint(bound.get(at, ())) or (places and _put_at(code, instructions, at) in places)
        ):
            return tensor()
    return None


def _put_at(code: CodeType, instructions: list[dis.Instruction], read: int) -> str | None:
    """Return the attribute or item that a `.grad` is assigned to when it is read, as the source has it."""
    after = (one for one in instructions if one.offset > read)
    target = next((one for one in after if not one.opname.startswith(("LOAD_", "CACHE"))), None)
    if target is None or target.opname not in ("STORE_ATTR", "STORE_SUBSCR"):
        return None
    span = _span(code, target.offset)
    return None if span is None else _text(code, span)


def _text(code: CodeType, span: _Span) -> str | None:
    """Return the source between two columns of a line."""
    (line, column), (last, end) = span
    if line != last:
        return None
    return linecache.getline(code.co_filename, line).encode()[column:end].decode("utf-8", "replace")


def _names(one: dis.Instruction) -> Iterator[str]:
    """Yield the variables that an instruction loads or stores."""
    values: Any = one.argval if isinstance(one.argval, tuple) else (one.argval,)
    yield from (value for value in values if isinstance(value, str))


def _span(code: CodeType, instruction: int) -> _Span | None:
    """Return where the source of an instruction begins and ends, as line and column."""
    for i, (line, last, column, end) in enumerate(code.co_positions()):
        if 2 * i == instruction:
            if line is None or last is None or column is None or end is None:
                return None
            return (line, column), (last, end)
    return None
