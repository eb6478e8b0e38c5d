"""Sentences of the backward pass: where it starts, what each node does, what lands in `.grad`, what is freed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from backscope.caption import hooks
from backscope.caption.effect import effect
from backscope.caption.first_nan import place_words
from backscope.caption.naming import Naming, content, gradient
from backscope.caption.number import MINUS, amount, held_bytes, is_bad, number, shape, values
from backscope.caption.words import listed, together
from backscope.protocol import events as ev
from backscope.protocol.sentences import say

_MOST_LISTED = 4
_BRACKETED = re.compile(r"\[.*\]|\(.*\)")
_PASSES = re.compile(r"passes the incoming .{1,20} on( to .*)?")


def _first(gradients: Iterable[ev.Summary | None]) -> ev.Summary | None:
    return next((one for one in gradients if one is not None), None)


def _or_none(incoming: ev.Summary | None) -> str:
    return say("word.no_gradient") if incoming is None else gradient(incoming)


def backward_started(event: ev.BackwardStarted, naming: Naming) -> str:
    """Return the sentence of a pass that starts: the nodes, and the gradient that they get."""
    names = [naming.variable(root) for root in event.roots]
    roots = listed([name or say("word.the_result") for name in names])
    inputs = listed([naming.tensor(one) for one in event.inputs or ()])
    if event.api == "grad":
        call = say("backward_started.call_grad", roots=roots, inputs=inputs)
    elif any(names):
        call = say("backward_started.call", roots=roots)
    else:
        call = say("backward_started.call_unnamed")
    only = say("backward_started.only", inputs=inputs) if event.api == "backward" and event.inputs is not None else ""
    nodes = listed([naming.node(node) for node in event.root_nodes])
    start = gradient(event.gradients[0]) if event.gradients else "1"
    if event.implicit_gradient:
        starts = say("backward_started.starts", call=call, nodes=nodes, gradient=start, only=only)
    else:
        starts = say("backward_started.starts_given", call=call, nodes=nodes, gradient=start, only=only)
    if event.create_graph:
        return together(starts, say("backward_started.create_graph"))
    return together(starts, say("backward_started.retain_graph") if event.retain_graph else "")


def backward_finished(event: ev.BackwardFinished, naming: Naming) -> str:
    """Return the sentence of a pass that ended: the gradients that it left in `.grad`."""
    tape = naming.state.tape
    leaves: dict[str, ev.Summary] = {}
    for tensor in tape.tensors:
        if len(leaves) > _MOST_LISTED:
            break
        landed = naming.state.landed(tensor, event.call)
        if landed is not None:
            leaves[naming.grad(tensor)] = landed
    if not leaves:
        call = tape.passes.get(event.call)
        is_grad = call is not None and call.started.api == "grad"
        return say("backward_finished.done_grad") if is_grad else say("backward_finished.done")
    grads = say("join.comma").join(_landed(name, grad) for name, grad in [*leaves.items()][:_MOST_LISTED])
    if len(leaves) > _MOST_LISTED:
        return say("backward_finished.grads_more", grads=grads)
    return say("backward_finished.grads", grads=grads)


def _landed(name: str, held: ev.Summary) -> str:
    value = values(held, 20)
    if value is not None:
        return say("backward_finished.elements", grad=name, value=value)
    if held.norm is None:
        return say("backward_finished.shape", grad=name, shape=shape(held.shape))
    return say("backward_finished.norm", grad=name, norm=number(held.norm))


def about_to_run(started: ev.NodeStarted, naming: Naming) -> str:
    """Return the sentence of a node whose step ends before it has sent a gradient."""
    incoming = _first(started.gradients)
    arrives = say("word.gradient") if incoming is None else gradient(incoming)
    return say("node_started.about_to", node=naming.node(started.node), gradient=arrives)


def node_ran(started: ev.NodeStarted, events: Sequence[ev.Event], naming: Naming) -> str:
    """Return the sentences of a node that ran: its formula in words, gradients sent, sums, freed buffers."""
    node, state = started.node, naming.state
    name, incoming = naming.node(node), _first(started.gradients)
    sent = [one for one in events if isinstance(one, ev.GradientSent) and one.node == node]
    freed = [one for one in events if isinstance(one, ev.BufferFreed) and one.node == node]
    inner = [one for one in events if isinstance(one, ev.OpApplied) and one.during == node]
    made = [one.node.name for one in inner if one.node is not None]
    said = [
        hooks.unpacked(one, naming)
        for one in events
        if isinstance(one, ev.SavedTensorUnpacked) and one.node == node and one.hook != "recompute"
    ]
    own = bool(inner) and not made
    if own:
        said.append(_own_backward(started, inner, naming))
    if own and sent:
        clauses = [
            say(
                "node_started.own_sent", value=gradient(one.value), receiver=naming.receiver(one.to_node, one.output_nr)
            )
            for one in sent
        ]
        said.append(say("node_started.own_sends", sent=listed(clauses)))
    elif not sent and not own:
        facts = state.node(node)
        leaf = None if facts is None else facts.leaf
        arrived = _or_none(incoming)
        if leaf is None:
            said.append(say("node_started.sends_nothing", node=name, gradient=arrived))
        else:
            said.append(say("node_started.to_leaf", node=name, gradient=arrived, grad=naming.grad(leaf)))
    else:
        said.append(say("node_started.does", node=name, effects=_effects(started, sent, naming)))
    said += [_folded(one, one.reduced_from, naming) for one in sent if one.reduced_from]
    said += [*_added_up(sent, naming), *_stopped(node, naming)]
    said += [
        hooks.ran(one, naming)
        for one in events
        if isinstance(one, ev.HookRan) and one.node == node and one.where.startswith(("node post", "module backward"))
    ]
    was_finite = not any(one is not None and is_bad(one) for one in started.gradients)
    bad = next((one.value for one in sent if is_bad(one.value)), None)
    if bad is not None and was_finite and not state.keeps_nan(node):
        what = say("word.nan") if bad.nan_count else say("word.inf")
        said.append(say("non_finite.node", what=what, at=place_words(bad)))
    if len(made) == 1:
        said.append(say("node_started.recorded_one", nodes=_counted(made)))
    elif made:
        said.append(say("node_started.recorded_several", nodes=_counted(made)))
    return together(*said, _kept(node, naming), _freed(freed))


def _kept(node: int, naming: Naming) -> str:
    """Return the sentence of the saved tensors that retain_graph keeps of a node."""
    call = naming.state.call()
    live = naming.state.live(node) if call is not None and call.retain_graph and not call.create_graph else []
    if not live:
        return ""
    held = amount(held_bytes(live))
    if len(live) == 1:
        return say("node_started.keeps_one", bytes=held)
    return say("node_started.keeps_several", bytes=held)


def _freed(freed: list[ev.BufferFreed]) -> str:
    if not freed:
        return ""
    held = amount(held_bytes(freed))
    if len(freed) == 1:
        return say("node_started.frees_one", bytes=held)
    return say("node_started.frees_several", bytes=held)


def _added_up(sent: list[ev.GradientSent], naming: Naming) -> list[str]:
    """Return a sentence for each receiver of several gradients, with their sum."""
    said: list[str] = []
    # Gradients to one receiver are summed: the last event has the sum.
    for event in {(one.to_node, one.output_nr): one for one in sent}.values():
        total = None if event.total is None else values(event.total, 20)
        known = [values(one.value, 14) for one in naming.state.contributions(event)]
        parts = [one for one in known if one is not None]
        if total is None or not 2 <= len(known) <= _MOST_LISTED or len(parts) != len(known):
            continue
        summed = " + ".join(parts).replace(f"+ {MINUS}", f"{MINUS} ")
        receiver = naming.receiver(event.to_node, event.output_nr)
        said.append(say("node_started.adds_up", receiver=receiver, sum=summed, total=total))
    return said


def _stopped(node: int, naming: Naming) -> list[str]:
    """Return a sentence for each input that was detached, at which the gradient stops."""
    facts = naming.state.node(node)
    said: list[str] = []
    for given in () if facts is None or facts.op is None else facts.op.inputs:
        cut = None if given.tensor is None else naming.state.maker(given.tensor)
        if given.tensor is None or cut is None or cut.op != "detach":
            continue
        if any(one.tensor is not None and naming.state.requires_grad(one.tensor) for one in cut.inputs):
            line = "?" if cut.line is None else cut.line
            said.append(say("node_started.stopped", tensor=naming.tensor(given.tensor), line=line))
    return said


def _effects(started: ev.NodeStarted, sent: list[ev.GradientSent], naming: Naming) -> str:
    incoming, facts = _first(started.gradients), naming.state.node(started.node)
    effects = [
        effect(facts.op, facts.info, one.input_nr, incoming, naming)
        if facts is not None and facts.op is not None and facts.info is not None and not one.reduced_from
        else None
        for one in sent
    ]
    receivers = [naming.receiver(one.to_node, one.output_nr) for one in sent]
    passed = (None if incoming is None else values(incoming, 14)) or say("word.gradient")
    clauses: list[str] = []
    for one, receiver, does in zip(sent, receivers, effects, strict=True):
        value = gradient(one.value)
        if not does:
            clauses.append(say("effect.sends", value=value, receiver=receiver))
        elif _PASSES.fullmatch(does):
            clauses.append(say("effect.passes", value=passed, receiver=receiver))
        elif does.startswith("sends "):
            clauses.append(say("effect.gets", effect=does, receiver=receiver, value=value))
        elif ", " in _BRACKETED.sub("", does):
            clauses.append(say("effect.does_phrase", effect=does, value=value, receiver=receiver))
        else:
            clauses.append(say("effect.does", effect=does, value=value, receiver=receiver))
    if not any(effects):
        return say("effect.receives", gradient=_or_none(incoming), sends=listed(clauses))
    if len(clauses) > 1 and all(does and _PASSES.fullmatch(does) for does in effects):
        return say("effect.passes", value=passed, receiver=listed([*dict.fromkeys(receivers)]))
    # Several edges with one effect on one receiver make one clause.
    different = [*dict.fromkeys(clauses)]
    joined = say("join.then").join(different)
    return say("effect.twice", effects=joined) if len(clauses) == 2 and len(different) == 1 else joined


def _own_backward(started: ev.NodeStarted, inner: list[ev.OpApplied], naming: Naming) -> str:
    """Return the steps that the backward() of a custom Function computed."""
    steps: list[str] = []
    for event in inner[:_MOST_LISTED]:
        value = values(event.outputs[0].value, 20) if event.outputs else None
        expression = naming.expression(event.op, event.inputs)
        steps.append(expression if value is None else say("node_started.own_step", expression=expression, value=value))
    more = len(inner) - len(steps)
    shown = listed(steps)
    if more:
        shown = say("node_started.own_more", steps=say("join.comma").join(steps), count=more)
    arrived = _or_none(_first(started.gradients))
    return say("node_started.runs_own", node=naming.node(started.node), gradient=arrived, steps=shown)


def _counted(names: list[str]) -> str:
    """Return names in the order of their first use, each with its count."""
    texts = [
        say("node_started.times", count=count, name=name) if count > 1 else name
        for name, count in Counter(names).items()
    ]
    if len(texts) > _MOST_LISTED:
        return say("node_started.more", names=say("join.comma").join(texts[:_MOST_LISTED]))
    return listed(texts)


def _folded(event: ev.GradientSent, before: list[int], naming: Naming) -> str:
    """Return the sentence of a gradient that was summed over the dims that its receiver was broadcast over."""
    receiver, value, dims = naming.receiver(event.to_node, event.output_nr), gradient(event.value), event.value.shape
    if before[1:] != dims:
        sizes = {"from": shape(dims), "to": shape(before)}
        return say("node_started.broadcast_shape", receiver=receiver, gradient=value, **sizes)
    if dims:
        return say("node_started.broadcast_rows", receiver=receiver, gradient=value, count=before[0])
    return say("node_started.broadcast_elements", receiver=receiver, gradient=value, count=before[0])


def grad_accumulated(event: ev.GradAccumulated, naming: Naming) -> str:
    """Return the sentence of a leaf's `.grad` before and after a gradient was added."""
    grad = naming.grad(event.tensor)
    after = values(event.after, 24)
    if event.before is None:
        now = gradient(event.after)
        if after is not None or event.after.norm is None:
            return say("grad_accumulated.first", grad=grad, after=now)
        return say("grad_accumulated.first_norm", grad=grad, after=now, norm=number(event.after.norm))
    before, added = values(event.before, 24), values(event.added, 24)
    if before is None or added is None or after is None:
        return say("grad_accumulated.more", grad=grad, before=gradient(event.before))
    return say("grad_accumulated.adds", grad=grad, before=before, added=added, after=after)


