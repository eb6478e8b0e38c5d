"""Where the first NaN or infinity comes from: the op or node that made it of finite numbers, element by element."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from backscope import events as ev
from backscope.why.answer import at, diagnosis, listed, number, values
from backscope.why.elements import floats, given, index, spread
from backscope.why.facts import NodeFacts, is_odd, until
from backscope.why.tape import Tape

MASKS = ("WhereBackward0", "MaskedFillBackward0", "MulBackward0", "IndexBackward0", "MaskedSelectBackward0")
"""Nodes that send zero to what a mask left out."""


def kind(value: ev.Summary) -> str:
    """What it has."""
    return "NaN" if value.nan_count else "infinity"


class _Forward(NamedTuple):
    op: ev.OpApplied | None
    value: ev.Summary
    tensor: int
    line: int | None
    seq: int


def first_odd(tape: Tape, seq: int) -> Any:
    """The first event of the run with a NaN or an infinity in what an op, a change or a pass gave; None for none."""
    found = until(tape.odd, seq)
    return found[0] if found else None


def nonfinite_run(tape: Tape, seq: int) -> ev.Diagnosis:
    """Where the first NaN or infinity of the run comes from."""
    first = first_odd(tape, seq)
    if isinstance(first, ev.GradientSent):
        return _backward(tape, first, None)
    tensor = first.tensor if isinstance(first, ev.TensorMutated) else first.outputs[0].tensor
    if isinstance(first, ev.OpApplied):
        tensor = next(i.tensor for i in first.outputs if is_odd(i.value))
    return _forward(tape, tape.settled(tensor, first.seq), tensor, None)


def nonfinite(tape: Tape, seq: int, tensor: int) -> ev.Diagnosis:
    """Where the NaN or infinity in a tensor or its `.grad` comes from."""
    name = tape.name(tensor, seq)
    if is_odd(tape.value(tensor, seq)):
        return _forward(tape, tape.settled(tensor, seq), tensor, name)
    gradients = tape.accumulated(tensor, seq)
    odd = next(g for g in gradients if is_odd(g.added if isinstance(g, ev.GradAccumulated) else g.value))
    node = tape.nodes[odd.node]
    sent = _origin(tape, node, odd.call, odd.seq)
    if sent is not None:
        return _backward(tape, sent, (name, tensor))
    started = tape.passes[odd.call].started
    for root in started.roots:
        if is_odd(tape.value(root, started.seq)):
            return _forward(tape, started.seq, root, f"the loss {tape.name(root, started.seq)}")
    return diagnosis(
        f"The pass{at(started.line)} started from a gradient that is not finite: {values(started.gradients[0])}.",
        "Give backward() a finite gradient=; with a GradScaler, let it skip the step and lower its scale.",
        lines=[started.line],
        nodes=[odd.node, *started.root_nodes],
        tensors=[tensor],
    )


def _origin(tape: Tape, node: NodeFacts, call: int, seq: int) -> ev.GradientSent | None:
    """The sending of a NaN or infinity by a node that had got finite gradients, above `node`."""
    waiting, seen = [node], {node.number}
    while waiting:
        for sent in waiting.pop(0).arrived_in(call, seq):
            if not is_odd(sent.value) or sent.node in seen:
                continue
            seen.add(sent.node)
            sender = tape.nodes[sent.node]
            run = sender.run(call)
            if run is None or not any(is_odd(g) for g in run.gradients):
                return sent
            waiting.append(sender)
    return None


# In the forward pass


def _trace(tape: Tape, seq: int, tensor: int) -> _Forward:
    """Back along values that are not finite, to the op that made one of finite numbers."""
    seen: set[int] = set()
    while True:
        seen.add(tensor)
        facts = tape.tensors[tensor]
        op = tape.odd_maker(tensor, seq)
        if op is None:
            value = tape.value(tensor, seq) or facts.info.value
            return _Forward(None, value, tensor, facts.made.line, facts.made.seq)
        before = tape.before(op)
        odd = [
            a.tensor
            for a in op.inputs
            if a.tensor is not None and a.tensor not in seen and is_odd(tape.value(a.tensor, before))
        ]
        if not odd:
            made = next(i for i in op.outputs if is_odd(i.value))
            return _Forward(op, made.value, made.tensor, op.line, op.seq)
        tensor, seq = odd[0], before


def _forward(tape: Tape, seq: int, tensor: int, name: str | None) -> ev.Diagnosis:
    found = _trace(tape, seq, tensor)
    what = kind(found.value)
    subject = "" if name is None or name == tape.name(found.tensor, seq) else f" {name} has it from there."
    if found.op is None:
        made = tape.tensors[found.tensor].made
        origin = made.origin if isinstance(made, ev.TensorCreated) else "an in-place change"
        return diagnosis(
            f"{tape.name(found.tensor, seq)} was made with {what} in it, by {origin}{at(found.line)}.{subject}",
            "Look at the data that goes in: torch.isfinite(x).all() says whether it is clean.",
            wrong_fix="nan_to_num on the loss hides it: the gradient of what was replaced is zero.",
            lines=[found.line],
            tensors=[found.tensor, tensor],
        )
    op = found.op
    place, shown = _met(tape, op, found.value)
    fix, wrong = _forward_advice(op.op)
    return diagnosis(
        f"The first {what} is made in the forward pass by {op.op}{at(op.line)}{place}, of finite numbers.{subject}",
        fix,
        wrong_fix=wrong,
        lines=[op.line, *[tape.tensors[a.tensor].made.line for a in op.inputs if a.tensor in tape.tensors]],
        nodes=[None if op.node is None else op.node.node],
        tensors=[found.tensor, *[a.tensor for a in op.inputs], tensor],
        evidence=[
            ev.Evidence(text=text, line=op.line, tensor=found.tensor, node=None if op.node is None else op.node.node)
            for text in shown
        ],
    )


def _met(tape: Tape, op: ev.OpApplied, value: ev.Summary) -> tuple[str, list[str]]:
    """At which element, and what the op was given there."""
    elements = floats(value)
    flat = None if elements is None else next((i for i, v in enumerate(elements) if not math.isfinite(v)), None)
    parts: list[str] = []
    for argument in op.inputs:
        if argument.tensor is None:
            continue
        one = tape.value(argument.tensor, tape.before(op))
        got = floats(one)
        if one is not None and got is not None and flat is not None:
            wide = spread(got, one.shape, value.shape)
            if wide is not None:
                parts.append(f"{tape.name(argument.tensor, op.seq)} is {number(wide[flat])}")
                continue
        if one is not None:
            parts.append(f"{tape.name(argument.tensor, op.seq)} is {values(one)}")
    place = "" if flat is None or not value.shape else f" in element {index(flat, value.shape)}"
    became = "" if elements is None or flat is None else f": the result is {number(_number(elements[flat]))}"
    return place, [f"{listed(parts)}{became}"] if parts else []


def _number(value: float) -> ev.Number:
    if math.isnan(value):
        return "NaN"
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def _forward_advice(op: str) -> tuple[str, str | None]:
    base = op.rstrip("_")
    if base in ("log", "log2", "log10"):
        return (
            "Keep its input above zero: log(x + eps) or x.clamp(min=eps).log(); for probabilities take log_softmax or "
            "a loss on logits.",
            "torch.where(x > 0, x.log(), 0) shows finite numbers, but log still runs on the rest, and its gradient "
            "there is NaN.",
        )
    if base in ("div", "true_divide", "reciprocal", "rsqrt"):
        return (
            "Add a small eps to the denominator, or replace its zeros before dividing: torch.where(d == 0, 1, d).",
            "torch.where(d == 0, 0, x / d) shows finite numbers, but the division still runs, and its gradient is NaN.",
        )
    if base in ("exp", "expm1", "pow", "cosh", "sinh"):
        return (
            "Subtract the largest value before exp, as softmax, log_softmax and logsumexp do; or bound its input.",
            "Clamping the result comes too late: the gradient of exp is its result, which is infinite.",
        )
    if base in ("sqrt",):
        return ("Keep its input at or above zero, with clamp(min=eps) or + eps.", None)
    return (
        "Bound what goes in (clamp, eps, normalization) or take a smaller step; wider numbers (float32 in place of "
        "float16) have a wider range.",
        "nan_to_num on the result hides it, and what was replaced gets no gradient.",
    )


# In the backward pass


def _backward(tape: Tape, sent: ev.GradientSent, about: tuple[str, int] | None) -> ev.Diagnosis:
    node = tape.nodes[sent.node]
    run = node.run(sent.call)
    came = next((g for g in (run.gradients if run is not None else []) if g is not None), None)
    line = tape.line_of_pass(sent.call)
    elements = floats(sent.value)
    flat = None if elements is None else next((i for i, v in enumerate(elements) if not math.isfinite(v)), None)
    evidence, formula = _elements(tape, node, sent, came, flat, elements)
    mask = _mask(tape, node, sent.call, flat, came, sent)
    what = kind(sent.value)
    target = "" if about is None else f" {about[0]}.grad has it from there."
    place = "" if flat is None or not sent.value.shape else f" in element {index(flat, sent.value.shape)}"
    made = f"The first {what} is made in the backward pass by {node.name}, of {formula[0]}{at(node.line)}{place}"
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
        cause = f"{made}: {formula[1]}{target}"
        fix = (
            "Keep the forward value away from where the derivative has no finite value: x.clamp(min=eps), "
            "torch.sqrt(x + eps), or a form of the function that is stable."
        )
        wrong = (
            "Clipping the gradient afterwards does not help: NaN stays NaN under any clipping; nan_to_num hides the "
            "place and leaves a wrong zero."
        )
    saved = node.info.saved if node.info is not None else []
    return diagnosis(
        cause,
        fix,
        wrong_fix=wrong,
        lines=[node.line, None if mask is None else mask.line, line],
        nodes=[node.number, None if mask is None else mask.number, sent.to_node],
        tensors=[*([] if about is None else [about[1]]), *[s.tensor for s in saved]],
        evidence=evidence,
    )


def _elements(
    tape: Tape,
    node: NodeFacts,
    sent: ev.GradientSent,
    came: ev.Summary | None,
    flat: int | None,
    elements: list[float] | None,
) -> tuple[list[ev.Evidence], tuple[str, str]]:
    """What met at the element; the op's name, and the meeting as a sentence."""
    op = node.name.removesuffix("0").removesuffix("1").removesuffix("Backward") if node.op is None else node.op.op
    shape = sent.value.shape
    got = floats(came)
    incoming = spread(got, came.shape, shape) if got is not None and came is not None else None
    inputs: list[str] = []
    odd_inside = False
    if node.op is not None and flat is not None:
        for argument in node.op.inputs:
            value = given(tape, node, argument.name)
            if isinstance(value, ev.Summary):
                inside = floats(value)
                wide = None if inside is None else spread(inside, value.shape, shape)
                if wide is not None and argument.tensor is not None:
                    inputs.append(f"{tape.name(argument.tensor, node.op.seq)} is {number(_number(wide[flat]))}")
                    odd_inside = odd_inside or not math.isfinite(wide[flat])
        made = node.op.outputs[0].value
        inside = floats(made)
        wide = None if inside is None else spread(inside, made.shape, shape)
        if wide is not None:
            inputs.append(f"{op} gave {number(_number(wide[flat]))}")
            odd_inside = odd_inside or not math.isfinite(wide[flat])
    if incoming is None or flat is None or elements is None:
        return [], (op, f"it got {values(came)} and sent {values(sent.value)}.")
    g, out = incoming[flat], elements[flat]
    where = f"where {listed(inputs)}, " if inputs else ""
    if g == 0 and math.isnan(out):
        said = f"{where}the gradient that came is 0 and the derivative is infinite: 0 × inf = nan."
    elif math.isinf(out):
        said = f"{where}the gradient that came is {number(_number(g))} and the derivative is infinite."
    else:
        said = f"{where}the gradient that came is {number(_number(g))} and the derivative is not a number."
    shown = [
        ev.Evidence(
            text=f"{f'element {index(i, shape)}: ' if shape else ''}{number(_number(incoming[i]))} came, "
            f"{number(_number(v))} was sent",
            line=node.line,
            node=node.number,
            value=_number(v),
        )
        for i, v in enumerate(elements)
        if not math.isfinite(v)
    ]
    return shown[:8], (op, said)


def _selects(tape: Tape, node: NodeFacts) -> bool:
    """Whether a node chose among elements: a product with a factor that is 0 everywhere did not."""
    if node.name != "MulBackward0":
        return True
    for name in ("self", "other"):
        factor = given(tape, node, name)
        inside = [factor] if isinstance(factor, float) else floats(factor)
        if inside is not None and not any(inside):
            return False
    return True


def _mask(
    tape: Tape, node: NodeFacts, call: int, flat: int | None, came: ev.Summary | None, sent: ev.GradientSent
) -> NodeFacts | None:
    """The node above that sent zero for the element in question though more had come to it."""
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
