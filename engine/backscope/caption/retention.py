"""Sentences of pack hooks and checkpoints, which replace saved tensors until backward, and of tangents."""

from __future__ import annotations

from collections.abc import Sequence

from backscope.caption import backward
from backscope.caption.hooks import subject
from backscope.caption.naming import Naming, content
from backscope.caption.packed import packed_text
from backscope.caption.words import listed, together
from backscope.diagnosis.why.log.facts import last
from backscope.protocol import events as ev
from backscope.protocol.op_names import name_of
from backscope.protocol.sentences import say


def packed(event: ev.SavedTensorPacked, naming: Naming) -> str:
    """Return the sentence of a pack hook: the tensor that it gets, and what it keeps."""
    return say(
        "saved_tensor_packed",
        hook=subject(say("hook.pack"), event.hook),
        value=content(event.value),
        node=naming.node(event.node),
        slot=event.slot,
        kept=packed_text(event.packed),
    )


def checkpoint_entered(event: ev.CheckpointEntered) -> str:
    """Return the sentence of a function that begins to run under a checkpoint."""
    if event.selective:
        return say("checkpoint_entered.selective", function=event.function)
    return say("checkpoint_entered.plain", function=event.function)


def recomputation_started(event: ev.RecomputationStarted, naming: Naming) -> str:
    """Return the sentence of a checkpoint that runs its function again: for a node's saved tensors, or for the pass."""
    facts = naming.state.node(event.node)
    who = say("recomputation.pass") if event.node is None else naming.node(event.node)
    slots = [] if facts is None or facts.info is None else [saved.slot for saved in facts.info.saved]
    what = listed(slots) or say("word.tensors")
    checkpoint = naming.state.checkpoint(event.checkpoint)
    function = say("recomputation.function") if checkpoint is None else checkpoint.function
    if checkpoint is not None and checkpoint.reentrant:
        return say("recomputation.reentrant", who=who, function=function)
    if checkpoint is not None and checkpoint.selective:
        return say("recomputation.selective", who=who, what=what, function=function)
    if len(slots) == 1:
        return say("recomputation.one", who=who, what=what, function=function)
    return say("recomputation.several", who=who, what=what, function=function)


def recomputation_finished(event: ev.RecomputationFinished, events: Sequence[ev.Event], naming: Naming) -> str:
    """Return the sentence of a recomputation that ended, and those of the node that runs after it."""
    checkpoint = naming.state.checkpoint(event.checkpoint)
    function = say("recomputation.function_first") if checkpoint is None else checkpoint.function
    again = say("recomputation_finished", function=function)
    begun = naming.state.run.recomputations.at(event.seq - 1)
    facts = None if begun is None else naming.state.node(begun.node)
    started = None if facts is None else last(facts.runs, event.seq)
    ran = facts is not None and any(isinstance(one, ev.GradientSent) and one.node == facts.number for one in events)
    return together(again, backward.node_ran(started, events, naming)) if started is not None and ran else again


def tangent_computed(event: ev.TangentComputed, naming: Naming) -> str:
    """Return the sentence of a tangent of forward mode."""
    tensor, value = naming.valued(event.tensor), content(event.value)
    if event.op is not None:
        return say("tangent_computed.by_op", tensor=tensor, value=value, op=name_of(event.op))
    return say("tangent_computed.given", tensor=tensor, value=value)
