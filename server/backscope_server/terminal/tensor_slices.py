"""Parses the argument of `values`, a tensor with a slice such as `w.grad[0:9, 1]`, and formats the elements."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

import numpy as np

from backscope.diagnosis.why import Tape
from backscope.protocol import commands as c

KINDS = """\
values NAME                 a variable or parameter: w, net.fc.weight
values NAME.grad            its gradient
values #NODE                the output of a node, by its number in `graph`
values #NODE.SLOT           a tensor that it saved, by its name in `saved`
... [SLICE]                 only these elements: [0:10, 3], [-1]"""

_REQUEST = re.compile(r"(?P<place>.+?)(?P<grad>\.grad)?\s*(?:\[(?P<slices>[-\d:,\s]*)\])?")
_NODE = re.compile(r"#(?P<node>\d+)(?:\.(?P<slot>\w+))?")
_SLICE = re.compile(r"(?P<begin>-?\d+)?\s*(?P<colon>:)?\s*(?P<end>-?\d+)?")


class NotThere(ValueError):
    """The error for a tensor or a slice that does not exist; the text says why."""


class Part(NamedTuple):
    """The name of a tensor, the command that reads a slice of it, and the event to read it after; None is now."""

    name: str
    command: c.ReadTensor
    seq: int | None


def parse(typed: str, tape: Tape, seq: int) -> Part:
    """Parse `w`, `w.grad[0:2, 1]`, `#7` for the output of a node, or `#7.self` for a tensor that it saved.

    Raises: NotThere.
    """
    found = _REQUEST.fullmatch(typed.strip())
    whole = typed.strip().removesuffix(".grad")
    if tape.find(whole, seq) is not None:  # A name may have brackets of its own.
        found = _REQUEST.fullmatch("whole" + typed.strip().removeprefix(whole))
    if found is None:
        raise NotThere("A tensor is needed. For instance: values w.grad[0:10], values #7, values #7.self")
    place = whole if found["place"] == "whole" else found["place"]
    number, made = _tensor(place, tape, seq)
    of: Literal["data", "grad"] = "data" if found["grad"] is None else "grad"
    value = tape.value(number, seq) if of == "data" else tape.grad(number, seq)
    if value is None and of == "grad":
        raise NotThere(f"{place}.grad is None.")
    begin, end = _bounds(found["slices"] or "", [] if value is None else value.shape)
    return Part(f"{place}{found['grad'] or ''}", c.ReadTensor(id=0, tensor=number, of=of, begin=begin, end=end), made)


def _tensor(place: str, tape: Tape, seq: int) -> tuple[int, int | None]:
    """Return the number of a tensor, and the event after which it has the requested value; None is now."""
    node = _NODE.fullmatch(place)
    if node is None:
        number = tape.find(place, seq)
        if number is None:
            raise NotThere(f"No variable {place} had a tensor by then. `print` evaluates any expression.")
        gone = tape.tensors[number].released
        if gone is not None and gone <= seq:
            raise NotThere(
                f"The tensor was released at event {gone}, before that moment. `goto {gone - 1}` moves to just before."
            )
        return number, None
    facts = tape.nodes.get(int(node["node"]))
    if facts is None or facts.seq > seq:
        raise NotThere(f"There is no node #{node['node']}.")
    if node["slot"] is not None:
        saved = {s.slot.removeprefix("_saved_"): s.tensor for s in (facts.info.saved if facts.info is not None else ())}
        number = saved.get(node["slot"].removeprefix("_saved_"))
        if number is None:
            had = ", ".join(name for name, tensor in saved.items() if tensor is not None) or "no tensor"
            raise NotThere(f"#{facts.number} {facts.name} has not saved {node['slot']}; it has saved {had}.")
        return number, facts.seq
    number = facts.leaf if facts.leaf is not None else next(iter(facts.outputs), None)
    if number is None:
        raise NotThere(f"#{facts.number} {facts.name} has no tensor in the recorded events.")
    return number, None if tape.tensors[number].alive(seq) else facts.seq


def _bounds(slices: str, shape: list[int]) -> tuple[list[int], list[int]]:
    """Parse slices into the beginning and the end of each dim."""
    begin: list[int] = []
    end: list[int] = []
    parts = [part.strip() for part in slices.split(",")] if slices.strip() else []
    if len(parts) > len(shape):
        raise NotThere(f"It has {len(shape)} dims: {shape}.")
    for part, size in zip(parts, shape, strict=False):
        found = _SLICE.fullmatch(part)
        if found is None or not part:
            raise NotThere(f"{part!r} is no slice; for instance [0:10, 3].")
        first = int(found["begin"] or 0)
        first += size if first < 0 else 0
        if found["colon"] is None:
            if not 0 <= first < size:
                raise NotThere(f"{part} is out of range: that dim has {size}.")
            last = first + 1
        else:
            last = size if found["end"] is None else int(found["end"])
            last += size if last < 0 else 0
        begin.append(min(max(first, 0), size))
        end.append(min(max(last, begin[-1]), size))
    return begin, end


def written(read: c.TensorRead, width: int) -> str:
    """Format all elements as nested rows, at most `width` characters wide."""
    texts = [_text(value) for value in read.values]
    room = max(map(len, texts), default=0)
    array = np.array([text.rjust(room) for text in texts], dtype=object).reshape(read.shape)
    return np.array2string(
        array, max_line_width=width, threshold=array.size + 1, separator=", ", formatter={"all": str}
    )


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"{_text(value[0])}{'' if str(_text(value[1])).startswith('-') else '+'}{_text(value[1])}j"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
