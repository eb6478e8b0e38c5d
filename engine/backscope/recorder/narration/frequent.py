"""The events that come most often, as their JSON: what encoding them gives, for a fraction of the time."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from backscope.protocol import events as ev
from backscope.protocol.fitting import bounded
from backscope.protocol.template import joint, template
from backscope.recorder.narration.forward_moments import NUMBER_BYTES, text, wanted
from backscope.recorder.narration.narrator import Line, Narrator

encode = msgspec.json.Encoder().encode


@lru_cache(1000)
def quoted(text: str) -> bytes:
    """The JSON of a name; the same ones come again and again."""
    return encode(bounded(text))


_AT_NODE = "line", "call", "node"
"""What the events of a node that runs have in common."""
_WHO = joint(ev.NodeStarted, *_AT_NODE)
_STARTED = template(ev.NodeStarted, *_AT_NODE)
_SENT = template(ev.GradientSent, *_AT_NODE)
_FREED = template(ev.BufferFreed)
_CREATED = template(
    ev.TensorCreated, origin="grad", info=template(ev.TensorInfo, requires_grad=False, is_leaf=True, base=None)
)
_STORED = template(ev.GradAccumulated, *_AT_NODE, before=None, in_place=False)
_FINISHED = template(ev.NodeFinished, *_AT_NODE)


def _number(value: int | None) -> bytes:
    return b"null" if value is None else b"%d" % value


def node_ran(
    n: Narrator, seq: int, line: Line, call: int, node: int, incoming: Any, sent: list[Any], freed: bool
) -> list[bytes]:
    """A node ran: it started (unless that was told before), sent gradients, let go of buffers, and is done."""
    at = _number(line)
    who = _WHO % (at, call, node)
    told: list[bytes] = []
    if incoming is not None:
        told.append(_STARTED % (seq, who, b",".join([n.optional_value(g) for g in incoming])))
        seq += 1
    for input_nr, below, output_nr, value, total, reduced_from in sent:
        reduced = b"null" if reduced_from is None else encode(reduced_from)
        told.append(_SENT % (seq, who, input_nr, below, output_nr, n.value(value), reduced, n.optional_value(total)))
        seq += 1
    if freed:
        for slot, _, storage, nbytes in n.saved.pop(node, ()):
            told.append(_FREED % (seq, at, node, quoted(slot), storage, nbytes))
            seq += 1
    told.append(_FINISHED % (seq, who))
    return told


def gradients_sent(
    n: Narrator,
    seq: int,
    line: Line,
    call: int,
    node: int,
    incoming: Any,
    gradients: Any,
    totals: Any,
    shape: Any,
    freed: bool,
) -> list[bytes]:
    """A node ran whose gradients went along its edges; those of another shape than `shape` were summed from that."""
    edges, numbers = n.edges[node]
    known = n.marks.get
    at = b"null" if line is None else b"%d" % line
    who = _WHO % (at, call, node)
    if len(incoming) == 1:
        g = incoming[0]
        given = known(id(g)) or n.optional_value(g)
    else:
        given = b",".join([n.optional_value(g) for g in incoming])
    told = [_STARTED % (seq, who, given)]
    for i, below in enumerate(edges):
        if below is None:
            continue
        gradient = gradients[i]
        if gradient is None:
            continue
        seq += 1
        nr = numbers[i] if numbers else 0
        reduced = b"null" if shape is None or gradient.shape == shape else encode(shape)
        total = b"null" if totals is None else n.optional_value(totals[i])
        told.append(_SENT % (seq, who, i, below, nr, known(id(gradient)) or n.value(gradient), reduced, total))
    if freed:
        for slot, _, storage, nbytes in n.saved.pop(node, ()):
            seq += 1
            told.append(_FREED % (seq, at, node, quoted(slot), storage, nbytes))
    told.append(_FINISHED % (seq + 1, who))
    return told


def grad_stored(
    n: Narrator,
    seq: int,
    line: Line,
    call: int,
    node: int,
    leaf: int,
    grad: int,
    storage: int,
    version: int,
    added: Any,
    value: Any,
) -> list[bytes]:
    """An AccumulateGrad started, a leaf got its `.grad`, which is a new tensor, and the node is done."""
    at = _number(line)
    who = _WHO % (at, call, node)
    n.places[grad] = storage, value.nbytes
    sent, kept = n.value(added), n.value(value)
    return [
        _STARTED % (seq, who, sent),
        _CREATED % (seq + 1, at, grad, storage, version, kept),
        _STORED % (seq + 2, who, leaf, grad, sent, kept),
        _FINISHED % (seq + 3, who),
    ]


class Form:
    """What all calls of an op say whose node has edges for the same inputs: the text around what differs.

    `saved` says of each slot that is kept where in `places` of first input, second input, output it lives (3: a number)
    and its name, and its number among the storages that are reserved after the node.
    """

    def __init__(self, op: Any, edges: Any, *, number: bool) -> None:
        self.binary = len(op.inputs) == 2
        inputs = []
        for k, name in enumerate(op.parameters[: len(op.inputs)]):
            if k and number:
                inputs.append(template(ev.Argument, name=name, tensor=None))
            else:
                inputs.append(template(ev.Argument, name=name, tensor=b"%d", text=None))
        made = None
        self.saved: list[tuple[int, str, int]] = []
        if edges is not None:
            kept = []
            for k, slot in enumerate(op.slots):
                if wanted(op, slot, edges):
                    result, position = op.result_slots[k], op.slot_positions[k]
                    place = 2 if result is not None else 3 if position and number else position
                    name = f"_saved_{slot}"
                    self.saved.append((place, name, 1 + k))
                    tensor = None if place == 3 else b"%d"
                    kept.append(template(ev.SavedTensor, slot=name, tensor=tensor, is_output=place == 2))
            following = [None if e is None else template(ev.Edge) for e in edges]
            made = template(ev.NodeInfo, name=op.node.__name__, next_functions=following, saved=kept)
        tracked = edges is not None
        output = template(ev.TensorInfo, version=0, requires_grad=tracked, is_leaf=not tracked, base=None)
        self.text = template(
            ev.OpApplied,
            op=op.torch_name.rstrip("_"),
            inputs=inputs,
            outputs=[output],
            node=made,
            in_place=False,
            is_view=False,
            hidden=[],
        )


def argument(n: Narrator, value: Any) -> bytes:
    """The text of an argument that is no tensor; that of a number, or of integers, is kept."""
    kind = value.__class__
    if kind is tuple:
        for x in value:  # True is equal to 1.
            if x.__class__ is not int:
                return encode(text(value))
    elif (kind is not float and kind is not int) or not value:  # 0.0 and -0.0 are equal.
        return encode(text(value))
    known = n.numbers.get((kind, value))
    if known is None:
        if len(n.numbers) >= 1000:
            n.numbers.clear()
        known = n.numbers[kind, value] = encode(text(value))
    return known


def applied(
    n: Narrator, seq: int, line: Line, op: Any, first: int, given: Any, number: int, value: Any, node: Any, during: Any
) -> list[bytes]:
    """An elementwise op ran; its output is tensor `number` in the storage after it, its node comes after that."""
    nbytes = value.nbytes
    own = n.places[number] = number + 1, nbytes
    plain = given.__class__ is int
    edges = None if node is None else node[1]
    key = op, plain, None if edges is None else (edges[0] is None, edges[-1] is None)
    form = n.forms.get(key)
    if form is None:
        form = n.forms[key] = Form(op, edges, number=not plain)
    told: list[Any] = [seq, b"null" if line is None else b"%d" % line, first]
    if form.binary:
        told.append(given if plain else argument(n, given[0]))
    told += (number, number + 1, n.value(value))
    path = n.path(during) if n.paths or during is not None else None
    if edges is not None:
        sequence_nr, _, numbers, versions, attributes = node
        made = number + 2
        n.edges[made] = edges, numbers
        if path is not None:
            n.path_of[made] = path
        told += (made, sequence_nr - n.first_sequence_nr)
        for i, e in enumerate(edges):
            if e is not None:
                told += (e, numbers[i] if numbers else 0)
        saved = n.saved[made] = []
        for place, slot, storage_nr in form.saved:
            if place == 3:
                told += (made + storage_nr, 0, NUMBER_BYTES)
                saved.append((slot, None, made + storage_nr, NUMBER_BYTES))
            else:
                tensor = number if place == 2 else given if place else first
                storage, nbytes = own if place == 2 else n.places.get(tensor) or (made + storage_nr, 0)
                told += (tensor, storage, versions[storage_nr - 1] if versions else 0, nbytes)
                saved.append((slot, tensor, storage, nbytes))
        told.append(_attributes(n, op, attributes) if attributes else b"")
    told += (
        b"null" if during is None else b"%d" % during,
        b"null" if path is None else quoted(path),
        n.repeat(),
    )
    return [form.text % tuple(told)]


def _attributes(n: Narrator, op: Any, attributes: Any) -> bytes:
    """The attributes of a node, without the brackets around them."""
    known = n.attributes.get(id(attributes))
    if known is None or known[1] is not op:
        if len(n.attributes) >= 1000:
            n.attributes.clear()
        shown = {a: text(v) for a, v in zip(op.attrs, attributes, strict=False)}
        known = n.attributes[id(attributes)] = encode(shown)[1:-1], op, attributes
    return known[0]
