"""Finds where the NaN or infinity of a value comes from: the op, the step or the data, and its numbers."""

from __future__ import annotations

import contextlib
import math
from typing import NamedTuple

from backscope.diagnosis.why.answer import at, diagnosis, listed, number, values
from backscope.diagnosis.why.log.elements import floats, index, spread
from backscope.diagnosis.why.log.facts import TensorFacts, is_odd, until
from backscope.diagnosis.why.log.tape import Tape
from backscope.diagnosis.why.losses import undefined
from backscope.diagnosis.why.spoiled_place import element, row, sum_of, unravel
from backscope.protocol import events as ev
from backscope.protocol.op_names import name_of

MOST_ANCESTORS = 2000
"""The most tensors that are searched for an earlier value that was not finite."""


def kind(value: ev.Summary) -> str:
    """Return what a value has: NaN or an infinity."""
    return "NaN" if value.nan_count else "infinity"


class Spoiled(NamedTuple):
    """The place where a value stopped being finite: an op, another change of memory, or the data it began with.

    `turned` is the op that made NaN of infinities, where the question is about NaN and infinities came first.
    """

    tensor: int
    value: ev.Summary
    line: int | None
    seq: int
    op: ev.OpApplied | None = None
    change: ev.TensorMutated | None = None
    turned: ev.OpApplied | None = None

    @property
    def given(self) -> bool:
        """Return whether the program itself put an infinity there, as masks do."""
        if self.value.nan_count or self.change is not None:
            return False
        return self.op is None or constant(self.op)


def constant(op: ev.OpApplied) -> bool:
    """Return whether an op was given an infinity as a number."""
    return any(a.tensor is None and (a.text or "").lstrip("-") == "inf" for a in op.inputs)


def trace(tape: Tape, seq: int, tensor: int) -> Spoiled:
    """Follow values that are not finite back to what made one of finite numbers."""
    seen: set[int] = set()
    turned: ev.OpApplied | None = None
    while True:
        seen.add(tensor)
        facts = tape.tensors[tensor]
        op = tape.odd_maker(tensor, seq)
        change = _changed(tape, facts, seq)
        if change is not None and (op is None or change.seq < op.seq):
            return Spoiled(tensor, change.value, change.line, change.seq, change=change, turned=turned)
        if op is None:
            value = tape.value(tensor, seq) or facts.info.value
            return Spoiled(tensor, value, facts.made.line, facts.made.seq, turned=turned)
        before, made = tape.before(op), _spoiled(op)
        given = [a.tensor for a in op.inputs if a.tensor is not None and a.tensor not in seen]
        odd = [(one, known) for one in given if (known := tape.value(one, before)) is not None and is_odd(known)]
        nans = [(one, known) for one, known in odd if known.nan_count]
        if made.value.nan_count and not nans and (odd or constant(op)):
            turned = turned or op
        if not odd:
            return Spoiled(made.tensor, made.value, op.line, op.seq, op=op, turned=None if turned is op else turned)
        tensor, seq = _passed_on(made.value, nans or odd), before


def _spoiled(op: ev.OpApplied) -> ev.TensorInfo:
    return next(i for i in op.outputs if is_odd(i.value))


def _changed(tape: Tape, facts: TensorFacts, seq: int) -> ev.TensorMutated | None:
    """Return the first change of a tensor's memory that was not an op's and left a NaN or an infinity."""
    found = tape.changed_odd.get((facts.info.storage, facts.number), [])
    return found[0] if found and found[0].seq <= seq else None


def _passed_on(value: ev.Summary, odd: list[tuple[int, ev.Summary]]) -> int:
    """Return the tensors that an element that is not finite comes from: for where() the selected one."""
    flat = first_bad(value)
    for tensor, one in odd:
        inside = floats(one)
        wide = None if inside is None or flat is None else spread(inside, one.shape, value.shape)
        if wide is not None and flat is not None and not math.isfinite(wide[flat]):
            return tensor
    return odd[0][0]


def first_bad(value: ev.Summary) -> int | None:
    """Return the first element that is NaN, or infinite where none is NaN; None where the log does not have it."""
    elements = floats(value)
    if elements is None:
        return None
    test = math.isnan if value.nan_count else math.isinf
    return next((i for i, v in enumerate(elements) if test(v)), None)


