"""Makes the most frequent events directly as JSON: equal to encoding them, in a fraction of the time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from backscope.protocol import events as ev
from backscope.protocol.fitting import bounded
from backscope.protocol.template import joint, template
from backscope.recorder.narration.forward_moments import number_bytes, text, wanted
from backscope.recorder.narration.narrator import Captured, Line, Narrator
from backscope.runtime.given import Shape, Value

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

encode = msgspec.json.Encoder().encode


@lru_cache(1000)
def quoted(text: str) -> bytes:
    """Return the JSON of a name; names are few and repeat."""
    return encode(bounded(text))


_AT_NODE = "line", "call", "node"
"""The fields that all events of a node that runs have."""
_WHO = joint(ev.NodeStarted, *_AT_NODE)
_STARTED = template(ev.NodeStarted, *_AT_NODE)
_SENT = template(ev.GradientSent, *_AT_NODE)
_FREED = template(ev.BufferFreed)
_CREATED = template(
    ev.TensorCreated, origin="grad", info=template(ev.TensorInfo, requires_grad=False, is_leaf=True, base=None)
)
_STORED = template(ev.GradAccumulated, *_AT_NODE, before=None, in_place=False)
_FINISHED = template(ev.NodeFinished, *_AT_NODE)
_NAMED = template(ev.TensorNamed)


def _number(value: int | None) -> bytes:
    return b"null" if value is None else b"%d" % value


def tensor_named(n: Narrator, seq: int, line: Line, tensor: int, name: str) -> list[bytes]:
    """Return the event of a variable that was bound to a tensor."""
    return [_NAMED % (seq, _number(line), tensor, quoted(name))]


def node_ran(
    n: Narrator,
    seq: int,
    line: Line,
    call: int,
    node: int,
    incoming: Sequence[Captured] | None,
    sent: list[Any],
    freed: bool,
) -> list[bytes]:
    """Return the events of a node that ran: its start unless recorded before, gradients sent, buffers freed, end."""
    at = _number(line)
    who = _WHO % (at, call, node)
    made: list[bytes] = []
    if incoming is not None:
        made.append(_STARTED % (seq, who, b",".join([n.optional_value(g) for g in incoming])))
        seq += 1
    for input_nr, below, output_nr, value, total, reduced_from in sent:
        reduced = b"null" if reduced_from is None else encode(reduced_from)
        made.append(_SENT % (seq, who, input_nr, below, output_nr, n.value(value), reduced, n.optional_value(total)))
        seq += 1
    if freed:
        for slot, _, storage, nbytes in n.saved.pop(node, ()):
            made.append(_FREED % (seq, at, node, quoted(slot), storage, nbytes))
            seq += 1
    made.append(_FINISHED % (seq, who))
    return made


def gradients_sent(
    n: Narrator,
    seq: int,
    line: Line,
    call: int,
    node: int,
    incoming: Sequence[Captured],
    gradients: Sequence[Captured],
    totals: Sequence[Captured] | None,
    shape: Shape,
    freed: bool,
) -> list[bytes]:
    """Return the events of a node that sent a gradient along each edge; others were summed from `shape`."""
    edges, numbers = n.edges[node]
    known = n.marks.get
    at = b"null" if line is None else b"%d" % line
    who = _WHO % (at, call, node)
    if len(incoming) == 1:
        g = incoming[0]
        given = known(id(g)) or n.optional_value(g)
    else:
        given = b",".join([n.optional_value(g) for g in incoming])
    made = [_STARTED % (seq, who, given)]
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
        made.append(_SENT % (seq, who, i, below, nr, known(id(gradient)) or n.value(gradient), reduced, total))
    if freed:
        for slot, _, storage, nbytes in n.saved.pop(node, ()):
            seq += 1
            made.append(_FREED % (seq, at, node, quoted(slot), storage, nbytes))
    made.append(_FINISHED % (seq + 1, who))
    return made


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
    added: Captured,
    value: Captured,
) -> list[bytes]:
    """Return the events of an AccumulateGrad that gave a leaf a new tensor as `.grad`: started, created, finished."""
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
    """The text that all calls of an op share if their nodes have edges for the same inputs.

    `saved` has for each slot that is kept: its tensor (0 the first input, 1 the second, 2 the output, 3 a number), its
    name, and its number among the storages that are reserved after the node.
    """

    # Any: an elementwise op, which has a position for each slot.
    def __init__(self, op: Any, edges: Sequence[int | None] | None, *, number: bool) -> None:
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


_forms: dict[tuple[Op, bool, tuple[bool, bool] | None], Form] = {}


def argument(n: Narrator, value: Value) -> bytes:
    """Return the text of an argument that is no tensor; texts of numbers and of tuples of integers are cached."""
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


# Any: `node` has the parts of a node where there are edges, and is None otherwise.
def applied(
    n: Narrator,
    seq: int,
    line: Line,
    op: Op,
    first: int,
    given: Value,
    number: int,
    value: Captured,
    node: Any,
    during: int | None,
) -> list[bytes]:
    """Return the event of an elementwise op; the output is tensor `number`, storage and node are numbered next."""
    nbytes = value.nbytes
    own = n.places[number] = number + 1, nbytes
    plain = given.__class__ is int
    edges = None if node is None else node[1]
    key = op, plain, None if edges is None else (edges[0] is None, edges[-1] is None)
    form = _forms.get(key)
    if form is None:
        if len(_forms) >= 1000:
            _forms.clear()
        form = _forms[key] = Form(op, edges, number=not plain)
    fields: list[Any] = [seq, b"null" if line is None else b"%d" % line, first]
    if form.binary:
        fields.append(given if plain else argument(n, given[0]))
    fields += (number, number + 1, n.value(value))
    path = n.path(during) if n.paths or during is not None else None
    if edges is not None:
        sequence_nr, _, numbers, versions, attributes = node
        made = number + 2
        n.edges[made] = edges, numbers
        if path is not None:
            n.path_of[made] = path
        fields += (made, sequence_nr - n.first_sequence_nr)
        for i, e in enumerate(edges):
            if e is not None:
                fields += (e, numbers[i] if numbers else 0)
        saved = n.saved[made] = []
        for place, slot, storage_nr in form.saved:
            if place == 3:
                size = number_bytes(given[0])
                fields += (made + storage_nr, 0, size)
                saved.append((slot, None, made + storage_nr, size))
            else:
                tensor = number if place == 2 else given if place else first
                storage, nbytes = own if place == 2 else n.places.get(tensor) or (made + storage_nr, 0)
                fields += (tensor, storage, versions[storage_nr - 1] if versions else 0, nbytes)
                saved.append((slot, tensor, storage, nbytes))
        fields.append(_attributes(n, op, attributes) if attributes else b"")
    fields += (
        b"null" if during is None else b"%d" % during,
        b"null" if path is None else quoted(path),
        n.repeat(),
    )
    return [form.text % tuple(fields)]


def _attributes(n: Narrator, op: Op, attributes: Sequence[object]) -> bytes:
    """Return the JSON of the attributes of a node, without the brackets around them."""
    known = n.attributes.get(id(attributes))
    if known is None or known[1] is not op:
        if len(n.attributes) >= 1000:
            n.attributes.clear()
        shown = {a: text(v) for a, v in zip(op.attrs, attributes, strict=False)}
        known = n.attributes[id(attributes)] = encode(shown)[1:-1], op, attributes
    return known[0]
