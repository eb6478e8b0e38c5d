"""Finds where the NaN or infinity of a gradient comes from: the node, hook or sum that made it, and its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from backscope.diagnosis.why.answer import at, diagnosis, listed, number, values
from backscope.diagnosis.why.decomposition import degenerate, sentence
from backscope.diagnosis.why.log.elements import floats, given, index, spread
from backscope.diagnosis.why.log.facts import NodeFacts, is_odd
from backscope.diagnosis.why.log.tape import Tape
from backscope.diagnosis.why.losses import undefined
from backscope.diagnosis.why.spoiled_value import Spoiled, advice, as_number, earlier, explained, first_bad, kind, trace
from backscope.protocol import events as ev
from backscope.protocol.op_names import name_of

MASKS = ("WhereBackward0", "MaskedFillBackward0", "MulBackward0", "IndexBackward0", "MaskedSelectBackward0")
"""Nodes that send zero to the elements that a mask left out."""


class Source(NamedTuple):
    """The place where a gradient stopped being finite: sent by a node, returned by a hook, or summed at a node.

    `turned` is the node that made NaN of infinities, where the question is about NaN and infinities came first.
    """

    sent: ev.GradientSent | None = None
    hook: ev.HookRan | None = None
    summed: NodeFacts | None = None
    turned: NodeFacts | None = None


def is_nan(value: ev.Summary | None) -> bool:
    """Return whether there is a NaN."""
    return value is not None and value.nan_count > 0


def source_of(tape: Tape, node: NodeFacts, call: int, seq: int, bad: Callable[[ev.Summary | None], bool]) -> Source:
    """Return what made `bad` of finite numbers above `node`; an empty Source where the pass started from it."""
    waiting, seen = [node], {node.number}
    while waiting:
        here = waiting.pop(0)
        arrived = here.arrived_in(call, seq)
        worse = [s for s in arrived if bad(s.value)]
        if not worse:
            hook = next((h for h in here.hooks if h.call == call and bad(h.after) and not bad(h.before)), None)
            if hook is not None:
                return Source(hook=hook)
            if bad is is_nan and any(is_odd(s.value) for s in arrived):  # Infinities of both signs were added.
                return source_of(tape, here, call, seq, is_odd)._replace(turned=here)
            if len(arrived) > 1:
                return Source(summed=here)
        for sent in worse:
            if sent.node in seen:
                continue
            seen.add(sent.node)
            sender = tape.nodes[sent.node]
            run = sender.run(call)
            gradients = [] if run is None else run.gradients
            if any(bad(g) for g in gradients):
                waiting.append(sender)
            elif any(is_odd(g) for g in gradients):  # An infinity arrived, and NaN was sent.
                return source_of(tape, sender, call, seq, is_odd)._replace(turned=sender)
            else:
                return Source(sent=sent)
    return Source()


def of_gradient(tape: Tape, tensor: int, name: str, odd: ev.GradAccumulated | ev.GradientCaptured) -> ev.Diagnosis:
    """Answer where the NaN or infinity comes from in a gradient that a leaf or the caller of autograd.grad() got."""
    value = odd.added if isinstance(odd, ev.GradAccumulated) else odd.value
    node = tape.nodes[odd.node]
    found = source_of(tape, node, odd.call, odd.seq, is_nan if value.nan_count else is_odd)
    is_result = isinstance(odd, ev.GradientCaptured) and odd.into == "result"
    subject = f" {name if is_result else f'{name}.grad'} has it from there."
    if found.turned is not None:
        turned = found.turned
        subject = f" {turned.name}{at(turned.line)} made NaN of it, where it met a zero or another infinity.{subject}"
    if found.sent is not None:
        return of_sending(tape, found.sent, (subject, tensor), found.turned)
    if found.hook is not None:
        return _of_hook(tape, found.hook, tensor, subject)
    if found.summed is not None:
        return _of_sum(tape, found.summed, odd.call, odd.seq, tensor, subject)
    started = tape.passes[odd.call].started
    for root in started.roots:
        if is_odd(tape.value(root, started.seq)):
            spoiled = trace(tape, started.seq, root)
            return explained(
                tape, odd.seq, spoiled, root, f" The loss {tape.name(root, started.seq)} has it from there."
            )
    return diagnosis(
        f"The pass{at(started.line)} started from a gradient that is not finite: {values(started.gradients[0])}.",
        "Give backward() a finite gradient=; with a GradScaler, let it skip the step and lower its scale.",
        lines=[started.line],
        nodes=[odd.node, *started.root_nodes],
        tensors=[tensor],
    )


def _of_hook(tape: Tape, hook: ev.HookRan, tensor: int, subject: str) -> ev.Diagnosis:
    what = "NaN" if is_nan(hook.after) else "an infinity"
    of_tensor = "" if hook.tensor is None else f" of {tape.name(hook.tensor, hook.seq)}"
    return diagnosis(
        f"The hook {hook.hook}{at(hook.line)} returned {values(hook.after)}, with {what} in it, for the gradient"
        f"{of_tensor}, {values(hook.before)}, which was finite.{subject}",
        "Let the hook return finite numbers: a division in it needs an eps, or a look at what it divides by.",
        wrong_fix="Clipping the gradient afterwards does not help: NaN stays NaN under any clipping.",
        lines=[hook.line, None if hook.call is None else tape.line_of_pass(hook.call)],
        nodes=[hook.node],
        tensors=[hook.tensor, tensor],
    )


def _of_sum(tape: Tape, node: NodeFacts, call: int, seq: int, tensor: int, subject: str) -> ev.Diagnosis:
    arrived = node.arrived_in(call, seq)
    parts = [f"{values(one.value)} from {tape.nodes[one.node].name}" for one in arrived[:6]]
    infinite = next((one for one in arrived if is_odd(one.value)), None)
    came = "" if infinite is None else f" An infinity is among them: {tape.nodes[infinite.node].name} sent it."
    return diagnosis(
        f"What arrived at {node.name}{at(node.line)} has no finite sum: {listed(parts)}.{came}{subject}",
        "Bound the terms that meet there: scale the loss down, or keep the forward values away from where a derivative "
        "is infinite.",
        wrong_fix="Clipping the gradient afterwards does not help: NaN stays NaN under any clipping.",
        lines=[*[tape.nodes[one.node].line for one in arrived], tape.line_of_pass(call)],
        nodes=[node.number, *[one.node for one in arrived]],
        tensors=[tensor],
    )


def of_sending(
    tape: Tape, sent: ev.GradientSent, about: tuple[str, int] | None = None, turned: NodeFacts | None = None
) -> ev.Diagnosis:
    """Answer for a node that got finite gradients and sent one that is not; `about` is the tensor of the question."""
    node = tape.nodes[sent.node]
    run = node.run(sent.call)
    target, tensor = ("", None) if about is None else about
    within = _within(tape, node, sent, run)
    if within is not None:
        return explained(
            tape, sent.seq, within, sent.node if tensor is None else tensor, f" {node.name} ran it.{target}"
        )
    forward = _non_finite_argument(tape, node, sent)
    if forward is not None:
        passed = f" {node.name}{at(node.line)} computes the gradient from it.{target}"
        return explained(tape, sent.seq, forward, forward.tensor if tensor is None else tensor, passed)
    line = tape.line_of_pass(sent.call)
    if (lost := degenerate(tape, node)) is not None:
        return diagnosis(
            f"{sentence(node, kind(sent.value), lost)}{target}",
            lost.fix,
            wrong_fix=lost.wrong_fix,
            lines=[node.line, line],
            nodes=[node.number, sent.to_node],
            tensors=[tensor, *([] if node.op is None else [a.tensor for a in node.op.inputs])],
            evidence=lost.evidence,
        )
    came = next((g for g in (run.gradients if run is not None else []) if g is not None), None)
    elements = floats(sent.value)
    flat = first_bad(sent.value)
    evidence, formula = _elements(tape, node, sent, came, flat, elements)
    mask = _mask(tape, node, sent.call, flat, came, sent)
    what = kind(sent.value)
    place = "" if flat is None or not sent.value.shape else f" in element {index(flat, sent.value.shape)}"
    made = f"The first {what} is made in the backward pass by {node.name}, of {formula[0]}{at(node.line)}{place}"
    lines: list[int | None] = []
    nodes: list[int | None] = []
    if mask is not None and not _selects(tape, mask):
        cause = (
            f"{made}: {formula[1]} {mask.name}{at(mask.line)} multiplied by 0 there and sends it 0, but what is "
            f"multiplied by 0 is computed all the same, forward and backward.{target}"
        )
        fix = (
            "Leave the term out of the loss where its factor is 0, rather than multiply by 0; or keep its input away "
            "from the place with clamp or a small eps."
        )
        wrong = "A factor of 0 does not switch a term off: 0 times infinity is NaN. Gradient clipping comes too late."
    elif mask is not None:
        cause = (
            f"{made}: {formula[1]} {mask.name}{at(mask.line)} does not select that element and sends it 0, but the "
            f"branch that was not selected still runs, forward and backward.{target}"
        )
        fix = (
            "Replace the input before the op, not the result after it (the double where): "
            "safe = torch.where(mask, x, 1); torch.where(mask, f(safe), 0). Or keep the input away from the place with "
            "clamp or a small eps."
        )
        wrong = (
            "torch.where around the result, or multiplying by a mask, does not help: 0 times infinity is NaN. "
            "nan_to_num on .grad and gradient clipping come too late."
        )
    else:
        before = earlier(tape, node.op)
        led = ""
        fix = (
            "Keep the forward value away from where the derivative has no finite value: x.clamp(min=eps), "
            "torch.sqrt(x + eps), or a form of the function that is stable."
        )
        if node.op is not None and any(is_odd(info.value) for info in node.op.outputs):
            fix = advice(tape, node.op)[0]
        wrong = (
            "Clipping the gradient afterwards does not help: NaN stays NaN under any clipping; nan_to_num hides the "
            "place and leaves a wrong zero."
        )
        if before is not None and before.op is not None and before.op is not node.op:
            first, lines, nodes = before.op, [before.line], [None if before.op.node is None else before.op.node.node]
            led = (
                f" It goes back to the forward pass, where {name_of(first.op, first.inputs)}{at(first.line)} had made "
                f"{kind(before.value)} of finite numbers."
            )
            fix = advice(tape, first)[0]
        cause = f"{made}: {formula[1]}{led}{target}"
        if not led and not is_nan(sent.value) and sent.value.dtype == "float16":
            cause = f"{made}: what it sends is beyond 65,504, the largest number of float16.{target}"
            fix = (
                "Scale the loss by less: a GradScaler leaves such a step out and lowers its scale, and a smaller "
                "init_scale spares the first ones. bfloat16 has the range of float32 and needs no scaler."
            )
            wrong = (
                "Clipping comes too late: the norm of a gradient with an infinity is infinite, and the quotient NaN."
            )
    saved = node.info.saved if node.info is not None else []
    via = [one for one in (mask, turned) if one is not None]
    return diagnosis(
        cause,
        fix,
        wrong_fix=wrong,
        lines=[node.line, *[one.line for one in via], *lines, line],
        nodes=[node.number, *[one.number for one in via], *nodes, sent.to_node],
        tensors=[tensor, *[s.tensor for s in saved]],
        evidence=evidence,
    )


def _within(tape: Tape, node: NodeFacts, sent: ev.GradientSent, run: ev.NodeStarted | None) -> Spoiled | None:
    """Return the op in the backward() of a custom Function that made it."""
    if run is None or not node.name.endswith("Backward"):
        return None
    for event in tape.odd:
        if run.seq < event.seq < sent.seq and isinstance(event, ev.OpApplied):
            made = next(i for i in event.outputs if is_odd(i.value))
            return trace(tape, event.seq, made.tensor)
    return None


def _non_finite_argument(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Spoiled | None:
    """Return what made an argument of a node's op not finite, where the formula used that element."""
    op = node.op
    if op is None:
        return None
    flat = first_bad(sent.value)
    before = tape.before(op)
    made = next((info for info in op.outputs if is_odd(info.value)), None)
    if made is not None and undefined(tape, op) is not None:
        return trace(tape, op.seq, made.tensor)
    made = next((info for info in op.outputs if is_nan(info.value)), None)
    if made is not None and any(a.tensor is not None and is_odd(tape.value(a.tensor, before)) for a in op.inputs):
        return trace(tape, op.seq, made.tensor)
    for argument in op.inputs:
        value = None if argument.tensor is None else tape.value(argument.tensor, before)
        if argument.tensor is None or value is None or not is_odd(value):
            continue
        inside = floats(value)
        wide = None if inside is None else spread(inside, value.shape, sent.value.shape)
        if wide is None or flat is None or not math.isfinite(wide[flat]):
            found = trace(tape, before, argument.tensor)
            if not found.given or found.turned is not None:
                return found
    return None