def earlier(tape: Tape, op: ev.OpApplied | None) -> Spoiled | None:
    """Return a value that was not finite among the ancestors of an op's arguments; masks do not count."""
    waiting = [] if op is None else [(a.tensor, tape.before(op)) for a in op.inputs if a.tensor is not None]
    seen = {tensor for tensor, _ in waiting}
    while waiting and len(seen) < MOST_ANCESTORS:
        tensor, seq = waiting.pop(0)
        if tensor not in tape.tensors:
            continue
        if is_odd(tape.value(tensor, seq)):
            found = trace(tape, seq, tensor)
            if not found.given:
                return found
        for maker in tape.makers(tensor, seq):
            for a in maker.inputs:
                if a.tensor is not None and a.tensor not in seen:
                    seen.add(a.tensor)
                    waiting.append((a.tensor, tape.before(maker)))
    return None


def explained(tape: Tape, seq: int, found: Spoiled, tensor: int, subject: str = "") -> ev.Diagnosis:
    """Answer where a value stopped being finite; `subject` is the tensor of the question."""
    what = kind(found.value)
    if found.turned is not None and found.given:
        return _of_infinities(tape, found, found.turned, tensor, subject)
    turned = ""
    if found.turned is not None:
        by = name_of(found.turned.op, found.turned.inputs)
        turned = f" {by}{at(found.turned.line)} made NaN of it{_reason(found.turned)}."
    if found.change is not None:
        return _by_change(tape, found, found.change, tensor, turned + subject)
    if found.op is None:
        made = tape.tensors[found.tensor].made
        origin = made.origin if isinstance(made, ev.TensorCreated) else "an in-place change"
        return diagnosis(
            f"{tape.name(found.tensor, seq)} was made with {what} in it, by {origin}{at(found.line)}.{turned}{subject}",
            "Look at the data that goes in: torch.isfinite(x).all() says whether it is clean.",
            wrong_fix="nan_to_num on the loss hides it: the gradient of what was replaced is zero.",
            lines=[found.line, None if found.turned is None else found.turned.line],
            nodes=[] if found.turned is None else [_node(found.turned)],
            tensors=[found.tensor, tensor],
        )
    op = found.op
    place, shown = operands(tape, op, found.value)
    fix, wrong = advice(tape, op)
    reason = "."
    if (lost := undefined(tape, op)) is not None:
        reason, fix, wrong, shown = f": {lost.reason}", lost.fix, lost.wrong_fix, [lost.evidence]
    return diagnosis(
        f"The first {what} is made in the {_pass(tape, op.seq)} pass by {name_of(op.op, op.inputs)}{at(op.line)}"
        f"{place}, of finite numbers{reason}{turned}{subject}",
        fix,
        wrong_fix=wrong,
        lines=[op.line, *_givers(tape, op), None if found.turned is None else found.turned.line],
        nodes=[_node(op), None if found.turned is None else _node(found.turned)],
        tensors=[found.tensor, *[a.tensor for a in op.inputs], tensor],
        evidence=[ev.Evidence(text=text, line=op.line, tensor=found.tensor, node=_node(op)) for text in shown],
    )


def masks(tape: Tape, found: Spoiled) -> ev.Diagnosis:
    """Answer where only values that the program made on purpose are not finite."""
    by = name_of(found.op.op, found.op.inputs) if found.op is not None else _origin_of(tape, found)
    return diagnosis(
        f"{by}{at(found.line)} was given an infinity and put it in; no NaN came of it, and no other infinity.",
        "Nothing to mend where it is a mask before softmax: what is masked gets 0 there. See that no row is masked "
        "as a whole: softmax of nothing but -inf is NaN.",
        lines=[found.line],
        nodes=[] if found.op is None else [_node(found.op)],
        tensors=[found.tensor],
    )


def _origin_of(tape: Tape, found: Spoiled) -> str:
    made = tape.tensors[found.tensor].made
    return made.origin if isinstance(made, ev.TensorCreated) else "an in-place change"


def _pass(tape: Tape, seq: int) -> str:
    """Return whether an op ran within a backward pass, in a hook or in backward() of a custom Function."""
    inside = any(not p.over(seq) and not p.recomputed for p in tape.passes_until(seq))
    return "backward" if inside else "forward"


