"""What can happen in a program and its backward passes: the tagged union that is Backscope's protocol.

Every struct below is one kind of event; its tag, the field `kind`, is its name in snake_case.  Names are past tense
and use PyTorch's words.  The log of a run is a list of events with `seq` 0, 1, 2, ... without gaps.

Identities (`tensor`, `node`, `storage`, `call`) are positive integers, unique in a run and never used again.
A non-finite number is the string "NaN", "Infinity" or "-Infinity"; a complex number is a pair [re, im].
The TypeScript types of the page are generated from this file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union

import msgspec

from backscope.protocol.event_parts import (
    Argument as Argument,
    Diagnosis as Diagnosis,
    Edge as Edge,
    Evidence as Evidence,
    NamedTensor as NamedTensor,
    NodeInfo as NodeInfo,
    ParameterGroup as ParameterGroup,
    ParameterUpdate as ParameterUpdate,
    SavedTensor as SavedTensor,
    Stack,
    Summary as Summary,
    TensorInfo as TensorInfo,
    Traceback,
    TracebackLine as TracebackLine,
)
from backscope.protocol.field_types import (
    Element as Element,
    Identity,
    Integer,
    LongText,
    Many,
    Name,
    Natural,
    NonFinite as NonFinite,
    Number as Number,
    Shape,
    Size,
    Source,
    Table,
)

PROTOCOL_VERSION = 1

Stream: TypeAlias = Literal["stdout", "stderr"]
Stage: TypeAlias = Literal["syntax", "engine", "program", "limit"]


def _kind(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class _Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag=_kind):
    """`line` is the 1-based line of the user's code that was running, or None outside it."""

    seq: Natural
    line: Natural | None


class ProgramStarted(_Event, frozen=True, kw_only=True):
    """A run began; `versions` names backscope, python, numpy and the PyTorch that is followed."""

    protocol: Size
    filename: Name
    source: Source
    seed: Integer
    versions: Table[Name]


class TensorCreated(_Event, frozen=True, kw_only=True):
    """A tensor came to be without a tracked op: by a creation function (`origin`, e.g. "randn") or as a gradient."""

    origin: Name
    info: TensorInfo


class TensorNamed(_Event, frozen=True, kw_only=True):
    """A variable of the user's program was bound to a tensor."""

    tensor: Identity
    name: Name


class TensorKept(_Event, frozen=True, kw_only=True):
    """A tensor with a history was put into a list, a dict or the like, which keeps it and its graph alive.

    `holder` is what the program calls the container, e.g. "losses" or "self.history".
    """

    tensor: Identity
    holder: Name


class TensorMutated(_Event, frozen=True, kw_only=True):
    """A tensor changed in place, and its version is now `version`: the views of a tensor count with it, `x.data` apart.

    Then come those that see the change through the same memory, as `x` does one of `x.data`: the tensor that the
    memory was made for, and those with a name of their own.  `through` is the one that was changed, None for itself.
    """

    tensor: Identity
    storage: Identity
    version: Natural
    op: Name
    value: Summary
    through: Identity | None


class RequiresGradChanged(_Event, frozen=True, kw_only=True):
    """A tensor began or ceased to require grad other than by an op."""

    tensor: Identity
    requires_grad: bool


class TensorReleased(_Event, frozen=True, kw_only=True):
    """The last Python reference to a tensor went; saved copies of its storage may live on."""

    tensor: Identity


class NodeCreated(_Event, frozen=True, kw_only=True):
    """The tape got a node that no op made: an AccumulateGrad for the leaf `tensor`; None for any other."""

    node: Identity
    name: Name
    tensor: Identity | None


class NodeReleased(_Event, frozen=True, kw_only=True):
    """A node of the tape was dropped, with whatever it still saved."""

    node: Identity


class OpApplied(_Event, frozen=True, kw_only=True):
    """An op ran forward; `node` is None where nothing was tracked.

    `in_place` ops have the changed tensor as their output.  During a backward pass with create_graph, `during` is the
    node whose formula applied this op.  `module_path` is where it ran as the user sees it, e.g.
    "model.encoder.layers.0", during a formula the path of that node's own op, None outside of modules; `repeat` has the
    1-based rounds of the program's loops around it, outermost first.  `hidden` are the places in `outputs` of those
    that only the node's formula uses and the program never holds, as the total weight of nll_loss; traces of before
    they were told have none.
    """

    op: Name
    inputs: Many[Argument]
    outputs: Many[TensorInfo]
    node: NodeInfo | None
    in_place: bool
    is_view: bool
    during: Identity | None
    module_path: Name | None
    repeat: Many[Size]
    hidden: Many[Natural] = []


