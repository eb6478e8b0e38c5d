"""The tensors that nodes save and free, and the checkpoints that compute them again."""

from __future__ import annotations

import msgspec

from backscope.protocol.event_parts import Summary
from backscope.protocol.events.base_event import BaseEvent
from backscope.protocol.field_types import Identity, Many, Name, Size


class SavedTensorPacked(BaseEvent, frozen=True, kw_only=True):
    """A pack hook replaced the tensor that a node saves in `slot` by `packed`, given as its Python text or its type."""

    node: Identity
    slot: Name
    hook: Name
    value: Summary
    packed: Name


class SavedTensorUnpacked(BaseEvent, frozen=True, kw_only=True):
    """An unpack hook returned the tensor that a node needs."""

    call: Identity | None
    node: Identity
    slot: Name
    hook: Name
    value: Summary


class BufferFreed(BaseEvent, frozen=True, kw_only=True):
    """A node freed a saved tensor; the memory is free once nothing else refers to `storage`."""

    node: Identity
    slot: Name
    storage: Identity
    nbytes: Size


class CheckpointEntered(BaseEvent, frozen=True, kw_only=True):
    """A function began to run under checkpoint number `checkpoint`, without saving tensors for its backward.

    A `selective` one has a policy that decides which results are kept; older traces do not have this field.
    """

    checkpoint: Identity
    function: Name
    reentrant: bool
    selective: bool = False


class CheckpointLeft(BaseEvent, frozen=True, kw_only=True):
    """The forward pass of a checkpointed function ended; `kept` are the results that its policy kept."""

    checkpoint: Identity
    kept: Many[Identity] = msgspec.field(default_factory=list)


class RecomputationStarted(BaseEvent, frozen=True, kw_only=True):
    """The function of a checkpoint runs again, because `node` needs a tensor that was not saved."""

    call: Identity | None
    checkpoint: Identity
    node: Identity | None


class RecomputationFinished(BaseEvent, frozen=True, kw_only=True):
    """The recomputation of a checkpoint ended."""

    checkpoint: Identity
