"""Sentences of the forward pass: new tensors, ops and in-place changes."""

from __future__ import annotations

from collections.abc import Sequence

from backscope.caption.effect import tangent_effect
from backscope.caption.first_nan import asked_infinity, making, place_words
from backscope.caption.hooks import subject
from backscope.caption.naming import Naming, content, shaped
from backscope.caption.number import amount, held_bytes, is_bad, numeral, values
from backscope.caption.packed import packed_text
from backscope.caption.words import listed, together
from backscope.diagnosis.why.log.facts import is_dropped
from backscope.protocol import events as ev
from backscope.protocol.op_names import argument_text, name_of
from backscope.protocol.sentences import say

_VALUE = 28


def _held(info: ev.TensorInfo, naming: Naming) -> str:
    """Return a result with its variable, `y = 7` or `h, an [8, 4] tensor`; without a variable its value alone."""
    name, elements = naming.variable(info.tensor), values(info.value, _VALUE)
    if name is None:
        return elements or shaped(info.value)
    if elements is None:
        return say("held.shape", name=name, value=shaped(info.value))
    return say("held.elements", name=name, value=elements)


def tensor_created(event: ev.TensorCreated, naming: Naming) -> str:
    """Return the sentence of a tensor that a creation function made, or that the engine gives to the program."""
    info, origin = event.info, event.origin
    name, made = naming.variable(info.tensor), _held(info, naming)
    if origin == "alias" and naming.state.call() is None:
        value = content(info.value)
        if name is None:
            return say("tensor_created.alias_unnamed", value=value)
        return say("tensor_created.alias", name=name, value=value)
    if origin in ("alias", "grad", "gradient"):
        if name is None:
            return say("tensor_created.gradient_unnamed", made=made)
        return say("tensor_created.gradient", made=made)
    if origin == "data":
        return say("tensor_created.data", made=made)
    if origin == "dropout":
        return say("tensor_created.dropout", made=made)
    said = say("tensor_created.made", origin=origin, made=made)
    if not info.requires_grad:
        return said
    tracked = say("tensor_created.tracked_unnamed") if name is None else say("tensor_created.tracked", name=name)
    return together(said, tracked)


def op_applied(event: ev.OpApplied, events: Sequence[ev.Event], naming: Naming) -> str:
    """Return the sentences of an op: its result, and its node on the tape."""
    expression = naming.expression(event.op, event.inputs)
    repeated = _repeated_by(naming)
    if repeated is not None:
        results = _outputs(event, naming)
        if _is_given_back(event, naming):
            return say("op_applied.given_back", function=repeated, expression=expression, results=results)
        return say("op_applied.again", function=repeated, expression=expression, results=results)
    if event.in_place:
        return _in_place(event, events, naming)
    if event.op == "BackwardHookFunction":
        return say("op_applied.backward_hooks", expression=expression)
    tangent = _tangent(event, events, naming)
    recorded = "" if tangent and event.node is None else _recorded(event, events, naming)
    gives = say("op_applied.gives", expression=expression, results=_outputs(event, naming))
    return together(gives, tangent, recorded, _begins(event, naming))


def _repeated_by(naming: Naming) -> str | None:
    """Return the function that a checkpoint runs again for saved tensors; None outside of a recomputation."""
    under_way = naming.state.recomputation()
    checkpoint = None if under_way is None else naming.state.checkpoint(under_way.checkpoint)
    return None if checkpoint is None or checkpoint.reentrant else checkpoint.function


def _is_given_back(event: ev.OpApplied, naming: Naming) -> bool:
    """Return True if the policy of a selective checkpoint kept the result of an op that is applied again."""
    again = naming.state.tape.repeats.get(event.seq)
    kept = naming.state.tape.kept_results
    return again is not None and any(output.tensor in kept for output in again[1].outputs)


def _outputs(event: ev.OpApplied, naming: Naming) -> str:
    held = [_held(output, naming) for nr, output in enumerate(event.outputs) if nr not in event.hidden]
    return listed(held) or say("word.nothing")


