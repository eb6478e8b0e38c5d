"""Makes the events of tensors and custom Functions, and the texts of arguments that are no tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from backscope.autograd.transforms.absent import Absent
from backscope.protocol import events as ev
from backscope.recorder.narration.narrator import Captured, Line, Narrator, clean
from backscope.runtime import passive
from backscope.runtime.given import Value
from backscope.summary.summary import capture
from backscope.tensor.dtype import dtype
from backscope.tensor.meta import MetaArray
from backscope.tensor.sparse_values import Sparse

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op


def number_bytes(value: object) -> int:
    """Return the bytes of a Python number, which is saved as a 0-d tensor of 64 bits, or 128 for a complex one."""
    return 16 if value.__class__ is complex else 8


class Shown(str):
    """The text of an argument that was made when the op ran."""

    __slots__ = ()


def text(value: object) -> str:
    """Return an argument that is no tensor as Python text of bounded length."""
    return clean(value if type(value) is Shown else passive.text(value))


PLAIN = frozenset({int, float, bool, complex, str, type(None), dtype})


def frozen(value: Value) -> Value:
    """Return an argument that cannot change before its event is made: itself, or its text now."""
    kind = type(value)
    if kind in PLAIN or (kind is tuple and PLAIN.issuperset(map(type, value))):
        return value
    return Shown(text(value))


def frozen_all(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments that cannot change before their event is made; the given tuple where none could."""
    for value in values:
        kind = value.__class__
        if kind in PLAIN:
            continue
        if kind is tuple:
            for x in value:
                if x.__class__ not in PLAIN:
                    break
            else:
                continue
        return tuple([frozen(v) for v in values])
    return values


def tensor_info(n: Narrator, made: tuple[Any, ...]) -> ev.TensorInfo:
    """Return a tensor that appears in an event; `made` has its fields in their order."""
    tensor, storage, version, requires_grad, is_leaf, base, value = made
    if isinstance(value, (MetaArray, Sparse, Absent)):
        value = capture(value)
    n.places[tensor] = (storage, value.nbytes)
    return ev.TensorInfo(
        tensor=tensor,
        storage=storage,
        version=version,
        requires_grad=requires_grad,
        is_leaf=is_leaf,
        base=base,
        value=n.summary(value),
    )


def wanted(op: Op, slot: str, edges: Sequence[int | None]) -> bool:
    """Return True if a formula of an input that has an edge uses the slot."""
    if len(edges) != len(op.inputs):
        return True
    return any(
        edge is not None and slot in op.uses.get(name, op.slots) for name, edge in zip(op.inputs, edges, strict=True)
    )


def tensor_created(n: Narrator, seq: int, line: Line, origin: str, info: tuple[Any, ...]) -> Iterator[ev.Event]:
    """Yield the event of a tensor that was made."""
    yield ev.TensorCreated(seq=seq, line=line, origin=origin, info=tensor_info(n, info))


def tensor_kept(n: Narrator, seq: int, line: Line, tensor: int, holder: str) -> Iterator[ev.Event]:
    """Yield the event of a tensor that was put into a container."""
    yield ev.TensorKept(seq=seq, line=line, tensor=tensor, holder=clean(holder))


def tensor_mutated(
    n: Narrator,
    seq: int,
    line: Line,
    tensor: int,
    storage: int,
    version: int,
    op: str,
    value: Captured,
    through: int | None,
) -> Iterator[ev.Event]:
    """Yield the event of a tensor that changed in place."""
    if tensor in n.places:  # Its type may be another one.
        n.places[tensor] = storage, value.nbytes
    summary = n.summary(value)
    yield ev.TensorMutated(
        seq=seq, line=line, tensor=tensor, storage=storage, version=version, op=op, value=summary, through=through
    )


def requires_grad_changed(n: Narrator, seq: int, line: Line, tensor: int, requires_grad: bool) -> Iterator[ev.Event]:
    """Yield the event of a requires_grad that was set."""
    yield ev.RequiresGradChanged(seq=seq, line=line, tensor=tensor, requires_grad=requires_grad)


def node_created(n: Narrator, seq: int, line: Line, node: int, name: str, tensor: int | None) -> Iterator[ev.Event]:
    """Yield the event of a node that no op made."""
    yield ev.NodeCreated(seq=seq, line=line, node=node, name=name, tensor=tensor)


def graph_rebased(n: Narrator, seq: int, line: Line, tensor: int, node: tuple[Any, ...]) -> Iterator[ev.Event]:
    """Yield the event of a grad_fn that was replaced."""
    number, kind, sequence_nr, edges, numbers, *_ = node
    n.edges[number] = edges, numbers
    info = ev.NodeInfo(
        node=number,
        name=kind.__name__,
        sequence_nr=sequence_nr,
        next_functions=_following(edges, numbers),
        saved=[],
        attributes={},
    )
    yield ev.GraphRebased(seq=seq, line=line, tensor=tensor, node=info)


def _following(edges: Sequence[int | None], numbers: Sequence[int] | None) -> list[ev.Edge | None]:
    return [None if e is None else ev.Edge(node=e, output_nr=numbers[i] if numbers else 0) for i, e in enumerate(edges)]


def function_applied(
    n: Narrator,
    seq: int,
    line: Line,
    name: str,
    names: list[str],
    inputs: list[Any],
    infos: list[Any],
    node: tuple[Any, ...] | None,
    in_place: bool,
    during: int | None,
) -> Iterator[ev.Event]:
    """Yield the event of a custom Function that was applied: one op, whatever ran inside."""
    arguments: list[ev.Argument] = []
    for i, given in enumerate(inputs):
        parameter = names[i] if i < len(names) else f"argument{i}"
        tensor = given if given.__class__ is int else None
        arguments.append(
            ev.Argument(name=parameter, tensor=tensor, text=None if tensor is not None else text(given[0]))
        )
    outputs = [tensor_info(n, i) for i in infos]
    made = None if node is None else node_info(n, node)
    path = n.path(during)
    if made is not None and path is not None:
        n.path_of[made.node] = path
    yield ev.OpApplied(
        seq=seq,
        line=line,
        op=clean(name),
        inputs=arguments,
        outputs=outputs,
        node=made,
        in_place=in_place,
        is_view=any(o.base is not None for o in outputs),
        during=during,
        module_path=path,
        repeat=n.loops.repeat,
        hidden=[],
    )


def node_info(n: Narrator, made: tuple[Any, ...]) -> ev.NodeInfo:
    """Return a node whose name, saved tensors and attributes no op declares."""
    node, name, sequence_nr, edges, numbers, kept, attributes = made
    n.edges[node] = edges, numbers
    saved = [
        ev.SavedTensor(slot=slot, tensor=tensor, storage=storage, version=version, nbytes=nbytes, is_output=is_output)
        for slot, tensor, storage, version, nbytes, is_output in kept
    ]
    n.saved[node] = [(s.slot, s.tensor, s.storage, s.nbytes) for s in saved]
    return ev.NodeInfo(
        node=node,
        name=clean(name),
        sequence_nr=sequence_nr,
        next_functions=_following(edges, numbers),
        saved=saved,
        attributes={clean(k): text(v) for k, v in attributes.items()},
    )