class ModuleDescribed(_Event, frozen=True, kw_only=True):
    """A module is about to be called for the first time; `text` is what its repr shows between brackets.

    `path` begins with the program's variable, e.g. "model.encoder.layers.0"; a module that no variable leads to is
    called by its class.  `parameters` are its own, without those of modules inside it.
    """

    module: Identity
    type: Name
    path: Name
    text: LongText
    parameters: Many[NamedTensor]


class ModuleEntered(_Event, frozen=True, kw_only=True):
    """A module is called; what happens until `module_left` of this `call` happens in it.

    `caller` is the call of the module whose forward() calls it, and `times` counts the calls within that one, or within
    the program.  A module that is shared has the `path` by which this caller reaches it.
    """

    call: Identity
    module: Identity
    path: Name
    caller: Identity | None
    times: Natural


class ModuleLeft(_Event, frozen=True, kw_only=True):
    """A call of a module returned or raised."""

    call: Identity


class TransformEntered(_Event, frozen=True, kw_only=True):
    """A transform of torch.func runs a function: what happens until `transform_left` of this `depth` is inside it.

    `transform` is "grad" (reverse mode: grad, vjp, jacrev and the like), "jvp" or "vmap"; `depth` is 1 for the
    outermost.  Gradients inside of it are its own: they need no requires_grad, and no backward() is told of.
    """

    transform: Name
    depth: Natural


class TransformLeft(_Event, frozen=True, kw_only=True):
    """A transform is done."""

    depth: Natural


class RoundStarted(_Event, frozen=True, kw_only=True):
    """A loop of the program is in its round number `round`, 1-based; told with the first thing that happens in it.

    `loop` numbers the times that loops are run; `line` is that of the loop, `text` its head, e.g. "for x, y in data",
    and `outer` the loop around it that is under way.
    """

    loop: Identity
    outer: Identity | None
    round: Natural
    text: LongText


class LoopFinished(_Event, frozen=True, kw_only=True):
    """A loop that was told of is over after `rounds`."""

    loop: Identity
    rounds: Natural


class FunctionEntered(_Event, frozen=True, kw_only=True):
    """A function of the program runs, until `function_left` of this `call`; told with the first thing that it does.

    `line` is that of its `def`, and `times` counts its calls that were told of.  Not told of are generators, methods
    that modules and custom Functions call by themselves, such as forward(), and what runs inside of a backward pass.
    """

    call: Identity
    name: Name
    times: Natural


class FunctionLeft(_Event, frozen=True, kw_only=True):
    """A function that was told of returned or raised."""

    call: Identity


class GradModeChanged(_Event, frozen=True, kw_only=True):
    """Ops are recorded from here on ("grad"), or are not: `mode` is "no_grad", "inference" or "function".

    "function" is the inside of a custom Function's forward(), which then is an op itself.  Told with the first op that
    this matters for, outside backward passes.
    """

    mode: Name


class GraphRebased(_Event, frozen=True, kw_only=True):
    """A tensor's grad_fn was replaced because it, its base or a view of it was changed in place."""

    tensor: Identity
    node: NodeInfo


class BackwardStarted(_Event, frozen=True, kw_only=True):
    """backward() or autograd.grad() began: call number `call`, started from node `root_nodes[i]` with `gradients[i]`.

    `api` is "backward" or "grad"; `parent` is the call whose hook or formula started this one.
    """

    call: Identity
    api: Name
    parent: Identity | None
    roots: Many[Identity]
    root_nodes: Many[Identity]
    gradients: Many[Summary]
    implicit_gradient: bool
    retain_graph: bool
    create_graph: bool
    inputs: Many[Identity] | None


class NodeStarted(_Event, frozen=True, kw_only=True):
    """A node is about to run with one incoming gradient for each output of its op; None where none arrived."""

    call: Identity
    node: Identity
    gradients: Many[Summary | None]


class GradientSent(_Event, frozen=True, kw_only=True):
    """A node sent the gradient of its input number `input_nr` along its edge.

    `reduced_from` is the shape before a broadcast was folded back by a sum.  `total` is what waits at the receiver
    after adding this contribution, None when it is the first.
    """

    call: Identity
    node: Identity
    input_nr: Natural
    to_node: Identity
    output_nr: Natural
    value: Summary
    reduced_from: Shape | None
    total: Summary | None


