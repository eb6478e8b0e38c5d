"""Why a gradient is zero, and where a small one became so small."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from backscope import events as ev
from backscope.why.answer import at, diagnosis, listed, many, number, values
from backscope.why.elements import given
from backscope.why.facts import NodeFacts
from backscope.why.overwrite import Overwritten, overwritten
from backscope.why.tape import Tape

MOST = 6
"""Places that are listed."""
SMALL = 1e-3
"""Below this share of the gradient that a pass starts with, by root mean square, a gradient counts as small."""


def is_zero(value: ev.Summary | None) -> bool:
    """Whether all elements are zero."""
    return value is not None and value.norm == 0 and not value.nan_count and math.prod(value.shape) > 0


def grad_zero(tape: Tape, seq: int, tensor: int) -> ev.Diagnosis:
    """The reason why `.grad` of a tensor is zero at a moment."""
    name = tape.name(tensor, seq)
    gradients = tape.accumulated(tensor, seq)
    changed = tape.grad_changed(tensor, seq)
    if changed is not None:
        return _emptied(tape, name, tensor, changed, [tape.line_of_pass(g.call) for g in gradients])
    if not gradients:
        return diagnosis(
            f"{name}.grad is zero because the program assigned a tensor of zeros to it.",
            "Assign None to empty it, and call backward() to fill it.",
            tensors=[tensor],
        )
    last = gradients[-1]
    line = tape.line_of_pass(last.call)
    added = last.added if isinstance(last, ev.GradAccumulated) else last.value
    if not is_zero(added):
        return diagnosis(
            f"The gradients of {many(len(gradients), 'pass', 'passes')} cancel each other: the last one, "
            f"{values(added)} from backward(){at(line)}, undid those before it.",
            "Call zero_grad() between the passes, if the gradient of each of them is to stand alone.",
            lines=[tape.line_of_pass(g.call) for g in gradients],
            nodes=[last.node],
            tensors=[tensor],
        )
    node = tape.nodes[last.node]
    arrived = node.arrived_in(last.call, seq)
    hook = next((h for h in node.hooks if h.call == last.call and is_zero(h.after) and not is_zero(h.before)), None)
    if hook is not None:
        return diagnosis(
            f"The hook {hook.hook}{at(hook.line)} returned zeros for the {values(hook.before)} that arrived at {name}.",
            "Return the gradient, or None to leave it as it is; remove the hook with the handle that registering gave.",
            lines=[hook.line, line],
            nodes=[node.number],
            tensors=[tensor],
        )
    if any(not is_zero(one.value) for one in arrived):
        return _cancelled(tape, name, tensor, node, arrived, line)
    return _origin(tape, seq, name, tensor, node, last.call, line)


def _emptied(tape: Tape, name: str, tensor: int, changed: ev.TensorMutated, passes: list[int | None]) -> ev.Diagnosis:
    return diagnosis(
        f"{changed.op}{at(changed.line)} set {name}.grad to zero after the last backward().",
        "Read .grad before that line, or call backward() again. zero_grad() sets .grad to None by default, which shows "
        "the difference between no gradient and a gradient of zero.",
        lines=[*passes, changed.line],
        tensors=[tensor],
    )


def _cancelled(
    tape: Tape, name: str, tensor: int, node: NodeFacts, arrived: list[ev.GradientSent], line: int | None
) -> ev.Diagnosis:
    parts = [f"{values(one.value)} from {tape.nodes[one.node].name}" for one in arrived[:MOST]]
    return diagnosis(
        f"What arrived at {name} cancels: {listed(parts)} add up to zero.",
        "Nothing to mend if the loss really does not change along this direction; else look at the signs of the terms "
        f"that use {name}.",
        lines=[*[tape.nodes[one.node].line for one in arrived], line],
        nodes=[node.number, *[one.node for one in arrived]],
        tensors=[tensor],
    )


def _origin(tape: Tape, seq: int, name: str, tensor: int, node: NodeFacts, call: int, line: int | None) -> ev.Diagnosis:
    """Up from the tensor, along gradients of zero, to the nodes that made zero of something."""
    waiting, seen = [node], {node.number}
    origins: list[tuple[NodeFacts, ev.GradientSent]] = []
    while waiting:
        for one in waiting.pop(0).arrived_in(call, seq):
            sender = tape.nodes[one.node]
            if sender.number in seen or not is_zero(one.value):
                continue
            seen.add(sender.number)
            run = sender.run(call)
            got = [] if run is None else [g for g in run.gradients if g is not None]
            if any(not is_zero(g) for g in got):
                origins.append((sender, one))
            else:
                waiting.append(sender)
    if not origins:
        return diagnosis(
            f"The pass{at(line)} started from a gradient of zero, and everything it sent is zero.",
            "Start from a loss that depends on something, or give backward() a gradient= that is not zero.",
            lines=[line],
            nodes=sorted(seen),
            tensors=[tensor],
        )
    sender, one = origins[0]
    run = sender.run(call)
    came = next((g for g in (run.gradients if run is not None else []) if not is_zero(g)), None)
    evidence = [
        ev.Evidence(text=f"{s.name}{at(s.line)} got {_norm(s, call)} and sent 0", line=s.line, node=s.number, value=0)
        for s, _ in origins[:MOST]
    ]
    silent = overwritten(tape, sender, call)
    if silent is not None:
        return _silently(tape, name, tensor, silent, line, evidence)
    said, fix, wrong = explained(tape, sender, one)
    more = f" So do {many(len(origins) - 1, 'other node')} on the way." if len(origins) > 1 else ""
    return diagnosis(
        f"{sender.name}, made{at(sender.line)}, got {values(came)} and sent zero: {said}{more}",
        fix,
        wrong_fix=wrong,
        lines=[*[s.line for s, _ in origins[:MOST]], line],
        nodes=[*[s.number for s, _ in origins[:MOST]], *sorted(seen)],
        tensors=[tensor, *([a.tensor for a in sender.op.inputs] if sender.op is not None else [])],
        evidence=evidence,
    )


def _norm(node: NodeFacts, call: int) -> str:
    run = node.run(call)
    norms = [g.norm for g in (run.gradients if run is not None else []) if g is not None]
    return f"a gradient of norm {number(norms[0])}" if norms else "nothing"


def _silently(
    tape: Tape, name: str, tensor: int, found: Overwritten, line: int | None, evidence: list[ev.Evidence]
) -> ev.Diagnosis:
    node, change = found.node, found.change
    source = tape.source(change.tensor)
    what = tape.name(change.tensor if source is None else source, change.seq)
    return diagnosis(
        f"{node.name}{at(node.line)} saved {what} as {found.slot}, and {change.op}{at(change.line)} overwrote its "
        f"memory through .data with {values(change.value)}. The version counter does not count that, so "
        "backward() computed with the wrong value and said nothing.",
        f"Make a new tensor in place of the change. With {what}.detach() in place of .data the same line raises an "
        "error: the version counter then notices.",
        wrong_fix=".data is often advised to silence the in-place error: it silences the check and leaves the mistake.",
        lines=[node.line, change.line, line],
        nodes=[node.number],
        tensors=[tensor, source, change.tensor],
        evidence=evidence,
    )


Explanation = tuple[str, str, str | None]


def explained(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation:
    """Why a node's formula gives zero here, what to do, and what not to."""
    rule = _RULES.get(node.name)
    found = None if rule is None else rule(tape, node, sent)
    if found is not None:
        return found
    kept = ", ".join(
        f"{saved.slot} is {values(tape.value(saved.tensor, sent.seq))}"
        for saved in (node.info.saved if node.info is not None else [])
        if saved.tensor is not None
    )
    return (
        f"its derivative is zero here{', where ' + kept if kept else ''}.",
        "Look at the values that it saved: the op does not change where they are.",
        None,
    )