def _elements(
    tape: Tape,
    node: NodeFacts,
    sent: ev.GradientSent,
    came: ev.Summary | None,
    flat: int | None,
    elements: list[float] | None,
) -> tuple[list[ev.Evidence], tuple[str, str]]:
    """Describe the numbers at the element: the op's name, and a sentence."""
    op = (
        node.name.removesuffix("0").removesuffix("1").removesuffix("Backward")
        if node.op is None
        else name_of(node.op.op, node.op.inputs)
    )
    shape = sent.value.shape
    got = floats(came)
    incoming = spread(got, came.shape, shape) if got is not None and came is not None else None
    inputs: list[str] = []
    if node.op is not None and flat is not None:
        for argument in node.op.inputs:
            value = given(tape, node, argument.name)
            if isinstance(value, ev.Summary):
                inside = floats(value)
                wide = None if inside is None else spread(inside, value.shape, shape)
                if wide is not None and argument.tensor is not None:
                    inputs.append(f"{tape.name(argument.tensor, node.op.seq)} is {number(as_number(wide[flat]))}")
        made = node.op.outputs[0].value
        inside = floats(made)
        wide = None if inside is None else spread(inside, made.shape, shape)
        if wide is not None:
            inputs.append(f"{op} gave {number(as_number(wide[flat]))}")
    if incoming is None or flat is None or elements is None:
        return [], (op, f"it got {values(came)} and sent {values(sent.value)}.")
    g, out = incoming[flat], elements[flat]
    where = f"where {listed(inputs)}, " if inputs else ""
    if g == 0 and math.isnan(out):
        reason = f"{where}the gradient that came is 0 and the derivative is infinite: 0 × inf = nan."
    elif math.isinf(out):
        reason = f"{where}the gradient that came is {number(as_number(g))} and the derivative is infinite."
    else:
        reason = f"{where}the gradient that came is {number(as_number(g))} and the derivative is not a number."
    shown = [
        ev.Evidence(
            text=f"{f'element {index(i, shape)}: ' if shape else ''}{number(as_number(incoming[i]))} came, "
            f"{number(as_number(v))} was sent",
            line=node.line,
            node=node.number,
            value=as_number(v),
        )
        for i, v in [(flat, out)]
    ]
    return shown, (op, reason)