class HookRan(_Event, frozen=True, kw_only=True):
    """A user's hook saw a gradient (in a module's forward pass: a value); `after` is None where it returned nothing.

    `where` is "tensor", "node pre", "node post", "post accumulate", "multi grad", "callback", "module forward pre",
    "module forward", "module backward pre", "module backward", "optimizer step pre" or "optimizer step post".
    `module` is the path of the module whose hook it is, or the class of the optimizer.
    """

    call: Identity | None
    where: Name
    hook: Name
    module: Name | None
    tensor: Identity | None
    node: Identity | None
    before: Summary | None
    after: Summary | None


class HookRegistered(_Event, frozen=True, kw_only=True):
    """The user hung a hook on a tensor, or on a node where `tensor` is None; `where` is as in hook_ran.

    `node` is the tensor's grad_fn then, None for a leaf.
    """

    where: Name
    hook: Name
    tensor: Identity | None
    node: Identity | None


class ModuleHookRegistered(_Event, frozen=True, kw_only=True):
    """The user hung a hook on the module at the path `module`: it runs where the module is called.

    `where` is as in hook_ran; `parameters` are the module's own.
    """

    where: Name
    hook: Name
    module: Name
    parameters: Many[Identity]


class HookRemoved(_Event, frozen=True, kw_only=True):
    """The user took a hook away again: the first of these that was registered."""

    where: Name
    hook: Name
    tensor: Identity | None
    node: Identity | None


class SavedTensorPacked(_Event, frozen=True, kw_only=True):
    """A pack hook was given what a node saves in `slot` and keeps `packed` instead: its Python text, or its type."""

    node: Identity
    slot: Name
    hook: Name
    value: Summary
    packed: Name


class SavedTensorUnpacked(_Event, frozen=True, kw_only=True):
    """An unpack hook gave back the tensor that a node needs."""

    call: Identity | None
    node: Identity
    slot: Name
    hook: Name
    value: Summary


class CheckpointEntered(_Event, frozen=True, kw_only=True):
    """A function began to run under checkpoint number `checkpoint`, without saving tensors for its backward.

    Of a `selective` one the policy says which results are kept; traces of before that was told have none.
    """

    checkpoint: Identity
    function: Name
    reentrant: bool
    selective: bool = False


class CheckpointLeft(_Event, frozen=True, kw_only=True):
    """The forward pass of a checkpointed function is over; `kept` are the results that its policy kept."""

    checkpoint: Identity
    kept: Many[Identity] = []


class RecomputationStarted(_Event, frozen=True, kw_only=True):
    """The function of a checkpoint runs again, because `node` needs what it did not save."""

    call: Identity | None
    checkpoint: Identity
    node: Identity | None


class RecomputationFinished(_Event, frozen=True, kw_only=True):
    """The recomputation of a checkpoint is over."""

    checkpoint: Identity


class TangentComputed(_Event, frozen=True, kw_only=True):
    """A tensor of a forward-mode pass got its tangent: from `op`, or from the user where that is None."""

    tensor: Identity
    level: Natural
    op: Name | None
    value: Summary


class NodeFinished(_Event, frozen=True, kw_only=True):
    """A node has run and sent its gradients."""

    call: Identity
    node: Identity


class BufferFreed(_Event, frozen=True, kw_only=True):
    """A node let go of a saved tensor; the memory is free when nobody else holds `storage`."""

    node: Identity
    slot: Name
    storage: Identity
    nbytes: Size


class GradAccumulated(_Event, frozen=True, kw_only=True):
    """A leaf's `.grad` received a gradient.

    `in_place` when the existing `.grad` object was changed, False when it was replaced; `grad` is the tensor that
    `.grad` is now.
    """

    call: Identity
    node: Identity
    tensor: Identity
    grad: Identity
    before: Summary | None
    added: Summary
    after: Summary
    in_place: bool


class GradientCaptured(_Event, frozen=True, kw_only=True):
    """A gradient was kept on its way: in `.grad` by retain_grad ("grad") or as autograd.grad's result ("result")."""

    call: Identity
    node: Identity
    tensor: Identity | None
    into: Name
    value: Summary