def _dead(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation | None:
    value = given(tape, node, "self")
    if not isinstance(value, ev.Summary):
        return None
    most = "" if value.max is None else f", the largest is {number(value.max)}"
    return (
        f"all {math.prod(value.shape)} elements that went into it are at or below 0{most}, where its slope is 0.",
        "Give negative inputs a slope (leaky_relu, gelu, softplus), or start with a smaller step or another bias, so "
        "that some inputs are positive.",
        "A larger learning rate does not wake it: zero times anything is zero.",
    )


def _factor(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation | None:
    other = "other" if sent.input_nr == 0 else "self"
    value = given(tape, node, other)
    argument = next((a for a in node.op.inputs if a.name == other), None) if node.op is not None else None
    called = ""
    if argument is not None and argument.tensor is not None and node.op is not None:
        called = tape.name(argument.tensor, node.op.seq)
    if isinstance(value, ev.Summary) and is_zero(value):
        what = f"the other factor, {called}, is zero"
    elif value == 0:
        what = "the other factor is the number 0"
    else:
        return (
            "where the gradient that came is not zero, the other factor is; a mask does that.",
            "Leave at least one element in that the mask lets through.",
            None,
        )
    return (
        f"{what}, and the derivative of a product by one factor is the other.",
        "Start the other factor at something else than zero; of two layers in a row at most one may start at zero.",
        "A larger learning rate does not help: zero times anything is zero.",
    )


def _matrix(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation | None:
    if node.op is None:
        return None
    others = [
        tape.name(a.tensor, node.op.seq)
        for a in node.op.inputs
        if a.tensor is not None and is_zero(tape.value(a.tensor, node.op.seq))
    ]
    if not others:
        return None
    return (
        f"the other factor of the product, {listed(others)}, is zero.",
        "Start weights with random numbers (torch.nn.init), not with zeros; a bias may be zero.",
        "Training longer does not help while every factor that the gradient passes is zero.",
    )


def _outside(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation | None:
    if node.op is None:
        return None
    value = given(tape, node, "self")
    bounds = [f"{a.name}={a.text}" for a in node.op.inputs if a.text not in (None, "None") and a.name != "self"]
    shown = values(value) if isinstance(value, ev.Summary) else "?"
    return (
        f"what went in, {shown}, lies outside of {listed(bounds) or 'the bounds'}: {node.op.op} gives the bound there, "
        "whatever went in.",
        "Keep the values inside the bounds, or clamp only what is shown; for a soft bound take sigmoid or tanh.",
        None,
    )


def _unselected(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation | None:
    branch = "first" if sent.input_nr == 0 else "second"
    op = "where" if node.name.startswith("Where") else "masked_fill"
    return (
        f"{op} took none of this branch (its {branch} argument) where a gradient came; what is not selected gets zero.",
        "See whether the condition is the one that you mean: print how many elements it selects with .sum().",
        None,
    )


def _steps(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation | None:
    op = "it" if node.op is None else node.op.op
    return (
        f"{op} gives steps, and between the steps nothing changes: its derivative is 0 everywhere.",
        "Compute the loss before rounding, or pass the gradient straight through: x + (x.round() - x).detach().",
        "requires_grad_() on the rounded tensor gives it a gradient of its own; what comes before it still gets none.",
    )


def _saturated(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation | None:
    if node.op is None:
        return None
    out = node.op.outputs[0].value
    return (
        f"{node.op.op} is saturated: it gave {values(out)}, where its slope is 0 in {out.dtype.rpartition('.')[2]}.",
        "Keep its input near zero: smaller weights, normalized inputs; or compute the loss from its input "
        "(binary_cross_entropy_with_logits, cross_entropy).",
        "A larger learning rate moves it no further: the gradient is zero in this precision.",
    )


def _power(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation | None:
    exponent, base = given(tape, node, "exponent"), given(tape, node, "self")
    if isinstance(base, ev.Summary) and is_zero(base):
        return (
            f"the base is 0, and the slope of x**{number(exponent) if isinstance(exponent, float) else 'n'} at 0 is 0.",
            "Start from another value: 0 is a stationary point of this function.",
            "A larger learning rate does not move it: zero times anything is zero.",
        )
    return None


_RULES: dict[str, Callable[[Tape, NodeFacts, ev.GradientSent], Explanation | None]] = {
    "ReluBackward0": _dead,
    "ThresholdBackward0": _dead,
    "MulBackward0": _factor,
    "MmBackward0": _matrix,
    "AddmmBackward0": _matrix,
    "BmmBackward0": _matrix,
    "MvBackward0": _matrix,
    "DotBackward0": _matrix,
    "ClampBackward1": _outside,
    "ClampMinBackward0": _outside,
    "ClampMaxBackward0": _outside,
    "HardtanhBackward0": _outside,
    "WhereBackward0": _unselected,
    "MaskedFillBackward0": _unselected,
    "RoundBackward0": _steps,
    "FloorBackward0": _steps,
    "CeilBackward0": _steps,
    "TruncBackward0": _steps,
    "SignBackward0": _steps,
    "SigmoidBackward0": _saturated,
    "TanhBackward0": _saturated,
    "SoftmaxBackward0": _saturated,
    "PowBackward0": _power,
}


def size(value: ev.Summary | None) -> float | None:
    """The root mean square of a gradient; None for one that is not finite or not known."""
    if value is None or value.norm is None or isinstance(value.norm, str):
        return None
    return value.norm / math.sqrt(max(math.prod(value.shape), 1))


def way(tape: Tape, node: NodeFacts, call: int, seq: int) -> list[tuple[NodeFacts, ev.Summary]]:
    """From the loss to a node, along the largest contribution: each node and the gradient that came to it."""
    found: list[tuple[NodeFacts, ev.Summary]] = []
    seen: set[int] = set()
    here: NodeFacts | None = node
    while here is not None and here.number not in seen:
        seen.add(here.number)
        run = here.run(call)
        came = next((g for g in (run.gradients if run is not None else []) if g is not None), None)
        if came is None:
            break
        found.append((here, came))
        arrived = here.arrived_in(call, seq)
        most = max(arrived, key=lambda one: size(one.value) or 0.0, default=None)
        here = None if most is None else tape.nodes[most.node]
    return found[::-1]


def is_small(tape: Tape, seq: int, tensor: int) -> bool:
    """Whether a gradient became small on its way."""
    gradients = tape.accumulated(tensor, seq)
    if not gradients or gradients[-1].node not in tape.nodes:
        return False
    own = size(gradients[-1].added if isinstance(gradients[-1], ev.GradAccumulated) else gradients[-1].value)
    started = tape.passes[gradients[-1].call].started
    first = max((size(g) or 0.0 for g in started.gradients), default=0.0)
    return own is not None and 0 < own < SMALL * first


def grad_small(tape: Tape, seq: int, tensor: int) -> ev.Diagnosis:
    """Where a gradient became small: the strip of norms on its way from the loss, and the ops that shrink it most."""
    name = tape.name(tensor, seq)
    last = tape.accumulated(tensor, seq)[-1]
    strip = way(tape, tape.nodes[last.node], last.call, seq)
    line = tape.line_of_pass(last.call)
    factors: dict[str, list[float]] = {}
    for (node, came), (_, went) in itertools.pairwise(strip):
        before, after = size(came), size(went)
        if before and after:
            factors.setdefault(node.name, []).append(after / before)
    ranked = sorted(factors.items(), key=lambda item: math.prod(item[1]))
    guilty = [
        f"{op} ({many(len(each), 'time')}, {number(math.prod(each) ** (1 / len(each)))} each on average)"
        for op, each in ranked[:3]
        if math.prod(each) < 0.5
    ]
    first, end = size(strip[0][1]) or 0.0, size(strip[-1][1]) or 0.0
    blamed = {op for op, _ in ranked[:1]}
    return diagnosis(
        f"The gradient shrinks on its way from the loss to {name}: from {number(first)} to {number(end)} (root mean "
        f"square) over {many(len(strip) - 1, 'node')}. What shrinks it most: {listed(guilty) or 'no single op'}.",
        "Take activations with a slope near 1 (relu and its kin), scale the weights to their fan-in (torch.nn.init), "
        "add residual connections or normalization; and see whether a mean or a factor makes the loss itself small.",
        wrong_fix=(
            "A larger learning rate enlarges every layer's step alike, and the layers near the loss overshoot; "
            "gradient clipping only makes large gradients smaller."
        ),
        lines=[*dict.fromkeys(node.line for node, _ in strip if node.name in blamed), line],
        nodes=[node.number for node, _ in strip],
        tensors=[tensor],
        evidence=[
            ev.Evidence(text=f"{node.name}: {number(size(came))}", line=node.line, node=node.number, value=size(came))
            for node, came in strip
        ],
    )
