"""Explains why a gradient is zero, and where a small one became small."""

from __future__ import annotations

import itertools
import math

from backscope.diagnosis.why.answer import at, diagnosis, listed, many, number, values
from backscope.diagnosis.why.flatness import explained, is_zero
from backscope.diagnosis.why.log.facts import NodeFacts
from backscope.diagnosis.why.log.tape import Tape
from backscope.diagnosis.why.losses import undefined
from backscope.diagnosis.why.overwrite import Overwritten, overwritten
from backscope.protocol import events as ev
from backscope.protocol.op_names import name_of

MOST = 6
"""The most places that an answer lists."""
SMALL = 1e-3
"""Below this share of the gradient that a pass starts with, by root mean square, a gradient counts as small."""


def grad_zero(tape: Tape, seq: int, tensor: int) -> ev.Diagnosis:
    """Explain why `.grad` of a tensor is zero at a moment."""
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
        f"{name_of(changed.op)}{at(changed.line)} set {name}.grad to zero after the last backward().",
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
    """Follow gradients of zero up from the tensor to the nodes that made zero of a nonzero gradient."""
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
    reason, fix, wrong = explained(tape, sender, one)
    lost = None if sender.op is None else undefined(tape, sender.op)
    if lost is not None and lost.none:
        reason, fix, wrong = f"{lost.none}, and what does not count sends no gradient.", lost.fix, lost.wrong_fix
    more = f" So do {many(len(origins) - 1, 'other node')} on the way." if len(origins) > 1 else ""
    return diagnosis(
        f"{sender.name}, made{at(sender.line)}, got {values(came)} and sent zero: {reason}{more}",
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
        f"{node.name}{at(node.line)} saved {what} as {found.slot}, and {name_of(change.op)}{at(change.line)} overwrote "
        f"its memory through .data with {values(change.value)}. The version counter does not count that, so "
        "backward() computed with the wrong value and said nothing.",
        f"Make a new tensor in place of the change. With {what}.detach() in place of .data the same line raises an "
        "error: the version counter then notices.",
        wrong_fix=".data is often advised to silence the in-place error: it silences the check and leaves the mistake.",
        lines=[node.line, change.line, line],
        nodes=[node.number],
        tensors=[tensor, source, change.tensor],
        evidence=evidence,
    )


def size(value: ev.Summary | None) -> float | None:
    """Return the root mean square of a gradient; None for one that is not finite or not known."""
    if value is None or value.norm is None or isinstance(value.norm, str):
        return None
    return value.norm / math.sqrt(max(math.prod(value.shape), 1))


def way(tape: Tape, node: NodeFacts, call: int, seq: int) -> list[tuple[NodeFacts, ev.Summary]]:
    """Return the path from the loss to a node along the largest contribution: each node with its gradient."""
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
    """Return whether a gradient became small on its path."""
    gradients = tape.accumulated(tensor, seq)
    if not gradients or gradients[-1].node not in tape.nodes:
        return False
    own = size(gradients[-1].added if isinstance(gradients[-1], ev.GradAccumulated) else gradients[-1].value)
    started = tape.passes[gradients[-1].call].started
    first = max((size(g) or 0.0 for g in started.gradients), default=0.0)
    return own is not None and 0 < own < SMALL * first


def grad_small(tape: Tape, seq: int, tensor: int) -> ev.Diagnosis:
    """Explain where a gradient became small: the norms on its path from the loss, and the ops that shrink it most."""
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
