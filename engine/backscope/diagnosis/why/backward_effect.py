"""The effect of a node in the backward pass on the gradient of one input: the sentence that its op declares."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from backscope.diagnosis.why.answer import in_full, number
from backscope.diagnosis.why.log.facts import NodeFacts
from backscope.diagnosis.why.log.tape import Tape
from backscope.diagnosis.why.op_catalogue import entry_of_node
from backscope.protocol import events as ev

_PLACE = re.compile(r"\{(\w+)\}")
_NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$")
MOST = 14
"""The most characters of a value within the sentence."""


def effect(
    tape: Tape, node: NodeFacts, nr: int, incoming: ev.Summary | None, name: Callable[[int], str], seq: int
) -> str | None:
    """Return a phrase such as "multiplies the incoming 1 by w = 3", with `name` for tensors, or None."""
    if node.op is None or node.info is None:
        return None
    op, info = node.op, node.info
    entry = entry_of_node(op.op, info.name)
    if entry is None:
        return None
    names = [a.name for a in op.inputs if a.tensor is not None or a.name in entry["summary"]]
    template = entry["summary"].get(names[nr]) if nr < len(names) else None
    if template is None:
        return None

    def filled(at: re.Match[str]) -> str:
        return _filled(tape, at[1], op, info, incoming, name, seq)

    return _PLACE.sub(filled, template)


def numeral(text: str | None) -> str | None:
    """Format a plain number that an op was given with four significant digits; None for any other text."""
    if text is None or not _NUMBER.match(text):
        return None
    return str(int(text)) if re.fullmatch(r"-?\d{1,9}", text) else number(float(text))


def _filled(
    tape: Tape, place: str, op: ev.OpApplied, info: ev.NodeInfo, incoming: ev.Summary | None,
    name: Callable[[int], str], seq: int,
) -> str:  # fmt: skip
    if place == "g":
        return (None if incoming is None else in_full(incoming, MOST)) or "gradient"
    given = {a.name: a for a in op.inputs}
    if place in given:
        tensor = given[place].tensor
        text = given[place].text
        return numeral(text) or str(text) if tensor is None else name(tensor)
    if place == "result" and op.outputs:
        return name(op.outputs[0].tensor)
    owner, _, what = place.rpartition("_")
    tensor = given[owner].tensor if owner in given else None
    value = None if tensor is None else tape.value(tensor, seq)
    if value is not None and what in ("shape", "numel", "dtype"):
        return str({"shape": value.shape, "numel": math.prod(value.shape), "dtype": value.dtype}[what])
    return info.attributes.get(place, place)
