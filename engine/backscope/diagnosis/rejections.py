"""Explains why an op rejected its arguments, which are read from the frames that the error came through."""

from __future__ import annotations

import linecache
import re
import traceback
from collections.abc import Iterable
from types import FrameType
from typing import NamedTuple

import numpy as np

from backscope.diagnosis.index_rejections import INDEX_REJECTIONS
from backscope.diagnosis.recorded_run import RecordedRun
from backscope.diagnosis.rejection_rules import REJECTIONS, Rejection
from backscope.protocol.events import Diagnosis
from backscope.runtime.engine_frames import entries, is_engine
from backscope.tensor.tensor import Tensor

UNDESCRIPTIVE = ("self", "args", "other", "tensor", "tensors", "this")
"""Names of arguments that do not describe them."""


class Given(NamedTuple):
    """A tensor that an op was given, and the name of the argument; "" where that is not descriptive."""

    role: str
    tensor: Tensor


_KINDS = (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError)
MOST = 4
"""The most tensors that an answer names."""
LONGEST = 300
"""The most characters of a message that an answer shows."""


def rejected(error: BaseException, recorder: RecordedRun, line: int | None) -> Diagnosis | None:
    """Return the diagnosis of an error that the engine raised about arguments; None for the program's own errors."""
    if not isinstance(error, _KINDS):
        return None
    frames = _engine_frames(error)
    if not frames:
        return None
    tensors = _arguments(frames)
    message = str(error)
    for rule in (*INDEX_REJECTIONS, *REJECTIONS):
        found = re.search(rule.pattern, message)
        if found is not None:
            outside, at = _outside(recorder, rule, found.groups(), tensors)
            words = {
                "given": _shapes(recorder, tensors),
                "types": _types(recorder, tensors),
                "text": _text(error, recorder),
                "outside": outside,
            }
            cause, fix = (one.format(*found.groups(), **words) for one in (rule.cause, rule.fix))
            cause = _sentence(cause.replace(". . ", ". ").removesuffix(" ."))
            order = [one for one in tensors if one is at] + [one for one in tensors if one is not at]
            return _diagnosis(recorder, line, order, cause, fix, rule.wrong_fix)
    if not tensors or type(error) is TypeError:
        return None
    first = " ".join(message.split()).rstrip(".")
    first = first if len(first) <= LONGEST else f"{first[:LONGEST]} ..."
    return _diagnosis(
        recorder,
        line,
        tensors,
        f"{first[:1].upper()}{first[1:]}. {_shapes(recorder, tensors)}.",
        "Look at the shape and the dtype of what goes in at this line, and where it was made.",
        None,
    )


def _diagnosis(
    recorder: RecordedRun, line: int | None, given: list[Given], cause: str, fix: str, wrong_fix: str | None
) -> Diagnosis:
    born = [recorder.born_at(one.tensor) for one in given]
    return Diagnosis(
        cause=cause,
        fix=fix,
        wrong_fix=wrong_fix,
        lines=[x for x in dict.fromkeys([*born, line]) if x is not None],
        nodes=[],
        tensors=[one.tensor._token.tensor for one in given if one.tensor._token is not None],
    )


def _engine_frames(error: BaseException) -> list[FrameType]:
    """Return the engine's frames that an error was raised in, outermost first; none where the program raised it."""
    frames: list[FrameType] = []
    for entry in entries(error.__traceback__):
        if is_engine(entry.tb_frame.f_code):
            frames.append(entry.tb_frame)
        else:
            frames.clear()
    return frames