def gradient_captured(event: ev.GradientCaptured, naming: Naming) -> str:
    """Return the sentence of a gradient that was kept on its way."""
    name = naming.node(event.node) if event.tensor is None else naming.tensor(event.tensor)
    if event.into == "grad":
        grad = say("held.grad_unnamed", tensor=name) if event.tensor is None else naming.grad(event.tensor)
        return say("gradient_captured.grad", name=name, grad=grad, value=gradient(event.value))
    return say("gradient_captured.result", name=name, value=gradient(event.value))


def grad_cleared(event: ev.GradCleared, naming: Naming) -> str:
    """Return the sentence of a `.grad` that was emptied or replaced."""
    grad = naming.grad(event.tensor)
    if event.how == "none":
        return say("grad_cleared.none", grad=grad)
    if event.how == "zero":
        return say("grad_cleared.zero", grad=grad)
    if event.value is None:
        return say("grad_cleared.assigned", grad=grad)
    return say("grad_cleared.assigned_value", grad=grad, value=content(event.value))


def optimizer_stepped(event: ev.OptimizerStepped, naming: Naming) -> str:
    """Return the sentence of an optimizer's step: the change of each parameter."""
    steps = [_moved(update, naming) for update in event.updates[:_MOST_LISTED]]
    if not steps:
        return say("optimizer_stepped.nothing", optimizer=event.optimizer)
    more = len(event.updates) - len(steps)
    moved = listed(steps)
    if more:
        moved = say("optimizer_stepped.more", moved=say("join.comma").join(steps), count=more)
    rates = {group.lr for group in event.groups}
    rate = rates.pop() if len(rates) == 1 else None
    if rate is None:
        return say("optimizer_stepped.moves", optimizer=event.optimizer, number=event.number, moved=moved)
    return say(
        "optimizer_stepped.moves_rate",
        optimizer=event.optimizer,
        number=event.number,
        rate=number(rate),
        moved=moved,
    )


def _moved(update: ev.ParameterUpdate, naming: Naming) -> str:
    name, before, after = naming.leaf(update.tensor), values(update.before, 14), values(update.after, 14)
    if before is not None and after is not None:
        return say("optimizer_stepped.from_to", name=name, before=before, after=after)
    norm = None if update.change is None else update.change.norm
    if norm is None or isinstance(norm, str):
        return name
    return say("optimizer_stepped.by_norm", name=name, norm=number(norm))
