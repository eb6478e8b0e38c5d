"""Explains losses without a value: a mean over no counted target, and sequences that no path leads to."""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import NamedTuple

from backscope.diagnosis.why.answer import many, number, values
from backscope.diagnosis.why.log.elements import floats
from backscope.diagnosis.why.log.tape import Tape
from backscope.diagnosis.why.spoiled_place import element
from backscope.protocol import events as ev


class Undefined(NamedTuple):
    """An explanation of a loss that is not finite, with the fixes; `none` says why no target counts, if none does."""

    reason: str
    fix: str
    wrong_fix: str
    evidence: str
    none: str = ""


def undefined(tape: Tape, op: ev.OpApplied) -> Undefined | None:
    """Return why a loss of finite numbers is not finite; None for other ops and other reasons."""
    base = op.op.rstrip("_")
    given = {one.name: one for one in op.inputs}
    if base.startswith("nll_loss"):
        return _no_targets(tape, op, given)
    return _no_path(tape, op, given) if base == "ctc_loss" else None


def _numbers(tape: Tape, op: ev.OpApplied, given: ev.Argument | None) -> list[float] | None:
    """Return the elements of an argument, be it a tensor or numbers."""
    if given is None:
        return None
    if given.tensor is not None:
        return floats(tape.value(given.tensor, tape.before(op)))
    try:
        read = ast.literal_eval(given.text or "")
    except (ValueError, SyntaxError):
        return None
    return [float(one) for one in (read if isinstance(read, (tuple, list)) else (read,))]


def _name(tape: Tape, op: ev.OpApplied, given: ev.Argument | None, otherwise: str) -> str:
    name = "" if given is None or given.tensor is None else tape.name(given.tensor, op.seq)
    return otherwise if not name or " " in name else name


def _no_targets(tape: Tape, op: ev.OpApplied, given: dict[str, ev.Argument]) -> Undefined | None:
    target, weight = given.get("target"), given.get("weight")
    classes = _numbers(tape, op, target)
    ignored = _numbers(tape, op, given.get("ignore_index"))
    name = _name(tape, op, target, "the target")
    shown = "" if target is None or target.tensor is None else values(tape.value(target.tensor, tape.before(op)))
    fix = (
        "Leave out batches whose targets are all ignore_index, as in `if (target != ignore_index).any():`; or take "
        "reduction='sum' and divide by max(1, how many count): a sum over none is 0."
    )
    wrong = "nan_to_num on the loss hides it, and hides every other NaN with it."
    if classes is not None and ignored and all(one == ignored[0] for one in classes):
        index = number(int(ignored[0]))
        none = f"every target is ignore_index, {index}, so that none of {many(len(classes), 'target')} counts"
        return Undefined(
            f"{none}, and the mean over none is 0 / 0.",
            fix,
            wrong,
            f"{name} is {shown}, and ignore_index is {index}: 0 ÷ 0",
            none,
        )
    weights = None if weight is None or weight.tensor is None else _numbers(tape, op, weight)
    if classes is not None and weights is not None:
        counted = sorted({int(one) for one in classes if not ignored or one != ignored[0]})
        if counted and all(0 <= one < len(weights) and weights[one] == 0 for one in counted):
            called = _name(tape, op, weight, "weight")
            zero = f"{called}[{counted[0]}]"
            none = f"every target that counts is of a class with weight 0 ({zero} is 0)"
            return Undefined(
                f"{none}, and the mean divides by the sum of the weights: 0 / 0.",
                "Give the classes that come a weight above 0, or leave out batches in which none has one; or take "
                "reduction='sum' and divide by the larger of 1 and the sum of the weights.",
                wrong,
                f"{name} is {shown}, and {zero} is 0: 0 ÷ 0",
                none,
            )
    return None


def _no_path(tape: Tape, op: ev.OpApplied, given: dict[str, ev.Argument]) -> Undefined | None:
    inputs = _numbers(tape, op, given.get("input_lengths"))
    lengths = _numbers(tape, op, given.get("target_lengths"))
    targets = _numbers(tape, op, given.get("targets"))
    if inputs is None or lengths is None or len(inputs) != len(lengths):
        return None
    facts = given.get("targets")
    value = None if facts is None or facts.tensor is None else tape.value(facts.tensor, tape.before(op))
    width = value.shape[1] if value is not None and len(value.shape) == 2 else None
    start = 0
    for i, (steps, count) in enumerate(zip(inputs, lengths, strict=True)):
        first = start if width is None else i * width
        start += int(count)
        labels = [] if targets is None else targets[first : first + int(count)]
        repeats = sum(1 for a, b in pairwise(labels) if a == b)
        needed = int(count) + repeats
        if needed > steps:
            name = _name(tape, op, facts, "targets")
            where = name if value is not None and len(value.shape) == 1 and len(lengths) == 1 else f"{name}[{i}]"
            between = f", and a blank between equal neighbours ({repeats})" if repeats else ""
            return Undefined(
                f"the target is longer than the input: {where} has {many(int(count), 'label')}, which takes a time "
                f"step for each{between}, {needed} in all, and input_lengths[{i}] is {int(steps)}. No path leads to "
                "it, its probability is 0, and its loss is infinite.",
                "Pass zero_infinity=True, which makes the loss and the gradient of such a sequence 0; or see to it "
                "that input_lengths are at least target_lengths plus the repeats: fewer strides and poolings, shorter "
                "targets.",
                "clamp() on the loss makes it finite, and the gradient of log_probs still is NaN.",
                f"{element([i])}target length {int(count)}{f' + {repeats}' if repeats else ''} > input length "
                f"{int(steps)}",
            )
    return None
