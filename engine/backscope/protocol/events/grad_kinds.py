"""The gradients that a program can read, and the steps of the optimizers that use them."""

from __future__ import annotations

from backscope.protocol.event_parts import ParameterGroup, ParameterUpdate, Summary
from backscope.protocol.events.base_event import BaseEvent
from backscope.protocol.field_types import Identity, Many, Name, Natural


class GradAccumulated(BaseEvent, frozen=True, kw_only=True):
    """A leaf's `.grad` received a gradient.

    `in_place` is True where the existing `.grad` tensor was changed, False where it was replaced; `grad` is the tensor
    that `.grad` is now.
    """

    call: Identity
    node: Identity
    tensor: Identity
    grad: Identity
    before: Summary | None
    added: Summary
    after: Summary
    in_place: bool


class GradientCaptured(BaseEvent, frozen=True, kw_only=True):
    """A gradient was kept during a pass: in `.grad` by retain_grad ("grad") or as autograd.grad's result ("result")."""

    call: Identity
    node: Identity
    tensor: Identity | None
    into: Name
    value: Summary


class GradCleared(BaseEvent, frozen=True, kw_only=True):
    """`.grad` was set to None ("none") or replaced ("assigned"), `by` the "user" or the "optimizer".

    Zeroing it in place gives a `tensor_mutated` of the gradient instead.
    """

    tensor: Identity
    how: Name
    by: Name
    value: Summary | None


class OptimizerStepped(BaseEvent, frozen=True, kw_only=True):
    """An optimizer finished its step number `number`, with an update for each parameter that it changed.

    `unchanged` are the parameters without a gradient.  A `tensor_mutated` of each change follows, except where it was
    recorded during the step, as for an optimizer that the program itself defines.
    """

    optimizer: Name
    number: Natural
    groups: Many[ParameterGroup]
    updates: Many[ParameterUpdate]
    unchanged: Many[Identity]