def _node(op: ev.OpApplied) -> int | None:
    return None if op.node is None else op.node.node


def _givers(tape: Tape, op: ev.OpApplied) -> list[int | None]:
    return [tape.tensors[a.tensor].made.line for a in op.inputs if a.tensor in tape.tensors]


def _reason(op: ev.OpApplied) -> str:
    reasons = {
        "sub": "inf - inf has no value",
        "add": "inf - inf has no value",
        "sum": "inf - inf has no value",
        "mean": "inf - inf has no value",
        "mul": "0 × inf has no value",
        "div": "inf / inf has no value",
        "softmax": "it divides inf by inf",
        "log_softmax": "it subtracts inf from inf",
    }
    reason = reasons.get(op.op.rstrip("_"))
    return "" if reason is None else f": {reason}"


def _of_infinities(tape: Tape, found: Spoiled, op: ev.OpApplied, tensor: int, subject: str) -> ev.Diagnosis:
    """Answer for NaN that an op made of infinities which the program had made."""
    made = _spoiled(op)
    place, shown = operands(tape, op, made.value)
    base = op.op.strip("_")
    by = name_of(found.op.op, found.op.inputs) if found.op is not None else _origin_of(tape, found)
    source = "" if found.op is op else f"{by}{at(found.line)} put them in. "
    if base in ("softmax", "log_softmax"):
        reason = "A row of nothing but -inf has no largest element: every place of it was masked."
        fix = (
            "Leave at least one place of each row unmasked, or mask with a large negative number "
            "(torch.finfo(x.dtype).min) in place of -inf: such a row then gets equal weights."
        )
        wrong = f"nan_to_num or torch.where on the result hides it: {base} still gets and sends NaN going backward."
    else:
        text = _reason(op).removeprefix(": ")
        reason = f"{text[0].upper()}{text[1:]}." if text else "No number is the result there."
        fix, wrong = (
            "Keep infinities out of arithmetic: masks belong right before softmax, max or a comparison. A large finite "
            "number (torch.finfo(x.dtype).max) can be computed with.",
            "nan_to_num on the result hides it, and what was replaced gets no gradient.",
        )
    return diagnosis(
        f"The first NaN is made in the {_pass(tape, op.seq)} pass by {name_of(op.op, op.inputs)}{at(op.line)}{place}, "
        f"of infinities. {source}{reason}{subject}",
        fix,
        wrong_fix=wrong,
        lines=[op.line, found.line],
        nodes=[_node(op), None if found.op is None else _node(found.op)],
        tensors=[made.tensor, *[a.tensor for a in op.inputs], found.tensor, tensor],
        evidence=[ev.Evidence(text=text, line=op.line, tensor=made.tensor, node=_node(op)) for text in shown],
    )


def stepped(tape: Tape, change: ev.TensorMutated) -> tuple[ev.OptimizerStepped, ev.ParameterUpdate] | None:
    """Return the optimizer's step that made a change, and what it did to the parameter."""
    for step in reversed(until(tape.steps, change.seq)):
        if step.line != change.line or not change.op.startswith(f"{step.optimizer}."):
            continue
        for update in step.updates:
            if update.tensor == change.tensor:
                return step, update
    return None