class GradCleared(_Event, frozen=True, kw_only=True):
    """`.grad` was set to None ("none") or replaced ("assigned"), `by` the "user" or the "optimizer".

    Zeroing it in place is a tensor_mutated of the gradient.
    """

    tensor: Identity
    how: Name
    by: Name
    value: Summary | None


class BackwardFinished(_Event, frozen=True, kw_only=True):
    """backward() or autograd.grad() returned, or ended with the error that follows."""

    call: Identity
    failed: bool


class OptimizerStepped(_Event, frozen=True, kw_only=True):
    """An optimizer's step number `number` is over: what it did to each parameter.

    `unchanged` are the parameters that it left alone, having no gradient.  A tensor_mutated of each change follows,
    but for those that were told while they happened, as of an optimizer that the program itself defines.
    """

    optimizer: Name
    number: Natural
    groups: Many[ParameterGroup]
    updates: Many[ParameterUpdate]
    unchanged: Many[Identity]


class OutputPrinted(_Event, frozen=True, kw_only=True):
    """The program wrote text; `stream` is "stdout" or "stderr"."""

    stream: Stream
    text: LongText


class WarningRaised(_Event, frozen=True, kw_only=True):
    """The program or the engine warned."""

    category: Name
    message: LongText


class ErrorRaised(_Event, frozen=True, kw_only=True):
    """An exception.

    `stage` is "syntax" (nothing ran), "engine" (raised by an op or a backward pass; the program may yet catch it),
    "program" (left the program and ended it), or "limit" (the run was stopped from outside: time, memory, output,
    a crash).  `node` is the node that was running, `column` the 1-based column of a syntax error.  Of a deep stack
    `traceback` has the frame that began it and the innermost ones; `frames_left_out` counts those between.
    """

    stage: Stage
    type: Name
    message: LongText
    column: Integer | None
    traceback: Traceback
    node: Identity | None
    diagnosis: Diagnosis | None
    frames_left_out: Natural = 0


class Paused(_Event, frozen=True, kw_only=True):
    """The debugger stopped the program; everything before has been told, and nothing follows until it goes on.

    `reason` is "pause", "step" or "breakpoint", and `breakpoints` has those that stopped it.  `where` is "line" before
    a line runs, "moment" after what was told last, "before node" or "after node" in a backward pass, of which `call`
    and `node` say where, or "end" where the program is over and its variables are still there.  `stack` has the frames
    of the user's code, outermost first, of a deep one the innermost, and `frames_left_out` counts those around them;
    `note` is what else there is to say.
    """

    reason: Name
    breakpoints: Many[Natural]
    where: Name
    call: Identity | None
    node: Identity | None
    stack: Stack
    note: Name | None
    frames_left_out: Natural = 0


class Resumed(_Event, frozen=True, kw_only=True):
    """The program goes on; `to` is "resume" or what it was told to step to."""

    to: Name


class ValueChanged(_Event, frozen=True, kw_only=True):
    """The user of the debugger carried out `target = expression` in a function of the paused program.

    What that does to tensors follows as for any other statement.
    """

    function: Name
    target: Name
    expression: Name


class ProgramFinished(_Event, frozen=True, kw_only=True):
    """The run is over: `status` is "ok", "error", "stopped" (by the user), "limit", or "cut" where the record of the
    run ends before the run did: the server was killed meanwhile, or a trace file lost its end."""

    status: Name


if TYPE_CHECKING:
    Event: TypeAlias = _Event
else:
    Event = Union[tuple(_Event.__subclasses__())]  # noqa: UP007
"""Every kind of event: the structs above, in their order.  A type checker knows what they have in common."""


def _as_number(value: Any) -> int:
    """An integer of a class of its own, as the version of a tensor that was detached in place."""
    return int(value)


KINDS: dict[str, type[_Event]] = {kind.__struct_config__.tag: kind for kind in _Event.__subclasses__()}  # type: ignore[misc]
"""Every kind of event by what its field `kind` says."""


def opening(kind: type[_Event]) -> bytes:
    """How the line of every event of a kind begins."""
    return b'{"kind":"%b",' % str(kind.__struct_config__.tag).encode()


encode = msgspec.json.Encoder(enc_hook=_as_number).encode
"""One event as a line of JSON, without the newline."""

decode = msgspec.json.Decoder(Event).decode
"""An event from its JSON; raises msgspec.ValidationError or msgspec.DecodeError for anything else."""