def _tangent(event: ev.OpApplied, events: Sequence[ev.Event], naming: Naming) -> str:
    """Return the sentence of the result's tangent, with its computation if the op is elementwise."""
    output = event.outputs[0] if event.outputs else None
    computed = (one for one in events if isinstance(one, ev.TangentComputed))
    made = next((one for one in computed if output is not None and one.tensor == output.tensor), None)
    if output is None or made is None:
        return ""
    effects: list[str | None] = []
    for given in event.inputs:
        series = None if given.tensor is None else naming.state.run.tangents.get(given.tensor)
        tangent = None if series is None else series.at(event.seq)
        if tangent is None:
            continue
        fits = not tangent.value.shape or tangent.value.shape == output.value.shape
        effects.append(tangent_effect(event, given.name, tangent.value, naming) if fits else None)
    said = [one for one in dict.fromkeys(effects) if one is not None]
    if not effects or None in effects:
        return say("op_applied.tangent", tangent=content(made.value))
    verbs, op = say("join.and").join(said), name_of(event.op)
    if len(effects) > 1:
        return say("op_applied.tangent_of_several", tangent=content(made.value), op=op, verbs=verbs)
    return say("op_applied.tangent_of_one", tangent=content(made.value), op=op, verbs=verbs)


def _begins(event: ev.OpApplied, naming: Naming) -> str:
    """Return a sentence if an op made a NaN or an infinity of finite numbers."""
    bad = next((output.value for output in event.outputs if is_bad(output.value)), None)
    given = [naming.state.value(one.tensor) for one in event.inputs if one.tensor is not None]
    if bad is None or not event.inputs or any(value is not None and is_bad(value) for value in given):
        return ""
    asked = None if bad.nan_count else asked_infinity(event)
    if asked is not None:
        return say("non_finite.asked", value=asked)
    what = say("word.nan") if bad.nan_count else say("word.inf")
    made = making(event, bad, naming.state)
    if made is None:
        return say("non_finite.op", what=what, at=place_words(bad))
    return say("non_finite.op_made", what=what, at=place_words(bad), making=made)


def _recorded(event: ev.OpApplied, events: Sequence[ev.Event], naming: Naming) -> str:
    """Return the sentences of an op's node and of what it saves for backward."""
    if event.node is None:
        return _unrecorded(event, naming)
    node, saved = event.node.name, event.node.saved
    if not saved:
        return say("recorded.plain", node=node)
    packs = [one for one in events if isinstance(one, ev.SavedTensorPacked) and one.node == event.node.node]
    if packs and all(is_dropped(pack) for pack in packs):
        return say("recorded.dropped", node=node, fates=_fates(event, event.node, naming))
    slots = listed(list(dict.fromkeys(_called(one, event, naming) for one in saved)))
    if packs and len(packs) == len(saved):
        kept = listed(list(dict.fromkeys(packed_text(pack.packed) for pack in packs)))
        hook = subject(say("hook.pack"), packs[0].hook)
        return say("recorded.packed", node=node, hook=hook, saved=slots, kept=kept)
    return say("recorded.saves", node=node, saved=slots, bytes=amount(held_bytes(saved)))


def _unrecorded(event: ev.OpApplied, naming: Naming) -> str:
    """Return the sentence of the reason why the tape does not record an op."""
    mode = naming.state.tape.mode(naming.state.seq)
    if event.op == "detach":
        return say("unrecorded.detach")
    if mode == "function":
        return say("unrecorded.function")
    if not any(one.tensor is not None and naming.state.requires_grad(one.tensor) for one in event.inputs):
        return say("unrecorded.no_input")
    if mode == "grad":
        return say("unrecorded.cut")
    return say("unrecorded.inference") if mode == "inference" else say("unrecorded.no_grad")


def _called(saved: ev.SavedTensor, event: ev.OpApplied, naming: Naming) -> str:
    """Return the name of a saved tensor for readers."""
    own = saved.slot.replace("_saved_", "", 1)
    text = argument_text(event.inputs, own)
    tensor = saved.tensor
    if tensor is not None and event.outputs and tensor == event.outputs[0].tensor:
        return naming.variable(tensor) or say("recorded.result")
    # An additional result is named by its slot: the description of the op would mean the main result.
    beside = any(output.tensor == tensor for output in event.outputs)
    if tensor is None or (beside and naming.variable(tensor) is None):
        return numeral(text) or (say("recorded.slot", slot=own) if text is None else text)
    return naming.tensor(tensor)


