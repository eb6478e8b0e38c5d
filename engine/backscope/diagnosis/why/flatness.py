"""Explains why the formula of a node gives zero: dead, saturated, constant, out of bounds, or not selected."""

from __future__ import annotations

import math
from collections.abc import Callable

from backscope.diagnosis.why.answer import at, listed, number, values
from backscope.diagnosis.why.log.elements import floats, given
from backscope.diagnosis.why.log.facts import NodeFacts
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev


def is_zero(value: ev.Summary | None) -> bool:
    """Return whether all elements are zero."""
    return value is not None and value.norm == 0 and not value.nan_count and math.prod(value.shape) > 0


Explanation = tuple[str, str, str | None]


def explained(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation:
    """Explain why a node's formula gives zero, with the fix and the fix that does not help."""
    rule = _RULES.get(node.name)
    found = None if rule is None else rule(tape, node, sent)
    if found is not None:
        return found
    if node.op is not None and node.name == f"{node.op.op}Backward":
        run = node.run(sent.call)
        assigned = [] if run is None else [h for h in tape.assignments if run.seq < h.seq < sent.seq]
        if assigned:
            done = listed([f"{one.target} was set to {one.expression}{at(one.line)}" for one in assigned])
            return (
                f"while it ran, {done} in the debugger.",
                "Run the program again to have the gradient without what was changed by hand.",
                None,
            )
        return (
            f"the backward() of {node.op.op} returned zeros.",
            f"Look at what {node.op.op}.backward() computes, in the debugger by a breakpoint in it; "
            "torch.autograd.gradcheck() in float64 compares it with differences of the forward values.",
            None,
        )
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
        return (
            "the other factor is the number 0, and the derivative of a product by one factor is the other.",
            "Give it another weight than 0, if this term of the loss is to count; a term times 0 does not.",
            "A larger learning rate does not help: zero times anything is zero.",
        )
    else:
        return (
            "where the gradient that came is not zero, the other factor is; a mask does that.",
            "Leave at least one element in that the mask lets through.",
            None,
        )
    facts = None if argument is None or argument.tensor is None else tape.tensors.get(argument.tensor)
    if facts is not None and node.op is not None and not facts.requires_grad(node.op.seq):
        return (
            f"{what}, and the derivative of a product by one factor is the other.",
            f"See why {called} is zero everywhere: as a mask it lets nothing through.",
            "A larger learning rate does not help: zero times anything is zero.",
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


def _softmax(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation | None:
    run = node.run(sent.call)
    came = next((g for g in (run.gradients if run is not None else []) if g is not None), None)
    if node.op is None or came is None:
        return None
    out = node.op.outputs[0].value
    if out.min == 1:
        return (
            "softmax goes over a dim with one element, and gives 1 whatever went in.",
            "Take softmax over the dim of the classes, often dim=-1; for one number per example take sigmoid.",
            None,
        )
    elements, row = floats(came), out.shape[-1] if out.shape else 1
    even = elements is not None and all(
        len(set(elements[start : start + row])) == 1 for start in range(0, len(elements), row)
    )
    if came.min == came.max or (
        even and next(a.text for a in node.op.inputs if a.name == "dim") in ("-1", str(len(out.shape) - 1))
    ):
        return (
            "the gradient that came is the same for all elements of a row, and those of softmax always add up to 1: "
            "whatever goes in, their sum stays.",
            "Let the loss tell the elements apart: weigh them, or take the log-probability of the target "
            "(cross_entropy).",
            "Larger weights or another start do not help: the loss is constant.",
        )
    return _saturated(tape, node, sent) if out.max is not None and _near_one(out.max) else None


def _near_one(value: ev.Number) -> bool:
    return not isinstance(value, str) and value > 0.999


def _empty(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation | None:
    shape = [] if node.op is None else node.op.outputs[0].value.shape
    if node.op is None or 0 not in shape:
        return None
    return (
        f"{node.op.op} selected nothing, so that nothing of what went in counts.",
        "See what the index or the mask selects: print mask.sum(), and leave the term out where it is 0.",
        None,
    )


def _one_class(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation | None:
    out = None if node.op is None else node.op.outputs[0].value
    if out is None or out.min != 0:
        return None
    return (
        "log_softmax goes over a dim with one element, and gives 0 whatever went in.",
        "Give it one number for each class. For one number per example, yes or no, take "
        "binary_cross_entropy_with_logits.",
        "More training does not help: the loss is constant.",
    )


def _beaten(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation | None:
    if node.op is None:
        return None
    word = "larger" if node.name.startswith("Max") else "smaller"
    own, other = ("self", "other") if sent.input_nr == 0 else ("other", "self")
    given_own, given_other = given(tape, node, own), given(tape, node, other)
    if not isinstance(given_own, ev.Summary) or not isinstance(given_other, ev.Summary):
        return None
    return (
        f"the other argument, {values(given_other)}, is {word} everywhere than {values(given_own)}, and takes the "
        "gradient.",
        "Nothing to mend where that is meant; a smooth function (logsumexp, softplus) gives both a share.",
        None,
    )


def _padding(tape: Tape, node: NodeFacts, sent: ev.GradientSent) -> Explanation | None:
    padding = None if node.op is None else next((a.text for a in node.op.inputs if a.name == "padding_idx"), None)
    if padding in (None, "None", "-1"):
        return None
    return (
        f"row {padding} is padding_idx, which gets no gradient, and no other row was looked up.",
        "Look up indices that are no padding; or leave padding_idx out where that row is to learn.",
        None,
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
    "SoftmaxBackward0": _softmax,
    "IndexBackward0": _empty,
    "MaskedSelectBackward0": _empty,
    "PowBackward0": _power,
    "LogSoftmaxBackward0": _one_class,
    "MaximumBackward0": _beaten,
    "MinimumBackward0": _beaten,
    "EmbeddingBackward0": _padding,
}