def _by_change(tape: Tape, found: Spoiled, change: ev.TensorMutated, tensor: int, subject: str) -> ev.Diagnosis:
    name, what = tape.name(found.tensor, found.seq), kind(found.value)
    step = stepped(tape, change)
    if step is None:
        by = "what you changed in the debugger" if change.seq in tape.by_hand else name_of(change.op)
        return diagnosis(
            f"{by[0].upper()}{by[1:]}{at(change.line)} left {what} in {name}.{subject}",
            "Look at what was written there: torch.isfinite(x).all() says whether it is clean.",
            lines=[change.line],
            tensors=[found.tensor, tensor],
        )
    optimizer, update = step
    rate = optimizer.groups[update.group].lr
    flat = first_bad(found.value)
    place = "" if flat is None or not found.value.shape else f" in element {index(flat, found.value.shape)}"
    parts = [
        f"{label} is {number(as_number(inside[flat]))}"
        for label, value in ((name, update.before), (f"{name}.grad", update.grad))
        if flat is not None and (inside := floats(value)) is not None and len(inside) > flat
    ]
    denominator = (
        update.grad is not None
        and found.value.nan_count
        and optimizer.groups[update.group].options.get("eps", "") in ("0", "0.0")
    )
    if denominator:
        fix = "Leave eps at its default: where a gradient has been 0 all along, the step divides 0 by its root, 0."
        wrong = "A smaller learning rate does not help: 0 divided by 0 is NaN at any rate."
    else:
        fix = (
            "Take a smaller learning rate, or bound the gradient with torch.nn.utils.clip_grad_norm_ before step(); "
            "the loss grows for some steps before that happens."
        )
        wrong = "nan_to_num on the parameter hides it, and the next step is as large."
    met_there = f" There {listed(parts)}; the learning rate is {number(rate)}." if parts else ""
    return diagnosis(
        f"{optimizer.optimizer}.step(){at(change.line)}, step {optimizer.number}, made the first {what} in {name}"
        f"{place}, of a finite gradient.{met_there}{subject}",
        fix,
        wrong_fix=wrong,
        lines=[change.line],
        tensors=[found.tensor, tensor],
        evidence=[
            ev.Evidence(
                text=f"The step changed {name} from {values(update.before)} to {values(found.value)}",
                line=change.line,
                tensor=found.tensor,
            )
        ],
    )


def operands(tape: Tape, op: ev.OpApplied, value: ev.Summary) -> tuple[str, list[str]]:
    """Return the element, and what the op was given there."""
    elements = floats(value)
    flat = first_bad(value)
    parts: list[str] = []
    numbers: list[float] = []
    for argument in op.inputs:
        if argument.tensor is None:
            with contextlib.suppress(ValueError):
                numbers += [float(argument.text or "")] if argument.name in ("self", "other", "exponent") else []
            continue
        one = tape.value(argument.tensor, tape.before(op))
        got = floats(one)
        if one is not None and got is not None and flat is not None:
            wide = spread(got, one.shape, value.shape)
            if wide is not None:
                parts.append(f"{tape.name(argument.tensor, op.seq)} is {number(as_number(wide[flat]))}")
                numbers.append(wide[flat])
                continue
        if one is not None:
            parts.append(f"{tape.name(argument.tensor, op.seq)} is {values(one)}")
    place = "" if flat is None or not value.shape else f" in element {index(flat, value.shape)}"
    where = "" if flat is None else element(unravel(flat, value.shape))
    done = "" if flat is None else sum_of(op.op.rstrip("_"), numbers)
    if flat is not None and (reduced := row(tape, op, value, flat)) is not None:
        parts = [reduced]
    became = "" if elements is None or flat is None else f": the result is {number(as_number(elements[flat]))}"
    return place, [f"{where}{f'{done}, where ' if done else ''}{listed(parts)}{became}"] if parts else []


def as_number(value: float) -> ev.Number:
    """Return a number in the form of events."""
    if math.isnan(value):
        return "NaN"
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def advice(tape: Tape, op: ev.OpApplied) -> tuple[str, str | None]:
    """Return the fix for an op that made a value that is not finite, and the fix that does not help."""
    base = op.op.rstrip("_")
    given = None if not op.inputs or op.inputs[0].tensor is None else tape.value(op.inputs[0].tensor, tape.before(op))
    if base == "mean" and given is not None and math.prod(given.shape) == 0:
        return (
            "An empty tensor has no mean, 0 / 0 is NaN: leave the term out where nothing was selected.",
            "nan_to_num on the mean hides it, and hides every other NaN with it.",
        )
    if base in ("std", "var", "std_mean", "var_mean"):
        return (
            "One number has no spread around its mean: the sum is divided by n - 1 = 0. Give it more numbers, or pass "
            "correction=0.",
            "A small eps on the result comes too late: NaN plus anything is NaN.",
        )
    if base.startswith("nll_loss"):
        return (
            "The mean goes over the targets that count, and none does: 0 / 0. Leave out batches whose targets are all "
            "ignore_index, or take reduction='sum' and divide by max(1, how many count).",
            "nan_to_num on the loss hides it, and hides every other NaN with it.",
        )
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