def _arguments(frames: list[FrameType]) -> list[Given]:
    """Return the tensors of the outermost call among those with the most tensors, and the most names for them."""
    best: list[Given] = []
    for frame in frames:
        code = frame.f_code
        found: dict[int, Given] = {}
        named = code.co_argcount + code.co_kwonlyargcount
        extra = bool(code.co_flags & 4) + bool(code.co_flags & 8)
        for i, name in enumerate(code.co_varnames[: named + extra]):
            value = frame.f_locals.get(name)
            if isinstance(value, dict):
                parts = [(str(key), one) for key, one in value.items()]
            elif isinstance(value, (list, tuple)):
                parts = [("", one) for one in value]
            else:
                parts = [(name if i < named else "", value)]
            for role, one in parts:
                if issubclass(type(one), Tensor):
                    found.setdefault(id(one), Given(role, one))
        if (len(found), _named(found.values())) > (len(best), _named(best)):
            best = list(found.values())
    return best[:MOST]


def _named(given: Iterable[Given]) -> int:
    return sum(1 for one in given if one.role)


def _outside(
    recorder: RecordedRun, rule: Rejection, groups: tuple[str | None, ...], given: list[Given]
) -> tuple[str, Given | None]:
    """Return the first element that a rule does not allow, as "target[1] is 5", and its tensor."""
    shapes = {one.role: tuple(one.tensor.shape) for one in given}
    highest = None if rule.highest is None else rule.highest(groups, shapes)
    named = None if rule.element is None else groups[rule.element]
    for i, one in enumerate(given):
        held = one.tensor._data
        if held is None or one.tensor.dtype.is_floating_point or one.tensor.dtype.is_complex:
            continue
        numbers = np.asarray(held)
        if not numbers.size:
            continue
        wrong = numbers == int(named) if named is not None else numbers < 0
        if named is None and highest is not None:
            wrong |= numbers > highest
        if named is None and rule.highest is not None and not wrong.any():
            wrong = numbers == numbers.max()
        if wrong.any():
            at = np.unravel_index(int(wrong.argmax()), wrong.shape)
            place = f"[{', '.join(str(int(x)) for x in at)}]" if at else ""
            name = _name(recorder, one, "")
            shown = (
                f"{name}{place}" if name else f"element {place} of {_place(i, given)}" if place else _place(i, given)
            )
            return f"{shown} is {int(numbers[at])}", one
    return ("" if named is None else f"{named} is outside"), None


def _text(error: BaseException, recorder: RecordedRun) -> str:
    """Return the line of the program that an error came through last."""
    found = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if recorder.owns(frame):
            found = linecache.getline(frame.f_code.co_filename, line).strip()
    return found[:LONGEST]


def _name(recorder: RecordedRun, one: Given, otherwise: str) -> str:
    token = one.tensor._token
    name = None if token is None else recorder.names.get(token.tensor)
    return name or otherwise


def _made(recorder: RecordedRun, one: Given) -> str:
    made = recorder.born_at(one.tensor)
    return "" if made is None else f" (line {made})"


def _shapes(recorder: RecordedRun, given: list[Given]) -> str:
    return _listed(
        f"{_name(recorder, one, _place(i, given))}{_made(recorder, one)} has shape {list(one.tensor.shape)}"
        for i, one in enumerate(given)
    )


def _types(recorder: RecordedRun, given: list[Given]) -> str:
    return _listed(
        f"{_name(recorder, one, _place(i, given))}{_made(recorder, one)} holds "
        f"{str(one.tensor.dtype).removeprefix('torch.')} numbers"
        for i, one in enumerate(given)
    )


def _place(index: int, given: list[Given]) -> str:
    """Return a phrase for a tensor without a name: by its argument, else by its position."""
    role = given[index].role
    if len(role) > 2 and role not in UNDESCRIPTIVE:
        return f"the {role}"
    return "it" if len(given) == 1 else ("the first", "the second", "the third", "the fourth")[index]


def _listed(parts: Iterable[str]) -> str:
    text = ", ".join(parts)
    return _sentence(text)


def _sentence(text: str) -> str:
    """Return a text that begins with a word, not a name, with a capital letter."""
    return text[:1].upper() + text[1:] if text.startswith(("it ", "the ", "element ", "index ")) else text
