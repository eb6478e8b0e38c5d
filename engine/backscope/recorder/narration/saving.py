"""Makes the events of saved tensors that hooks pack, of checkpoints, and of tangents."""

from __future__ import annotations

from collections.abc import Iterator

from backscope.protocol import events as ev
from backscope.recorder.narration.forward_moments import text
from backscope.recorder.narration.narrator import Captured, Line, Narrator, clean


def saved_tensor_packed(
    n: Narrator, seq: int, line: Line, node: int, slot: str, hook: str, value: Captured, packed: object
) -> Iterator[ev.Event]:
    """Yield the event of a pack hook that ran."""
    yield ev.SavedTensorPacked(
        seq=seq, line=line, node=node, slot=slot, hook=clean(hook), value=n.summary(value), packed=text(packed)
    )


def saved_tensor_unpacked(
    n: Narrator, seq: int, line: Line, call: int | None, node: int, slot: str, hook: str, value: Captured
) -> Iterator[ev.Event]:
    """Yield the event of an unpack hook that ran."""
    yield ev.SavedTensorUnpacked(
        seq=seq, line=line, call=call, node=node, slot=slot, hook=clean(hook), value=n.summary(value)
    )


def checkpoint_entered(
    n: Narrator, seq: int, line: Line, checkpoint: int, function: str, reentrant: bool, selective: bool
) -> Iterator[ev.Event]:
    """Yield the event of a function that begins to run under a checkpoint."""
    name = clean(function)
    yield ev.CheckpointEntered(
        seq=seq, line=line, checkpoint=checkpoint, function=name, reentrant=reentrant, selective=selective
    )


def checkpoint_left(n: Narrator, seq: int, line: Line, checkpoint: int, kept: list[int]) -> Iterator[ev.Event]:
    """Yield the event of a checkpointed function that ran."""
    yield ev.CheckpointLeft(seq=seq, line=line, checkpoint=checkpoint, kept=kept)


def recomputation_started(
    n: Narrator, seq: int, line: Line, call: int | None, checkpoint: int, node: int | None
) -> Iterator[ev.Event]:
    """Yield the event of a checkpointed function that begins to run again."""
    yield ev.RecomputationStarted(seq=seq, line=line, call=call, checkpoint=checkpoint, node=node)


def recomputation_finished(n: Narrator, seq: int, line: Line, checkpoint: int) -> Iterator[ev.Event]:
    """Yield the event of a recomputation that ended."""
    yield ev.RecomputationFinished(seq=seq, line=line, checkpoint=checkpoint)


def tangent_computed(
    n: Narrator, seq: int, line: Line, tensor: int, level: int, op: str | None, value: Captured
) -> Iterator[ev.Event]:
    """Yield the event of a tensor that got a tangent."""
    yield ev.TangentComputed(seq=seq, line=line, tensor=tensor, level=level, op=op, value=n.summary(value))