def _selects(tape: Tape, node: NodeFacts) -> bool:
    """Return whether a node selects elements, as a product with a constant factor of zeros and ones does."""
    op = node.op
    if node.name != "MulBackward0" or op is None:
        return True
    for argument in op.inputs:
        facts = None if argument.tensor is None else tape.tensors.get(argument.tensor)
        inside = None if facts is None else floats(tape.value(facts.number, tape.before(op)))
        if facts is None or inside is None or facts.requires_grad(op.seq):
            continue
        if 1 in inside and all(one in (0, 1) for one in inside):
            return True
    return False


def _mask(
    tape: Tape, node: NodeFacts, call: int, flat: int | None, came: ev.Summary | None, sent: ev.GradientSent
) -> NodeFacts | None:
    """Return the node above that sent zero for the element though a nonzero gradient had arrived."""
    got = floats(came)
    if flat is None or got is None or came is None or came.shape != sent.value.shape or got[flat] != 0:
        return None
    waiting, seen = [node], {node.number}
    while waiting:
        here = waiting.pop(0)
        for above in here.arrived_in(call, sent.seq):
            if above.node in seen or above.value.shape != came.shape:
                continue
            seen.add(above.node)
            sender = tape.nodes[above.node]
            run = sender.run(call)
            value = floats(above.value)
            incoming = next((g for g in (run.gradients if run is not None else []) if g is not None), None)
            before = floats(incoming)
            if value is None or before is None or value[flat] != 0:
                continue
            if sender.name in MASKS and incoming is not None and incoming.shape == came.shape and before[flat] != 0:
                return sender
            waiting.append(sender)
    return None
