"""Makes the event of any op directly as JSON: equal to encoding it, in a fraction of the time."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from backscope.autograd.transforms.absent import Absent
from backscope.protocol import events as ev
from backscope.protocol.template import template
from backscope.recorder.narration.forward_moments import number_bytes, wanted
from backscope.recorder.narration.frequent import argument, quoted
from backscope.recorder.narration.narrator import Captured, Line, Narrator
from backscope.summary.summary import capture
from backscope.tensor.meta import MetaArray
from backscope.tensor.sparse_values import Sparse

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

_GIVEN = template(ev.Argument, tensor=b"%d", text=None)
_SHOWN = template(ev.Argument, tensor=None)
_INFO = template(ev.TensorInfo)
_EDGE = template(ev.Edge)
_SAVED = template(ev.SavedTensor)
_NODE = template(ev.NodeInfo)
_APPLIED = template(ev.OpApplied)
_TRUTH = (b"false", b"true")


def op_applied(
    n: Narrator,
    seq: int,
    line: Line,
    name: str,
    op: Op | None,
    inputs: list[Any],
    infos: list[Any],
    node: tuple[Any, ...] | None,
    in_place: bool,
    view: bool,
    during: int | None,
    kept: int | None = None,
) -> list[bytes]:
    """Return the event of an op that ran; `kept` is a clone of its first input that its node saved instead."""
    parameters = ("self",) if op is None else op.parameters
    arguments: list[bytes] = []
    for i, given in enumerate(inputs):
        parameter = parameters[i] if i < len(parameters) else f"argument{i}"
        if given.__class__ is int:
            arguments.append(_GIVEN % (quoted(parameter), given))
        elif given.__class__ is list:
            arguments += [
                _SHOWN % (quoted(f"{parameter}[{k}]"), argument(n, None))
                if t is None
                else _GIVEN % (quoted(f"{parameter}[{k}]"), t)
                for k, t in enumerate(given)
            ]
        else:
            arguments.append(_SHOWN % (quoted(parameter), argument(n, given[0])))
    if op is not None:
        name = op.torch_name.rstrip("_") + ("_" if in_place else "")
    outputs = [_info(n, *info) for info in infos]
    saved = inputs if kept is None else [kept, *inputs[1:]]
    made = b"null" if node is None else _node(n, node, op, saved, infos, in_place and kept is None)
    path = n.path(during)
    if node is not None and path is not None:
        n.path_of[node[0]] = path
    return [
        _APPLIED
        % (
            seq,
            b"null" if line is None else b"%d" % line,
            quoted(name),
            b",".join(arguments),
            b",".join(outputs),
            made,
            _TRUTH[in_place],
            _TRUTH[view],
            b"null" if during is None else b"%d" % during,
            b"null" if path is None else quoted(path),
            n.repeat(),
            b"" if op is None else op.hidden,
        )
    ]


def _info(
    n: Narrator, tensor: int, storage: int, version: int, tracked: bool, leaf: bool, base: int | None, value: Captured
) -> bytes:
    """Return a TensorInfo."""
    if isinstance(value, (MetaArray, Sparse, Absent)):
        value = capture(value)
    n.places[tensor] = storage, value.nbytes
    whole = b"null" if base is None else b"%d" % base
    return _INFO % (tensor, storage, version, _TRUTH[tracked], _TRUTH[leaf], whole, n.value(value))


@lru_cache(4096)
def _slots(op: Any, missing: tuple[bool, ...]) -> list[tuple[int, str, int | None, int]]:
    """Return the slots that formulas of the inputs with an edge use: number, name, output or input."""
    edges = [None if m else 0 for m in missing]
    return [
        (k, f"_saved_{slot}", op.result_slots[k], op.slot_positions[k])
        for k, slot in enumerate(op.slots)
        if wanted(op, slot, edges)
    ]


def _node(
    n: Narrator, made: tuple[Any, ...], op: Op | None, inputs: list[Any], infos: list[Any], in_place: bool
) -> bytes:
    """Return a NodeInfo; saved values that are no tensor of the program have storages numbered after the node."""
    node, kind, sequence_nr, edges, numbers, kept, versions, attrs = made
    n.edges[node] = edges, numbers
    parts: list[bytes] = []
    if kept is not None and op is not None:
        kept_slots = n.saved[node] = []
        for k, slot, result, position in _slots(op, tuple([e is None for e in edges])):
            if kept is not True and not kept[k]:
                continue
            version: Any = versions[k] if versions else 0
            tensor: int | None
            if result is not None:
                tensor, storage = infos[result][:2]
                nbytes = n.places[tensor][1]
            else:
                tensor = inputs[position]
                if tensor.__class__ is list:
                    for i, one in enumerate(tensor):
                        if one is not None:
                            storage, nbytes = n.places.get(one) or (node + 1 + k, 0)
                            own, at = f"{slot}[{i}]", version[i] if version else 0
                            parts.append(_SAVED % (quoted(own), b"%d" % one, storage, at, nbytes, b"false"))
                            kept_slots.append((own, one, storage, nbytes))
                    continue
                if tensor.__class__ is not int:
                    nbytes = number_bytes(tensor[0] if tensor.__class__ is tuple else None)
                    tensor, storage, version = None, node + 1 + k, 0
                else:
                    storage, nbytes = n.places.get(tensor) or (node + 1 + k, 0)
                    if in_place and position == 0:
                        tensor, storage, version = None, node + 1 + k, 0
            number = b"null" if tensor is None else b"%d" % tensor
            parts.append(_SAVED % (quoted(slot), number, storage, version, nbytes, _TRUTH[result is not None]))
            kept_slots.append((slot, tensor, storage, nbytes))
    following = [
        b"null" if e is None else _EDGE % (e, numbers[i] if numbers else 0) for i, e in enumerate(edges)
    ]  # fmt: skip
    attributes = () if op is None else [
        b"%b:%b" % (quoted(a), argument(n, v)) for a, v in zip(op.attrs, attrs, strict=False)
    ]  # fmt: skip
    return _NODE % (
        node,
        quoted(kind.__name__),
        sequence_nr,
        b",".join(following),
        b",".join(parts),
        b",".join(attributes),
    )
