"""What can happen in a program and its backward passes: the tagged union that is Backscope's protocol.

Every struct below is one kind of event; its tag, the field `kind`, is its name in snake_case.  Names are past tense
and use PyTorch's words.  The log of a run is a list of events with `seq` 0, 1, 2, ... without gaps.

Identities (`tensor`, `node`, `storage`, `call`) are positive integers, unique in a run and never used again.
A non-finite number is the string "NaN", "Infinity" or "-Infinity"; a complex number is a pair [re, im].
The TypeScript types of the page are generated from this file.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

import msgspec

PROTOCOL_VERSION = 1

NonFinite: TypeAlias = Literal["NaN", "Infinity", "-Infinity"]
Number: TypeAlias = int | float | NonFinite
Element: TypeAlias = Number | list[Number]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What a tensor held at one moment.

    `values` are in row-major order: all of them up to 256 elements, the first 16 of a larger tensor.  `min`, `max` and
    `mean` are None for complex and empty tensors, for tensors with a NaN, and above 4,096 elements, where they are
    computed on demand; `norm` is the 2-norm over all elements.  Units: `strides` in elements, `nbytes` in bytes.
    """

    shape: list[int]
    dtype: str
    strides: list[int]
    nbytes: int
    min: Number | None
    max: Number | None
    mean: Number | None
    norm: Number | None
    nan_count: int
    inf_count: int
    values: list[Element]


class TensorInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A tensor as it was when the program got it; `base` is the tensor that it is a view of."""

    tensor: int
    storage: int
    version: int
    requires_grad: bool
    is_leaf: bool
    base: int | None
    value: Summary


class Argument(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of an op: a tensor by its identity, anything else as its Python text."""

    name: str
    tensor: int | None
    text: str | None


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of `next_functions`: where the gradient of one input goes."""

    node: int
    output_nr: int


class SavedTensor(msgspec.Struct, frozen=True, kw_only=True):
    """A tensor kept for a node's backward formula, e.g. slot `_saved_self`; `is_output` for the op's own result."""

    slot: str
    tensor: int | None
    storage: int
    version: int
    nbytes: int
    is_output: bool


class NodeInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A node of the tape; `sequence_nr` orders the backward pass, highest first."""

    node: int
    name: str
    sequence_nr: int
    next_functions: list[Edge | None]
    saved: list[SavedTensor]
    attributes: dict[str, str]


class ParameterUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """What one optimizer step did to one parameter."""

    tensor: int
    before: Summary
    grad: Summary | None
    after: Summary


class TracebackLine(msgspec.Struct, frozen=True, kw_only=True):
    """One frame of the user's code in a traceback, outermost first."""

    line: int
    function: str
    text: str


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """Why an error happened, computed from the tape: the cause, the lines and identities involved, what to do."""

    cause: str
    fix: str
    lines: list[int]
    nodes: list[int]
    tensors: list[int]


def _kind(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class _Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag=_kind):
    """`line` is the 1-based line of the user's code that was running, or None outside it."""

    seq: int
    line: int | None


class ProgramStarted(_Event, frozen=True, kw_only=True):
    """A run began; `versions` names backscope, python, numpy and the PyTorch that is followed."""

    protocol: int
    filename: str
    source: str
    seed: int
    versions: dict[str, str]


class TensorCreated(_Event, frozen=True, kw_only=True):
    """A tensor came to be without a tracked op: by a creation function (`origin`, e.g. "randn") or as a gradient."""

    origin: str
    info: TensorInfo


class TensorNamed(_Event, frozen=True, kw_only=True):
    """A variable of the user's program was bound to a tensor."""

    tensor: int
    name: str


class TensorMutated(_Event, frozen=True, kw_only=True):
    """A tensor changed in place: its version, shared by all views of `storage`, is now `version`."""

    tensor: int
    storage: int
    version: int
    op: str
    value: Summary


class RequiresGradChanged(_Event, frozen=True, kw_only=True):
    """A tensor began or ceased to require grad other than by an op."""

    tensor: int
    requires_grad: bool


class TensorReleased(_Event, frozen=True, kw_only=True):
    """The last Python reference to a tensor went; saved copies of its storage may live on."""

    tensor: int


class NodeCreated(_Event, frozen=True, kw_only=True):
    """The tape got a node that no op made: an AccumulateGrad for the leaf `tensor`."""

    node: int
    name: str
    tensor: int


class NodeReleased(_Event, frozen=True, kw_only=True):
    """A node of the tape was dropped, with whatever it still saved."""

    node: int


class OpApplied(_Event, frozen=True, kw_only=True):
    """An op ran forward; `node` is None where nothing was tracked.

    `in_place` ops have the changed tensor as their output.  During a backward pass with create_graph, `during` is the
    node whose formula applied this op.
    """

    op: str
    inputs: list[Argument]
    outputs: list[TensorInfo]
    node: NodeInfo | None
    in_place: bool
    is_view: bool
    during: int | None


