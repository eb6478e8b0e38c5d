"""Ties and kinks: where an op has no single derivative, and which one PyTorch takes there."""

from __future__ import annotations

from collections.abc import Callable

from backscope.diagnosis.why.answer import at, number
from backscope.diagnosis.why.log.elements import floats, given, index, operand
from backscope.diagnosis.why.log.facts import NodeFacts
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev

MOST = 4
"""The most elements that an answer lists."""


def kink(tape: Tape, node: NodeFacts) -> ev.Evidence | None:
    """Describe the derivative at elements of an op where it jumps or several inputs tie; None where there are none."""
    found = _RULES.get(node.name)
    text = None if found is None or node.op is None else found(tape, node)
    return (
        None
        if text is None
        else ev.Evidence(text=f"{node.name}{at(node.line)}: {text}", line=node.line, node=node.number)
    )


def _places(flat: list[int], shape: list[int]) -> str:
    if not shape:
        return ""
    shown = ", ".join(index(i, shape) for i in flat[:MOST])
    return f" (element{'s' if len(flat) > 1 else ''} {shown}{', ...' if len(flat) > MOST else ''})"


def _at_zero(text: str) -> Callable[[Tape, NodeFacts], str | None]:
    def rule(tape: Tape, node: NodeFacts) -> str | None:
        value = given(tape, node, "self")
        if not isinstance(value, ev.Summary):
            return None
        hit = [i for i, v in enumerate(floats(value) or []) if v == 0]
        return f"{text}{_places(hit, value.shape)}" if hit else None

    return rule


def _pair(word: str) -> Callable[[Tape, NodeFacts], str | None]:
    def rule(tape: Tape, node: NodeFacts) -> str | None:
        assert node.op is not None
        shape = node.op.outputs[0].value.shape
        first, second = operand(tape, node, "self", shape), operand(tape, node, "other", shape)
        if first is None or second is None:
            return None
        hit = [i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a == b]
        if not hit:
            return None
        return f"both sides are equal{_places(hit, shape)}, and each of them gets .5 of the gradient"

    return rule


def _all(tape: Tape, node: NodeFacts) -> str | None:
    """Describe ties of max() and amax(): every element that ties gets an equal share."""
    assert node.op is not None
    value, out = given(tape, node, "self"), floats(node.op.outputs[0].value)
    if not isinstance(value, ev.Summary) or out is None or len(out) != 1:
        return None
    hit = [i for i, v in enumerate(floats(value) or []) if v == out[0]]
    if len(hit) < 2:
        return None
    return (
        f"{len(hit)} elements tie at {number(out[0])}{_places(hit, value.shape)}; {node.op.op}() splits the gradient "
        f"between them, 1/{len(hit)} each"
    )


def _by_index(tape: Tape, node: NodeFacts) -> str | None:
    """Describe ties of max(dim): the element at the returned index gets the whole gradient."""
    assert node.op is not None
    value, out = given(tape, node, "self"), floats(node.op.outputs[0].value)
    if not isinstance(value, ev.Summary) or out is None:
        return None
    values = floats(value) or []
    ties = [i for i, v in enumerate(values) if v in out]
    if len(ties) <= len(out):
        return None
    name = node.op.op
    return (
        f"elements tie{_places(ties, value.shape)}; {name}(dim) sends the whole gradient to the one whose index it "
        f"returned, where {name}() without a dim, and a{name}, would split it"
    )


def _bound(low: str, high: str) -> Callable[[Tape, NodeFacts], str | None]:
    def rule(tape: Tape, node: NodeFacts) -> str | None:
        assert node.op is not None
        shape = node.op.outputs[0].value.shape
        first = operand(tape, node, "self", shape)
        hit: list[int] = []
        for name in (low, high):
            bound = operand(tape, node, name, shape)
            if first is not None and bound is not None:
                hit += [i for i, (a, b) in enumerate(zip(first, bound, strict=True)) if a == b]
        if not hit:
            return None
        return f"the value is just at the bound{_places(sorted(hit), shape)}, where the gradient passes in full"

    return rule


_RULES: dict[str, Callable[[Tape, NodeFacts], str | None]] = {
    "ReluBackward0": _at_zero("relu has a kink at 0, where its derivative is taken as 0"),
    "AbsBackward0": _at_zero("abs has a kink at 0, where its derivative is taken as 0"),
    "MaximumBackward0": _pair("maximum"),
    "MinimumBackward0": _pair("minimum"),
    "MaxBackward1": _all,
    "MinBackward1": _all,
    "AmaxBackward0": _all,
    "AminBackward0": _all,
    "MaxBackward0": _by_index,
    "MinBackward0": _by_index,
    "ClampBackward1": _bound("min", "max"),
    "ClampMinBackward0": _bound("min", "min"),
    "ClampMaxBackward0": _bound("max", "max"),
}
