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
    hidden: Many[Natural] = msgspec.field(default_factory=list)


class NodeCreated(BaseEvent, frozen=True, kw_only=True):
    """The tape got a node that no op made: an AccumulateGrad for the leaf `tensor`; None for any other."""

    node: Identity
    name: Name
    tensor: Identity | None


class GraphRebased(BaseEvent, frozen=True, kw_only=True):
    """A tensor's grad_fn was replaced because it, its base or a view of it was changed in place."""

    tensor: Identity
    node: NodeInfo


class NodeReleased(BaseEvent, frozen=True, kw_only=True):
    """A node of the tape was dropped, with whatever it still saved."""

    node: Identity


class GradModeChanged(BaseEvent, frozen=True, kw_only=True):
    """Ops are recorded from here on ("grad"), or are not: `mode` is "no_grad", "inference" or "function".

    "function" is the inside of a custom Function's forward(), which then is an op itself.  Told with the first op that
    this matters for, outside backward passes.
    """

    mode: Name


class TransformEntered(BaseEvent, frozen=True, kw_only=True):
    """A transform of torch.func runs a function: what happens until `transform_left` of this `depth` is inside it.

    `transform` is "grad" (reverse mode: grad, vjp, jacrev and the like), "jvp" or "vmap"; `depth` is 1 for the
    outermost.  Gradients inside of it are its own: they need no requires_grad, and no backward() is told of.
    """

    transform: Name
    depth: Natural


class TransformLeft(BaseEvent, frozen=True, kw_only=True):
    """A transform is done."""

    depth: Natural
