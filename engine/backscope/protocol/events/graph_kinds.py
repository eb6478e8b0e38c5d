"""The graph that ops record: ops, nodes, and the modes and transforms that ops run in."""

from __future__ import annotations

import msgspec

from backscope.protocol.event_parts import Argument, NodeInfo, TensorInfo
from backscope.protocol.events.base_event import BaseEvent
from backscope.protocol.field_types import Identity, Many, Name, Natural, Size


class OpApplied(BaseEvent, frozen=True, kw_only=True):
    """An op ran forward; `node` is None where nothing was tracked.

    `in_place` ops have the changed tensor as their output.  During a backward pass with create_graph, `during` is the
    node whose formula applied this op.  `module_path` is where it ran as the user sees it, e.g.
    "model.encoder.layers.0", during a formula the path of that node's own op, None outside of modules; `repeat` has the
    1-based rounds of the program's loops around it, outermost first.  `hidden` are the indices in `outputs` of those
    that only the node's formula uses and the program never gets, such as the total weight of nll_loss; older traces
    do not have this field.
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
    hidden: Many[Natural] = msgspec.field(default_factory=list)


class NodeCreated(BaseEvent, frozen=True, kw_only=True):
    """A node was created without an op: an AccumulateGrad for the leaf `tensor`, which is None for any other node."""

    node: Identity
    name: Name
    tensor: Identity | None


class GraphRebased(BaseEvent, frozen=True, kw_only=True):
    """A tensor's grad_fn was replaced because it, its base or a view of it was changed in place."""

    tensor: Identity
    node: NodeInfo


class NodeReleased(BaseEvent, frozen=True, kw_only=True):
    """A node was dropped from the graph, with the tensors that it still saved."""

    node: Identity


class GradModeChanged(BaseEvent, frozen=True, kw_only=True):
    """From here on the tape records ops (`mode` "grad") or does not ("no_grad", "inference" or "function").

    "function" is the inside of a custom Function's forward(), which then is an op itself.  The event precedes the first
    op that the change affects, outside backward passes.
    """

    mode: Name


class TransformEntered(BaseEvent, frozen=True, kw_only=True):
    """A transform of torch.func runs a function: what happens until `transform_left` of this `depth` is inside it.

    `transform` is "grad" (reverse mode: grad, vjp, jacrev and the like), "jvp" or "vmap"; `depth` is 1 for the
    outermost.  Gradients inside it need no requires_grad, and there is no `backward_started` for them.
    """

    transform: Name
    depth: Natural


class TransformLeft(BaseEvent, frozen=True, kw_only=True):
    """A transform returned or raised."""

    depth: Natural
