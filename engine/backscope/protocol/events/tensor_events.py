"""Tensors from their creation to their release, with their names, changes in place and tangents."""

from __future__ import annotations

from backscope.protocol.event_parts import Summary, TensorInfo
from backscope.protocol.events.base_event import BaseEvent
from backscope.protocol.field_types import Identity, Name, Natural


class TensorCreated(BaseEvent, frozen=True, kw_only=True):
    """A tensor came to be without a tracked op: by a creation function (`origin`, e.g. "randn") or as a gradient."""

    origin: Name
    info: TensorInfo


class TensorNamed(BaseEvent, frozen=True, kw_only=True):
    """A variable of the user's program was bound to a tensor."""

    tensor: Identity
    name: Name


class TensorKept(BaseEvent, frozen=True, kw_only=True):
    """A tensor with a history was put into a list, a dict or the like, which keeps it and its graph alive.

    `holder` is what the program calls the container, e.g. "losses" or "self.history".
    """

    tensor: Identity
    holder: Name


class TensorMutated(BaseEvent, frozen=True, kw_only=True):
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


class RequiresGradChanged(BaseEvent, frozen=True, kw_only=True):
    """A tensor began or ceased to require grad other than by an op."""

    tensor: Identity
    requires_grad: bool


class TangentComputed(BaseEvent, frozen=True, kw_only=True):
    """A tensor of a forward-mode pass got its tangent: from `op`, or from the user where that is None."""

    tensor: Identity
    level: Natural
    op: Name | None
    value: Summary


class TensorReleased(BaseEvent, frozen=True, kw_only=True):
    """The last Python reference to a tensor went; saved copies of its storage may live on."""

    tensor: Identity
