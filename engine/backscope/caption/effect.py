"""A node's effect on a gradient in words, from its op's declaration: `multiplies the incoming 1 by the saved x = 3`."""

from __future__ import annotations

import math
import re

from backscope.caption.expression import power
from backscope.caption.naming import Naming
from backscope.caption.number import MINUS, numeral, shape, values
from backscope.diagnosis.why.op_catalogue import entry_of, entry_of_node
from backscope.protocol import events as ev
from backscope.protocol.sentences import PLACE, say

_NUMBER = 14
"""Characters that a value takes at most."""
_ELEMENTWISE = re.compile(r"^(multiplies|divides|negates|passes) the incoming \{g\}")
_SHARE = re.compile(r" / n$")
_MEAN = "1"
"""The value of an op's argument `reduction` for the mean of a loss."""
_SAVED = re.compile(r"the saved (?:result )?\{(\w+)\}")
_OWNED = re.compile(r"(\w+)_(shape|numel|dtype)")


def effect(
    event: ev.OpApplied, node: ev.NodeInfo, input_nr: int, incoming: ev.Summary | None, naming: Naming
) -> str | None:
    """Return what a node does to the gradient of its input `input_nr`, with values; None if its op declares no text."""
    entry = entry_of_node(event.op, node.name)
    if entry is None:
        return None
    inputs = [one.name for one in event.inputs if one.tensor is not None or one.name in entry["summary"]]
    template = entry["summary"].get(inputs[input_nr]) if input_nr < len(inputs) else None
    if not template:
        return None
    if entry["conjugates"]:
        template = _conjugated(template, event, naming)
    return _fill(template, event, node, incoming, naming)


def tangent_effect(event: ev.OpApplied, name: str, tangent: ev.Summary, naming: Naming) -> str | None:
    """Return what an op does to the tangent of one input: as in backward, if the op is elementwise; else None."""
    entry = entry_of(event.op)
    template: str | None = None if entry is None else entry["summary"].get(name)
    if not template or not _ELEMENTWISE.match(template):
        return None
    words = template.replace("the incoming", "the tangent", 1).replace("the saved ", "the ", 1)
    words = re.sub(r" (on to|for) \{\w+\}$", "", words)
    return _fill(re.sub(r"the \{(\w+)\}", r"{\1}", words, count=1), event, None, tangent, naming)


def _conjugated(template: str, event: ev.OpApplied, naming: Naming) -> str:
    """Return a template with the conjugate of each saved value that is complex, unless the op makes real numbers."""
    result = event.outputs[0].value if event.outputs else None
    if result is None or "complex" not in result.dtype:
        return template

    def said(at: re.Match[str]) -> str:
        value = result if at[1] == "result" else _held(event, at[1], naming)
        return at[0] if value is None or "complex" not in value.dtype else f"the conjugate of {at[0]}"

    return _SAVED.sub(said, template)


def _fill(
    template: str, event: ev.OpApplied, node: ev.NodeInfo | None, incoming: ev.Summary | None, naming: Naming
) -> str:
    bare: dict[int, None] = {}
    shared = _shared(template, event, node, naming)

    def filled(at: re.Match[str]) -> str:
        is_saved = template[: at.start()].endswith(("saved ", "saved result "))
        given = None if is_saved else next((one for one in event.inputs if one.name == at[1]), None)
        if given is None or given.tensor is None:
            return _filled(at[1], event, node, incoming, naming)
        bare[given.tensor] = None
        name = naming.tensor(given.tensor)
        return f"({name})" if " " in name and not name.startswith("[") else name

    text = _with_exponents(PLACE.sub(filled, shared))
    held = [value for value in map(naming.valued, bare) if " = " in value]
    return f"{text} ({', '.join(held)})" if held else text


def _shared(template: str, event: ev.OpApplied, node: ev.NodeInfo | None, naming: Naming) -> str:
    """Return a template with the number of elements that a loss is the mean of; without it for other losses."""
    reduction = None if node is None else node.attributes.get("reduction")
    if reduction is None or not _SHARE.search(template):
        return template
    if reduction != _MEAN:
        return _SHARE.sub("", template)
    held = _held(event, "self", naming)
    return template if held is None else _SHARE.sub(f" / {math.prod(held.shape)}", template)


def _held(event: ev.OpApplied, name: str, naming: Naming) -> ev.Summary | None:
    tensor = next((one.tensor for one in event.inputs if one.name == name), None)
    return None if tensor is None else naming.state.value(tensor)


def _with_exponents(text: str) -> str:
    """Return a text with exponents such as `x^(3 − 1)` computed, and without the exponent 1."""

    def computed(at: re.Match[str]) -> str:
        return at[1] if at[2] == "2" else power(str(int(at[2]) - 1), at[1])

    return re.sub(r"(\S+|\(.*?\))\^\((\d+) − 1\)", computed, text, flags=re.ASCII)


def _filled(
    place: str, event: ev.OpApplied, node: ev.NodeInfo | None, incoming: ev.Summary | None, naming: Naming
) -> str:
    if place == "g":
        return (None if incoming is None else values(incoming, _NUMBER)) or say("word.gradient")
    given = next((one for one in event.inputs if one.name == place), None)
    text = None if given is None else given.text
    attributes = {} if node is None else node.attributes
    if given is not None and given.tensor is not None:
        return naming.valued(given.tensor)
    if place == "dim":
        return _dims(text if text is not None else attributes.get("dim", place))
    if text is not None:
        return numeral(text) or re.sub("^-", MINUS, text)
    if place == "result" and event.outputs:
        return naming.valued(event.outputs[0].tensor)
    owned = _OWNED.fullmatch(place)
    held = None if owned is None else _held(event, owned[1], naming)
    if owned is None or held is None:
        return attributes.get(place, place)
    return {"shape": shape(held.shape), "numel": str(math.prod(held.shape)), "dtype": held.dtype}[owned[2]]


def _dims(text: str) -> str:
    """Return dims as people write them: `0, 1` and not `(0, 1)`."""
    return re.sub(r"^\((.*?),?\)$", r"\1", text).replace("-", MINUS)
