"""The events that come most often, as their JSON: what encoding them gives, for a fraction of the time."""

from __future__ import annotations

from typing import Any

import msgspec

from backscope import events as ev
from backscope.narration.forward import NUMBER_BYTES, text, wanted
from backscope.narration.narrator import Line, Narrator

encode = msgspec.json.Encoder().encode

_BOOL = (b"false", b"true")
_NONE = (b"{}", None, ())


def _number(value: int | None) -> bytes:
    return b"null" if value is None else b"%d" % value


def node_ran(
    n: Narrator, seq: int, line: Line, call: int, node: int, incoming: Any, sent: list[Any], freed: bool
) -> list[bytes]:
    """A node ran: it started (unless that was told before), sent gradients, let go of buffers, and is done."""
    at = _number(line)
    told: list[bytes] = []
    if incoming is not None:
        given = b",".join([n.optional_value(g) for g in incoming])
        told.append(
            b'{"kind":"node_started","seq":%d,"line":%b,"call":%d,"node":%d,"gradients":[%b]}'
            % (seq, at, call, node, given)
        )
        seq += 1
    for input_nr, below, output_nr, value, total, reduced_from in sent:
        told.append(
            b'{"kind":"gradient_sent","seq":%d,"line":%b,"call":%d,"node":%d,"input_nr":%d,"to_node":%d,"output_nr":%d,'
            b'"value":%b,"reduced_from":%b,"total":%b}'
            % (
                seq,
                at,
                call,
                node,
                input_nr,
                below,
                output_nr,
                n.value(value),
                b"null" if reduced_from is None else encode(reduced_from),
                n.optional_value(total),
            )
        )
        seq += 1
    for buffer in n.saved.pop(node, ()) if freed else ():
        told.append(
            b'{"kind":"buffer_freed","seq":%d,"line":%b,"node":%d,"slot":%b,"storage":%d,"nbytes":%d}'
            % (seq, at, node, encode(buffer.slot), buffer.storage, buffer.nbytes)
        )
        seq += 1
    told.append(b'{"kind":"node_finished","seq":%d,"line":%b,"call":%d,"node":%d}' % (seq, at, call, node))
    return told


def node_told(
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
    sent: list[Any] = []
    edges, numbers = n.edges[node]
    for i, (below, gradient) in enumerate(zip(edges, gradients, strict=True)):
        if below is None or gradient is None:
            continue
        reduced = None if shape is None or gradient.shape == shape else list(shape)
        sent.append((i, below, numbers[i] if numbers else 0, gradient, totals and totals[i], reduced))
    return node_ran(n, seq, line, call, node, incoming, sent, freed)


class Form:
    """What all nodes of an op say that have edges for the same inputs: the texts around what differs."""

    def __init__(self, op: Any, edges: Any) -> None:
        self.op = op
        self.name = encode(op.node.__name__)
        self.saved = [
            (op.result_slots[k], op.slot_positions[k], f"_saved_{slot}", 1 + k)
            for k, slot in enumerate(op.slots)
            if wanted(op, slot, edges)
        ]


def applied(
    n: Narrator, seq: int, line: Line, op: Any, first: int, given: Any, number: int, value: Any, node: Any, during: Any
) -> list[bytes]:
    """An elementwise op ran; its output is tensor `number` in the storage after it, its node comes after that."""
    nbytes = value.nbytes
    n.places[number] = (number + 1, nbytes)
    inputs = (first, given) if len(op.inputs) == 2 else (first,)
    arguments = [
        b'{"name":"%b","tensor":%d,"text":null}' % (name.encode(), x)
        if x.__class__ is int
        else encode(ev.Argument(name=name, tensor=None, text=text(x[0])))
        for name, x in zip(op.parameters, inputs, strict=False)
    ]
    path = n.path(during)
    made = b"null" if node is None else _node(n, op, number, nbytes, inputs, node)
    if path is not None and node is not None:
        n.path_of[number + 2] = path
    tracked = _BOOL[node is not None]
    return [
        b'{"kind":"op_applied","seq":%d,"line":%b,"op":"%b","inputs":[%b],"outputs":[{"tensor":%d,"storage":%d,'
        b'"version":0,"requires_grad":%b,"is_leaf":%b,"base":null,"value":%b}],"node":%b,"in_place":false,'
        b'"is_view":false,"during":%b,"module_path":%b,"repeat":%b}'
        % (
            seq,
            _number(line),
            op.torch_name.rstrip("_").encode(),
            b",".join(arguments),
            number,
            number + 1,
            tracked,
            _BOOL[node is None],
            n.value(value),
            made,
            _number(during),
            b"null" if path is None else encode(path),
            encode(n.loops.repeat),
        )
    ]


def _node(n: Narrator, op: Any, number: int, nbytes: int, inputs: Any, made: Any) -> bytes:
    sequence_nr, edges, numbers, versions, attributes = made
    node = number + 2
    n.edges[node] = edges, numbers
    key = id(op), edges[0] is None, edges[-1] is None
    form = n.forms.get(key)
    if form is None:
        form = n.forms[key] = Form(op, edges)
    saved = n.saved[node] = [_saved(n, form_of_slot, number, nbytes, inputs, versions) for form_of_slot in form.saved]
    known = n.attributes.get(id(attributes)) if attributes else _NONE
    if known is None or (known[1] is not op and attributes):
        if len(n.attributes) >= 1000:
            n.attributes.clear()
        shown = {a: text(v) for a, v in zip(op.attrs, attributes, strict=False)}
        known = n.attributes[id(attributes)] = encode(shown), op, attributes
    following = b",".join(
        [
            b"null" if e is None else b'{"node":%d,"output_nr":%d}' % (e, numbers[i] if numbers else 0)
            for i, e in enumerate(edges)
        ]
    )
    return b'{"node":%d,"name":%b,"sequence_nr":%d,"next_functions":[%b],"saved":%b,"attributes":%b}' % (
        node,
        form.name,
        sequence_nr - n.first_sequence_nr,
        following,
        encode(saved),
        known[0],
    )


def _saved(n: Narrator, form: Any, number: int, nbytes: int, inputs: Any, versions: Any) -> ev.SavedTensor:
    """What a slot keeps; what the program has no tensor of lives in one of the storages reserved after the node."""
    result, position, slot, own = form
    version = versions[own - 1] if versions else 0
    if result is not None:
        return ev.SavedTensor(
            slot=slot, tensor=number, storage=number + 1, version=version, nbytes=nbytes, is_output=True
        )
    given = inputs[position]
    if given.__class__ is not int:
        storage = number + 2 + own
        return ev.SavedTensor(slot=slot, tensor=None, storage=storage, version=0, nbytes=NUMBER_BYTES, is_output=False)
    storage, nbytes = n.places.get(given, (0, 0))
    return ev.SavedTensor(slot=slot, tensor=given, storage=storage, version=version, nbytes=nbytes, is_output=False)