def _fates(event: ev.OpApplied, node: ev.NodeInfo, naming: Naming) -> str:
    """Return what happens to a saved tensor under a checkpoint: kept by the policy, given again or computed again."""
    kept: dict[str, None] = {}
    given: dict[str, None] = {}
    computed: dict[str, None] = {}
    tape = naming.state.tape
    for saved in node.saved:
        facts = None if saved.tensor is None else tape.tensors.get(saved.tensor)
        pack = naming.state.run.packs.get((node.node, saved.slot))
        fate = computed
        if facts is not None and pack is not None:
            if pack.under is not None and facts.made.seq < pack.under.seq:
                fate = given
            elif facts.number in tape.kept_results:
                fate = kept
        fate[_called(saved, event, naming)] = None
    parts = [say("recorded.kept", saved=listed([*kept]))] if kept else []
    if len(given) == 1:
        parts.append(say("recorded.given_one", saved=listed([*given])))
    elif given:
        parts.append(say("recorded.given_several", saved=listed([*given])))
    return listed([*parts, *([say("recorded.computed", saved=listed([*computed]))] if computed else [])])


def _in_place(event: ev.OpApplied, events: Sequence[ev.Event], naming: Naming) -> str:
    output = event.outputs[0] if event.outputs else None
    op = name_of(event.op)
    if output is None:
        return together(say("in_place.unknown", op=op), _rebased(events, naming))
    # A change through `x.data`, or a part of it, is described as one of x, which readers know.
    is_data = "data" in [naming.state.origin(one) for one in (output.tensor, output.base) if one is not None]
    changes = (one for one in events if isinstance(one, ev.TensorMutated))
    through = next((one for one in changes if one.through == output.tensor), None)
    if is_data and through is not None and naming.variable(output.tensor) is None:
        tensor, value = naming.tensor(through.tensor), _to(through.value)
        return together(say("in_place.data", op=op, tensor=tensor, value=value), outdated(through.storage, naming))
    changed = say(
        "in_place.changes",
        op=op,
        tensor=naming.tensor(output.tensor),
        value="" if naming.variable(output.tensor) is None else _to(output.value),
        version=output.version,
        base="" if output.base is None else say("in_place.base", base=naming.tensor(output.base)),
    )
    return together(changed, _rebased(events, naming), outdated(output.storage, naming))


def _to(after: ev.Summary) -> str:
    value = values(after, _VALUE)
    return "" if value is None else say("in_place.value", value=value)


def _rebased(events: Sequence[ev.Event], naming: Naming) -> str:
    """Return the sentence of the tensors that got another grad_fn, with the one before."""
    changes: list[str] = []
    for event in events:
        if not isinstance(event, ev.GraphRebased):
            continue
        series = naming.state.run.grad_fns.get(event.tensor)
        before = None if series is None else series.at(event.seq - 1)
        tensor, node = naming.tensor(event.tensor), event.node.name
        if before is None:
            changes.append(say("in_place.grad_fn", tensor=tensor, node=node))
        else:
            changes.append(say("in_place.grad_fn_instead", tensor=tensor, node=node, before=naming.node(before)))
    return say("in_place.rebased", changes=listed(changes)) if changes else ""


def outdated(storage: int, naming: Naming) -> str:
    """Return the sentence of the nodes that saved a storage before it changed, and cannot run any more."""
    stale: dict[int, tuple[str, int]] = {}
    for facts, saved in naming.state.stale(storage):
        stale.setdefault(facts.number, (facts.name, saved.version))
    if not stale:
        return ""
    node, version = next(iter(stale.values()))
    if len(stale) > 1:
        return say("in_place.outdated_more", node=node, version=version, count=len(stale) - 1)
    return say("in_place.outdated", node=node, version=version)


def tensor_mutated(event: ev.TensorMutated, naming: Naming) -> str:
    """Return the sentence of a change of memory by the program, or by an op without an event of its own."""
    name, version = naming.tensor(event.tensor), event.version
    if event.op == "data":
        value = values(event.value, _VALUE)
        if value is None:
            return say("tensor_mutated.data", name=name, version=version)
        return say("tensor_mutated.data_value", name=name, value=value, version=version)
    changed = say("tensor_mutated.by_op", op=name_of(event.op), tensor=name, version=version)
    return together(changed, outdated(event.storage, naming))


def requires_grad_changed(event: ev.RequiresGradChanged, naming: Naming) -> str:
    """Return the sentence of a tensor that begins or ceases to require grad."""
    tensor = naming.tensor(event.tensor)
    if event.requires_grad:
        return say("requires_grad_changed.on", tensor=tensor)
    return say("requires_grad_changed.off", tensor=tensor)
