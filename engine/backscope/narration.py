"""Moments into events: one function for each kind of moment that the recorder keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from backscope import events as ev
from backscope.identity import NodeToken, Token
from backscope.summary import summarize

Line = int | None

NUMBER_BYTES = 8
"""A Python number is saved as a 0-d tensor of 64 bits."""


class Narrator:
    """What narration remembers: where tensors live, what nodes saved, and the last summaries, which often come again."""

    def __init__(self, identity: Callable[[], int]) -> None:
        self.identity = identity
        self.places: dict[int, tuple[int, int]] = {}
        self.saved: dict[int, list[ev.SavedTensor]] = {}
        self.edges: dict[int, Any] = {}
        self.waiting: dict[int, Any] = {}
        self.last: list[tuple[Any, ev.Summary]] = []

    def tell(self, seq: int, moment: Any) -> Iterator[ev.Event]:
        """The events of one moment, numbered from `seq`."""
        if moment.__class__ is Token:
            return tensor_released(self, seq, moment.tensor)
        if moment.__class__ is NodeToken:
            return node_released(self, seq, moment.node)
        build, line, *rest = moment
        events: Iterator[ev.Event] = build(self, seq, line, *rest)
        return events

    def summary(self, captured: Any) -> ev.Summary:
        """The Summary of a captured value, not computed twice for the same object."""
        for known, made in self.last:
            if known is captured:
                return made
        made = summarize(captured)
        self.last.append((captured, made))
        if len(self.last) > 4:
            del self.last[0]
        return made

    def optional(self, captured: Any) -> ev.Summary | None:
        """The Summary of a captured value, None for None."""
        return None if captured is None else self.summary(captured)


def text(value: Any) -> str:
    """An argument that is no tensor, as Python text of bounded length."""
    try:
        shown = repr(tuple(value)) if isinstance(value, tuple) else repr(value)
    except Exception:  # noqa: BLE001 - a user's __repr__ may raise anything
        shown = f"<{type(value).__name__}>"
    return shown if len(shown) <= 80 else shown[:77] + "..."


def _info(n: Narrator, made: tuple[Any, ...]) -> ev.TensorInfo:
    tensor, storage, version, requires_grad, is_leaf, base, value = made
    summary = n.summary(value)
    n.places[tensor] = (storage, summary.nbytes)
    return ev.TensorInfo(
        tensor=tensor, storage=storage, version=version, requires_grad=requires_grad, is_leaf=is_leaf, base=base, value=summary
    )


def _node(n: Narrator, made: tuple[Any, ...], op: Any, inputs: list[Any], outputs: list[ev.TensorInfo], in_place: bool) -> ev.NodeInfo:
    node, kind, sequence_nr, edges, numbers, kept, versions, attrs = made
    saved: list[ev.SavedTensor] = []
    n.edges[node] = edges
    if kept is not None and op is not None:
        for k, slot in enumerate(op.slots):
            if (kept is True or kept[k]) and _wanted(op, slot, edges):
                saved.append(_saved(n, op, k, slot, inputs, outputs, versions[k] if versions else 0, in_place))
        n.saved[node] = saved
    return ev.NodeInfo(
        node=node,
        name=kind.__name__,
        sequence_nr=sequence_nr,
        next_functions=[None if e is None else ev.Edge(node=e, output_nr=numbers[i] if numbers else 0) for i, e in enumerate(edges)],
        saved=saved,
        attributes={} if op is None else {a: text(v) for a, v in zip(op.attrs, attrs, strict=False)},
    )


def _wanted(op: Any, slot: str, edges: Any) -> bool:
    """True where a formula of an input that has an edge uses the slot."""
    if len(edges) != len(op.inputs):
        return True
    return any(edge is not None and slot in op.uses.get(name, op.slots) for name, edge in zip(op.inputs, edges, strict=True))


def _saved(n: Narrator, op: Any, k: int, slot: str, inputs: list[Any], outputs: list[ev.TensorInfo], version: int, in_place: bool) -> ev.SavedTensor:
    result = op.result_slots[k]
    name = f"_saved_{slot}"
    if result is not None:
        out = outputs[result]
        return ev.SavedTensor(slot=name, tensor=out.tensor, storage=out.storage, version=version, nbytes=out.value.nbytes, is_output=True)
    position = op.slot_positions[k]
    given = inputs[position]
    if given.__class__ is not int:
        return ev.SavedTensor(slot=name, tensor=None, storage=n.identity(), version=0, nbytes=NUMBER_BYTES, is_output=False)
    storage, nbytes = n.places.get(given, (0, 0))
    if in_place and position == 0:
        return ev.SavedTensor(slot=name, tensor=None, storage=n.identity(), version=0, nbytes=nbytes, is_output=False)
    return ev.SavedTensor(slot=name, tensor=given, storage=storage, version=version, nbytes=nbytes, is_output=False)


def tensor_released(n: Narrator, seq: int, tensor: int) -> Iterator[ev.Event]:
    """A tensor died."""
    n.places.pop(tensor, None)
    yield ev.TensorReleased(seq=seq, line=None, tensor=tensor)


def node_released(n: Narrator, seq: int, node: int) -> Iterator[ev.Event]:
    """A node died."""
    n.saved.pop(node, None)
    n.edges.pop(node, None)
    yield ev.NodeReleased(seq=seq, line=None, node=node)


def tensor_created(n: Narrator, seq: int, line: Line, origin: str, info: Any) -> Iterator[ev.Event]:
    """A tensor was made."""
    yield ev.TensorCreated(seq=seq, line=line, origin=origin, info=_info(n, info))


def tensor_named(n: Narrator, seq: int, line: Line, tensor: int, name: str) -> Iterator[ev.Event]:
    """A variable was bound."""
    yield ev.TensorNamed(seq=seq, line=line, tensor=tensor, name=name)


def tensor_mutated(n: Narrator, seq: int, line: Line, tensor: int, storage: int, version: int, op: str, value: Any) -> Iterator[ev.Event]:
    """A tensor changed in place."""
    yield ev.TensorMutated(seq=seq, line=line, tensor=tensor, storage=storage, version=version, op=op, value=n.summary(value))


def requires_grad_changed(n: Narrator, seq: int, line: Line, tensor: int, requires_grad: bool) -> Iterator[ev.Event]:
    """requires_grad was set."""
    yield ev.RequiresGradChanged(seq=seq, line=line, tensor=tensor, requires_grad=requires_grad)


def node_created(n: Narrator, seq: int, line: Line, node: int, name: str, tensor: int) -> Iterator[ev.Event]:
    """An AccumulateGrad came to be."""
    yield ev.NodeCreated(seq=seq, line=line, node=node, name=name, tensor=tensor)


def op_applied(
    n: Narrator, seq: int, line: Line, name: str, op: Any, inputs: list[Any], infos: list[Any], node: Any, in_place: bool, view: bool, during: Any
) -> Iterator[ev.Event]:
    """An op ran."""
    parameters = ["self"] if op is None else op.parameters
    arguments: list[ev.Argument] = []
    for i, given in enumerate(inputs):
        parameter = parameters[i] if i < len(parameters) else f"argument{i}"
        if given.__class__ is int:
            arguments.append(ev.Argument(name=parameter, tensor=given, text=None))
        elif given.__class__ is list:
            arguments.extend(ev.Argument(name=f"{parameter}[{k}]", tensor=t, text=None) for k, t in enumerate(given))
        else:
            arguments.append(ev.Argument(name=parameter, tensor=None, text=text(given[0])))
    if op is not None:
        name = op.torch_name.rstrip("_") + ("_" if in_place else "")
    outputs = [_info(n, i) for i in infos]
    yield ev.OpApplied(
        seq=seq, line=line, op=name, inputs=arguments, outputs=outputs,
        node=None if node is None else _node(n, node, op, inputs, outputs, in_place), in_place=in_place, is_view=view, during=during,
    )  # fmt: skip


def applied(
    n: Narrator, seq: int, line: Line, op: Any, first: int, given: Any, number: int, tracked: bool, value: Any, node: Any, during: Any
) -> Iterator[ev.Event]:
    """An elementwise op ran."""
    info = (number, number + 1, 0, tracked, not tracked, None, value)
    inputs = [first, given] if len(op.inputs) == 2 else [first]
    return op_applied(n, seq, line, op.name, op, inputs, [info], node, False, False, during)


def graph_rebased(n: Narrator, seq: int, line: Line, tensor: int, node: Any) -> Iterator[ev.Event]:
    """A grad_fn was replaced."""
    yield ev.GraphRebased(seq=seq, line=line, tensor=tensor, node=_node(n, node, None, [], [], False))


def backward_started(
    n: Narrator, seq: int, line: Line, call: int, api: str, parent: Any, roots: Any, nodes: Any, gradients: Any, implicit: bool, retain: bool, create: bool, inputs: Any
) -> Iterator[ev.Event]:
    """A backward pass begins."""
    yield ev.BackwardStarted(
        seq=seq, line=line, call=call, api=api, parent=parent, roots=roots, root_nodes=nodes, gradients=[n.summary(g) for g in gradients],
        implicit_gradient=implicit, retain_graph=retain, create_graph=create, inputs=inputs,
    )  # fmt: skip


def node_started(n: Narrator, seq: int, line: Line, call: int, node: int, gradients: list[Any]) -> Iterator[ev.Event]:
    """A node is about to run."""
    n.waiting.pop(node, None)
    yield ev.NodeStarted(seq=seq, line=line, call=call, node=node, gradients=[n.optional(g) for g in gradients])


def node_ran(
    n: Narrator, seq: int, line: Line, call: int, node: int, incoming: Any, sent: list[Any], freed: bool
) -> Iterator[ev.Event]:
    """A node ran: it started (unless that was told before), sent gradients, let go of buffers, and is done."""
    n.waiting.pop(node, None)
    if incoming is not None:
        yield ev.NodeStarted(seq=seq, line=line, call=call, node=node, gradients=[n.optional(g) for g in incoming])
        seq += 1
    for input_nr, below, output_nr, value, total, reduced_from in sent:
        n.waiting[below] = value if total is None else total
        yield ev.GradientSent(
            seq=seq, line=line, call=call, node=node, input_nr=input_nr, to_node=below, output_nr=output_nr, value=n.summary(value),
            reduced_from=reduced_from, total=n.optional(total),
        )  # fmt: skip
        seq += 1
    for buffer in n.saved.pop(node, ()) if freed else ():
        yield ev.BufferFreed(seq=seq, line=line, node=node, slot=buffer.slot, storage=buffer.storage, nbytes=buffer.nbytes)
        seq += 1
    yield ev.NodeFinished(seq=seq, line=line, call=call, node=node)


def node_told(n: Narrator, seq: int, line: Line, call: int, node: int, g: Any, gradients: Any, freed: bool) -> Iterator[ev.Event]:
    """A node of one output ran on scalars; totals at the receivers are added up here."""
    sent: list[Any] = []
    for i, (below, gradient) in enumerate(zip(n.edges[node], gradients, strict=True)):
        if below is None or gradient is None:
            continue
        waiting = n.waiting.get(below)
        total = None if waiting is None else waiting + gradient
        n.waiting[below] = gradient if total is None else total
        sent.append((i, below, 0, gradient, total, None))
    return node_ran(n, seq, line, call, node, (g,), sent, freed)


def hook_ran(n: Narrator, seq: int, line: Line, call: Any, where: str, hook: str, tensor: Any, node: int, before: Any, after: Any) -> Iterator[ev.Event]:
    """A hook saw a gradient."""
    yield ev.HookRan(
        seq=seq, line=line, call=call, where=where, hook=hook, tensor=tensor, node=node, before=n.optional(before), after=n.optional(after)
    )


def gradient_captured(n: Narrator, seq: int, line: Line, call: int, node: int, tensor: Any, into: str, value: Any) -> Iterator[ev.Event]:
    """A gradient was kept on its way."""
    yield ev.GradientCaptured(seq=seq, line=line, call=call, node=node, tensor=tensor, into=into, value=n.summary(value))


def grad_accumulated(
    n: Narrator, seq: int, line: Line, call: int, node: int, tensor: int, grad: int, before: Any, added: Any, after: Any, in_place: bool
) -> Iterator[ev.Event]:
    """`.grad` received a gradient; the AccumulateGrad is done."""
    yield ev.GradAccumulated(
        seq=seq, line=line, call=call, node=node, tensor=tensor, grad=grad, before=n.optional(before), added=n.summary(added),
        after=n.summary(after), in_place=in_place,
    )  # fmt: skip
    yield ev.NodeFinished(seq=seq + 1, line=line, call=call, node=node)


def grad_cleared(n: Narrator, seq: int, line: Line, tensor: int, how: str, by: str, value: Any) -> Iterator[ev.Event]:
    """`.grad` was emptied."""
    yield ev.GradCleared(seq=seq, line=line, tensor=tensor, how=how, by=by, value=n.optional(value))


def backward_finished(n: Narrator, seq: int, line: Line, call: int, failed: bool) -> Iterator[ev.Event]:
    """A backward pass is over."""
    n.last.clear()
    n.waiting.clear()
    yield ev.BackwardFinished(seq=seq, line=line, call=call, failed=failed)


def optimizer_stepped(n: Narrator, seq: int, line: Line, name: str, updates: list[Any]) -> Iterator[ev.Event]:
    """An optimizer changed its parameters: the step, then each change in place."""
    yield ev.OptimizerStepped(
        seq=seq,
        line=line,
        optimizer=name,
        updates=[
            ev.ParameterUpdate(tensor=t, before=n.summary(before), grad=n.optional(grad), after=n.summary(after))
            for t, _, _, before, grad, after in updates
        ],
    )
    for offset, (tensor, storage, version, _, _, after) in enumerate(updates, 1):
        yield ev.TensorMutated(
            seq=seq + offset, line=line, tensor=tensor, storage=storage, version=version, op=f"{name}.step", value=n.summary(after)
        )


def program_started(n: Narrator, seq: int, line: Line, filename: str, source: str, seed: int, versions: dict[str, str]) -> Iterator[ev.Event]:
    """A run begins."""
    yield ev.ProgramStarted(
        seq=seq, line=line, protocol=ev.PROTOCOL_VERSION, filename=filename, source=source, seed=seed, versions=versions
    )


def output_printed(n: Narrator, seq: int, line: Line, stream: str, shown: str) -> Iterator[ev.Event]:
    """The program wrote text."""
    yield ev.OutputPrinted(seq=seq, line=line, stream=stream, text=shown)


def warning_raised(n: Narrator, seq: int, line: Line, category: str, message: str) -> Iterator[ev.Event]:
    """A warning was given."""
    yield ev.WarningRaised(seq=seq, line=line, category=category, message=message)


def error_raised(
    n: Narrator, seq: int, line: Line, stage: str, kind: str, message: str, column: Any, trace: list[Any], node: Any, diagnosis: Any
) -> Iterator[ev.Event]:
    """An exception was raised."""
    yield ev.ErrorRaised(
        seq=seq, line=line, stage=stage, type=kind, message=message, column=column,
        traceback=[ev.TracebackLine(line=at, function=function, text=source) for at, function, source in trace], node=node, diagnosis=diagnosis,
    )  # fmt: skip


def program_finished(n: Narrator, seq: int, line: Line, status: str) -> Iterator[ev.Event]:
    """A run is over."""
    yield ev.ProgramFinished(seq=seq, line=line, status=status)
