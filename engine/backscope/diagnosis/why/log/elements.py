"""The elements of recorded values, where events have all of them: an op's inputs, element by element."""

from __future__ import annotations

import math

from backscope.diagnosis.why.log.facts import NodeFacts
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev

MOST = 4096
"""The most elements that a value is broadcast to: events have no more in full."""


def floats(value: ev.Summary | None) -> list[float] | None:
    """Return all elements in row-major order; None where the events lack some, or for complex numbers."""
    if value is None or len(value.values) != math.prod(value.shape):
        return None
    found: list[float] = []
    for one in value.values:
        if isinstance(one, list):
            return None
        found.append(float(one.replace("Infinity", "inf")) if isinstance(one, str) else float(one))
    return found


def spread(values: list[float], shape: list[int], wanted: list[int]) -> list[float] | None:
    """Broadcast elements to another shape, row-major; None where they don't fit."""
    if shape == wanted:
        return values
    if math.prod(wanted) > MOST:
        return None
    padded = [1] * (len(wanted) - len(shape)) + shape
    if len(padded) != len(wanted) or any(a not in (1, b) for a, b in zip(padded, wanted, strict=True)):
        return None
    steps, step = [0] * len(padded), 1
    for i in range(len(padded) - 1, -1, -1):
        steps[i] = step if padded[i] != 1 else 0
        step *= padded[i]
    found: list[float] = []
    for flat in range(math.prod(wanted)):
        remaining, place = flat, 0
        for i in range(len(wanted) - 1, -1, -1):
            place += remaining % wanted[i] * steps[i]
            remaining //= wanted[i]
        found.append(values[place])
    return found


def index(flat: int, shape: list[int]) -> str:
    """Format the index of an element: "[2]", "[0, 1]"; nothing for a single number."""
    found: list[int] = []
    for size in reversed(shape):
        found.append(flat % size)
        flat //= size
    return str(found[::-1]) if found else ""


def given(tape: Tape, node: NodeFacts, name: str) -> ev.Summary | float | None:
    """Return the argument `name` of a node's op: a tensor's value at that moment, or a number."""
    op = node.op
    if op is None:
        return None
    for argument in op.inputs:
        if argument.name == name:
            if argument.tensor is not None:
                return tape.value(argument.tensor, op.seq - 1) or tape.value(argument.tensor, op.seq)
            try:
                return float(argument.text or "")
            except ValueError:
                return None
    return None


def operand(tape: Tape, node: NodeFacts, name: str, wanted: list[int]) -> list[float] | None:
    """Return the elements of an argument, broadcast to the shape of the op's result."""
    value = given(tape, node, name)
    if isinstance(value, float):
        return [value] * math.prod(wanted) if math.prod(wanted) <= MOST else None
    found = floats(value)
    return None if found is None or value is None else spread(found, value.shape, wanted)


def result(node: NodeFacts) -> ev.Summary | None:
    """Return the result of a node's op."""
    return None if node.op is None or not node.op.outputs else node.op.outputs[0].value
