"""Tensors from their creation to their release, with their names, changes in place and tangents."""

from __future__ import annotations

from backscope.protocol.event_parts import Summary, TensorInfo
from backscope.protocol.events.base_event import BaseEvent
from backscope.protocol.field_types import Identity, Name, Natural


class TensorCreated(BaseEvent, frozen=True, kw_only=True):
    """A tensor was created without a tracked op: by a creation function (`origin`, e.g. "randn") or as a gradient."""

    origin: Name
    info: TensorInfo


class TensorNamed(BaseEvent, frozen=True, kw_only=True):
    """A variable of the user's program was bound to a tensor."""

    tensor: Identity
    name: Name


class TensorKept(BaseEvent, frozen=True, kw_only=True):
    """A tensor with a grad_fn was put into a list, a dict or the like, which keeps it and its graph alive.

    `holder` is the container's name in the program, e.g. "losses" or "self.history".
    """

    tensor: Identity
    holder: Name


class TensorMutated(BaseEvent, frozen=True, kw_only=True):
    """A tensor changed in place, and its version is now `version`; views share the version of their base, `x.data` not.

    An event each follows for other tensors on the same memory with a version of their own, such as `x` after a change
    of `x.data`: the tensor that the memory was allocated for, and those with a name.  `through` is the tensor that the
    program changed, None for that tensor itself.
    """

    tensor: Identity
    storage: Identity
    version: Natural
    op: Name
    value: Summary
    through: Identity | None


class RequiresGradChanged(BaseEvent, frozen=True, kw_only=True):
    """A tensor's requires_grad changed, other than by an op."""

    tensor: Identity
    requires_grad: bool


class TangentComputed(BaseEvent, frozen=True, kw_only=True):
    """A tensor of a forward-mode pass got its tangent: from `op`, or from the user where that is None."""

    tensor: Identity
    level: Natural
    op: Name | None
    value: Summary


class TensorReleased(BaseEvent, frozen=True, kw_only=True):
    """The last Python reference to a tensor was dropped; nodes may still save its storage."""

    tensor: Identity
