"""Backward passes: their beginning and end, the nodes that run, and the gradients that these send."""

from __future__ import annotations

from backscope.protocol.event_parts import Summary
from backscope.protocol.events.base_event import BaseEvent
from backscope.protocol.field_types import Identity, Many, Name, Natural, Shape


class BackwardStarted(BaseEvent, frozen=True, kw_only=True):
    """backward() or autograd.grad() began: call number `call`, started from node `root_nodes[i]` with `gradients[i]`.

    `api` is "backward" or "grad"; `parent` is the call with the hook or formula that started this one.
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


class NodeStarted(BaseEvent, frozen=True, kw_only=True):
    """A node is about to run, with one incoming gradient for each output of its op; None for an undefined one."""

    call: Identity
    node: Identity
    gradients: Many[Summary | None]


class GradientSent(BaseEvent, frozen=True, kw_only=True):
    """A node sent the gradient of its input number `input_nr` along its edge.

    `reduced_from` is the shape before a sum undid a broadcast.  `total` is the sum at the receiving node with this
    gradient added, None where it is the first.  A later one of the same node and input in a pass takes the place of
    the first: the user of a debugger changed it.
    """

    call: Identity
    node: Identity
    input_nr: Natural
    to_node: Identity
    output_nr: Natural
    value: Summary
    reduced_from: Shape | None
    total: Summary | None


class NodeFinished(BaseEvent, frozen=True, kw_only=True):
    """A node has run and sent its gradients."""

    call: Identity
    node: Identity


class BackwardFinished(BaseEvent, frozen=True, kw_only=True):
    """backward() or autograd.grad() returned, or `failed` with the error that follows."""

    call: Identity
    failed: bool