class GraphRebased(_Event, frozen=True, kw_only=True):
    """A tensor's grad_fn was replaced because it, its base or a view of it was changed in place."""

    tensor: int
    node: NodeInfo


class BackwardStarted(_Event, frozen=True, kw_only=True):
    """backward() or autograd.grad() began: call number `call`, started from node `root_nodes[i]` with `gradients[i]`.

    `api` is "backward" or "grad"; `parent` is the call whose hook or formula started this one.
    """

    call: int
    api: str
    parent: int | None
    roots: list[int]
    root_nodes: list[int]
    gradients: list[Summary]
    implicit_gradient: bool
    retain_graph: bool
    create_graph: bool
    inputs: list[int] | None


class NodeStarted(_Event, frozen=True, kw_only=True):
    """A node is about to run with one incoming gradient for each output of its op; None where none arrived."""

    call: int
    node: int
    gradients: list[Summary | None]


class GradientSent(_Event, frozen=True, kw_only=True):
    """A node sent the gradient of its input number `input_nr` along its edge.

    `reduced_from` is the shape before a broadcast was folded back by a sum.  `total` is what waits at the receiver
    after adding this contribution, None when it is the first.
    """

    call: int
    node: int
    input_nr: int
    to_node: int
    output_nr: int
    value: Summary
    reduced_from: list[int] | None
    total: Summary | None


class HookRan(_Event, frozen=True, kw_only=True):
    """A user's hook saw a gradient; `after` is None where it returned nothing."""

    call: int | None
    where: str
    hook: str
    tensor: int | None
    node: int | None
    before: Summary | None
    after: Summary | None


class NodeFinished(_Event, frozen=True, kw_only=True):
    """A node has run and sent its gradients."""

    call: int
    node: int


class BufferFreed(_Event, frozen=True, kw_only=True):
    """A node let go of a saved tensor; the memory is free when nobody else holds `storage`."""

    node: int
    slot: str
    storage: int
    nbytes: int


class GradAccumulated(_Event, frozen=True, kw_only=True):
    """A leaf's `.grad` received a gradient.

    `in_place` when the existing `.grad` object was changed, False when it was replaced; `grad` is the tensor that
    `.grad` is now.
    """

    call: int
    node: int
    tensor: int
    grad: int
    before: Summary | None
    added: Summary
    after: Summary
    in_place: bool


class GradientCaptured(_Event, frozen=True, kw_only=True):
    """A gradient was kept on its way: in `.grad` by retain_grad ("grad") or as autograd.grad's result ("result")."""

    call: int
    node: int
    tensor: int | None
    into: str
    value: Summary


class GradCleared(_Event, frozen=True, kw_only=True):
    """`.grad` was set to None ("none") or replaced ("assigned"), `by` the "user" or the "optimizer".

    Zeroing it in place is a tensor_mutated of the gradient.
    """

    tensor: int
    how: str
    by: str
    value: Summary | None


class BackwardFinished(_Event, frozen=True, kw_only=True):
    """backward() or autograd.grad() returned, or ended with the error that follows."""

    call: int
    failed: bool


class OptimizerStepped(_Event, frozen=True, kw_only=True):
    """An optimizer changed its parameters."""

    optimizer: str
    updates: list[ParameterUpdate]


class OutputPrinted(_Event, frozen=True, kw_only=True):
    """The program wrote text; `stream` is "stdout" or "stderr"."""

    stream: str
    text: str


class WarningRaised(_Event, frozen=True, kw_only=True):
    """The program or the engine warned."""

    category: str
    message: str


class ErrorRaised(_Event, frozen=True, kw_only=True):
    """An exception.

    `stage` is "syntax" (nothing ran), "engine" (raised by an op or a backward pass; the program may yet catch it),
    "program" (left the program and ended it), or "limit" (the run was stopped from outside: time, memory, output,
    a crash).  `node` is the node that was running, `column` the 1-based column of a syntax error.
    """

    stage: str
    type: str
    message: str
    column: int | None
    traceback: list[TracebackLine]
    node: int | None
    diagnosis: Diagnosis | None


class ProgramFinished(_Event, frozen=True, kw_only=True):
    """The run is over: `status` is "ok", "error", "stopped" (by the user) or "limit"."""

    status: str


Event: TypeAlias = (
    ProgramStarted
    | TensorCreated
    | TensorNamed
    | TensorMutated
    | RequiresGradChanged
    | TensorReleased
    | NodeCreated
    | NodeReleased
    | OpApplied
    | GraphRebased
    | BackwardStarted
    | NodeStarted
    | GradientSent
    | HookRan
    | NodeFinished
    | BufferFreed
    | GradAccumulated
    | GradientCaptured
    | GradCleared
    | BackwardFinished
    | OptimizerStepped
    | OutputPrinted
    | WarningRaised
    | ErrorRaised
    | ProgramFinished
)

encode = msgspec.json.Encoder().encode
"""One event as a line of JSON, without the newline."""

decode = msgspec.json.Decoder(Event).decode
"""An event from its JSON; raises msgspec.ValidationError or msgspec.DecodeError for anything else."""
