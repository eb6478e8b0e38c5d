"""Explains why a parameter, or another tensor that a program means to update, still has its first value."""

from __future__ import annotations

import re

from backscope.diagnosis.why.absence import grad_none
from backscope.diagnosis.why.answer import at, diagnosis, listed, many, number
from backscope.diagnosis.why.budget import step
from backscope.diagnosis.why.flatness import is_zero
from backscope.diagnosis.why.log.facts import TensorFacts, is_odd, last, until
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev

MOST = 200
"""The most tensors that are followed from a value to the name that its successor got."""
UNSCALE = "_amp_foreach_non_finite_check_and_unscale_"
"""The op by which a GradScaler divides gradients by its scale, and looks for what is not finite."""

Anew = tuple[ev.OpApplied, str, int]
"""An op, the variable that its result was bound to, and the result."""

_ASSIGNED = re.compile(r"\s*(\w+)\s*=[^=]")

Update = tuple[ev.OptimizerStepped, ev.ParameterUpdate]


def stays(tape: Tape, seq: int, tensor: int) -> bool:
    """Return whether a tensor that steps or lines of the program seem to update still has its first value."""
    facts = tape.tensors[tensor]
    if facts.grad_fn(seq) is not None or _has_changed(tape, facts, seq):
        return False
    if _bound_anew(tape, facts, seq) is not None:
        return True
    if not any(on for when, on, _ in facts.tracking if when <= seq):
        return False
    return bool(until(tape.steps, seq)) or _unscaled(tape, facts, seq) is not None


def stuck(tape: Tape, seq: int) -> int | None:
    """Return the first parameter that no step of the run has changed so far; None where there is none.

    One that no optimizer was given counts once the program is over.
    """
    steps = until(tape.steps, seq)
    given: dict[int, None] = {}
    moved: set[int] = set()
    for one in steps:
        step()
        given |= dict.fromkeys([*one.unchanged, *[update.tensor for update in one.updates]])
        moved |= {update.tensor for update in one.updates if _shown(update.before) != _shown(update.after)}
    if steps and tape.over is not None and tape.over <= seq:
        given |= dict.fromkeys(number for number, facts in tape.tensors.items() if _is_parameter(facts))
    waiting = (number for number in given if number not in moved and number in tape.tensors)
    return next((number for number in waiting if stays(tape, seq, number)), None)


def _is_parameter(facts: TensorFacts) -> bool:
    return isinstance(facts.made, ev.TensorCreated) and facts.made.origin == "Parameter"


def unchanged(tape: Tape, seq: int, tensor: int) -> ev.Diagnosis:
    """Explain why a tensor did not change until a moment."""
    facts = tape.tensors[tensor]
    name = tape.name(tensor, seq)
    anew = _bound_anew(tape, facts, seq)
    if anew is not None:
        return _rebound(facts, name, anew)
    steps = until(tape.steps, seq)
    updates = [(step, update) for step in steps for update in step.updates if update.tensor == tensor]
    if updates:
        return _without_effect(facts, name, updates)
    passed_over = [step for step in steps if tensor in step.unchanged]
    if passed_over:
        return _passed_over(tape, facts, name, passed_over)
    if (unscaled := _unscaled(tape, facts, seq)) is not None:
        return _skipped(tape, facts, name, unscaled, seq)
    return _not_given(facts, name, steps, seq)


def _has_changed(tape: Tape, facts: TensorFacts, seq: int) -> bool:
    """Return whether a tensor changed since the first pass or step; what initialized it came before."""
    begun = [one.seq for one in (*[p.started for p in tape.passes_until(seq)[:1]], *until(tape.steps, seq)[:1])]
    first = max(facts.made.seq, min(begun, default=0))
    moved = [u for step in until(tape.steps, seq) for u in step.updates if u.tensor == facts.number]
    if any(_shown(one.before) != _shown(one.after) or one.after.norm is None for one in moved):
        return True
    was = _shown(tape.value(facts.number, first) or facts.info.value)
    return any(
        one.value.norm is None or _shown(one.value) != was
        for one in until(tape.changes.get((facts.info.storage, facts.number), []), seq)
        if one.seq > first
    )


def _shown(value: ev.Summary) -> tuple[object, ...]:
    return value.values, value.norm, value.min, value.max


def _bound_anew(tape: Tape, facts: TensorFacts, seq: int) -> Anew | None:
    """Return the last op on the tensor, without a history, whose result took over a variable that the tensor had.

    A name that the next round of a loop binds at once is not recorded; the text of the line has it.
    """
    own = {named.name for named in until(facts.names, seq)}
    for used in reversed(until(facts.used, seq)):
        if used.node is not None or used.in_place or tape.mode(used.seq) == "grad":
            continue
        waiting, seen = [used], {facts.number}
        while waiting and len(seen) < MOST:
            op = waiting.pop(0)
            for info in op.outputs:
                result = tape.tensors.get(info.tensor)
                if result is None or result.number in seen:
                    continue
                seen.add(result.number)
                more = [one for one in until(result.used, seq) if one.line == used.line]
                waiting += more
                if more or result.info.value.shape != facts.info.value.shape:
                    continue
                assigned = _ASSIGNED.match(tape.source_line(used.line))
                names = {one.name for one in until(result.names, seq)} | ({assigned[1]} if assigned else set())
                if names & own:
                    return used, min(names & own), result.number
    return None


def _rebound(facts: TensorFacts, name: str, anew: Anew) -> ev.Diagnosis:
    op, variable, result = anew
    where = "The program" if op.line is None else f"{op.op}{at(op.line)}"
    whose = name if name != variable else f"the tensor that was {name}"
    return diagnosis(
        f"{where} computes a new value from {name}, and the variable {variable} is bound to it. That is another "
        f"tensor: nothing is written into {whose}, made{at(facts.made.line)}, which stays as it was.",
        f"Change it in place, under torch.no_grad(): {variable}.copy_(...), or for a moving average "
        f"{variable}.lerp_(other, 1 - decay).",
        wrong_fix=(
            f"Returning {variable} or making it global does not help: what holds the tensor, such as a module or an "
            "optimizer, still holds the first one."
        ),
        lines=[op.line, facts.made.line],
        tensors=[facts.number, result],
    )


def _without_effect(facts: TensorFacts, name: str, updates: list[Update]) -> ev.Diagnosis:
    step, update = updates[-1]
    optimizer, times = step.optimizer, many(len(updates), "time")
    rates = [one.groups[u.group].lr for one, u in updates]
    lines = [one.line for one, _ in updates]
    if all(rate == 0 for rate in rates):
        return diagnosis(
            f"{optimizer} stepped {times} with {name} in it{at(step.line)}, and its learning rate was 0 each time.",
            "Look at the schedule: a warmup that begins at 0 gives the first step to nothing (step + 1 in its factor "
            "mends that), and one that has run out leaves 0 behind.",
            wrong_fix="A larger base rate does not help: the schedule multiplies it by 0.",
            lines=lines,
            tensors=[facts.number],
        )
    if all(is_zero(u.grad) for _, u in updates if u.grad is not None):
        return diagnosis(
            f"{optimizer} stepped {times} with {name} in it{at(step.line)}, and {name}.grad was zero each time.",
            f"Ask why {name}.grad is zero: a gradient that is emptied between backward() and step() leaves nothing "
            "to step by.",
            lines=lines,
            tensors=[facts.number],
        )
    return diagnosis(
        f"{optimizer} stepped {times} with {name} in it{at(step.line)}, by too little to change its numbers: the last "
        f"gradient has the norm {number(None if update.grad is None else update.grad.norm)}, and the learning rate is "
        f"{number(rates[-1])}.",
        "Take a larger learning rate, or wider numbers: small steps vanish when they are added to large float16 or "
        "bfloat16 numbers.",
        lines=lines,
        tensors=[facts.number],
    )


def _passed_over(tape: Tape, facts: TensorFacts, name: str, steps: list[ev.OptimizerStepped]) -> ev.Diagnosis:
    step = steps[-1]
    why = grad_none(tape, step.seq, facts.number)
    return diagnosis(
        f"{step.optimizer} has {name}, but {name}.grad was None at {'its step' if len(steps) == 1 else 'all'}"
        f"{'' if len(steps) == 1 else f' {len(steps)} steps'}{at(step.line)}: a step passes over such parameters. "
        f"{why.cause}",
        why.fix,
        wrong_fix=why.wrong_fix,
        lines=[step.line, *why.lines],
        nodes=why.nodes,
        tensors=[facts.number, *why.tensors],
        evidence=why.evidence,
    )


def _unscaled(tape: Tape, facts: TensorFacts, seq: int) -> ev.TensorMutated | None:
    """Return the last time that a GradScaler divided its gradient."""
    return last([one for one in tape.grad_mutations(facts.number, seq) if one.op == UNSCALE], seq)


def _skipped(tape: Tape, facts: TensorFacts, name: str, unscaled: ev.TensorMutated, seq: int) -> ev.Diagnosis:
    odd = next((one for one in until(tape.odd, seq) if one.seq <= unscaled.seq), None)
    own = is_odd(unscaled.value)
    what = f"{name}.grad has" if own else "a gradient had"
    first = "" if odd is None else f" The first of them came{at(odd.line)}." if odd.line is not None else ""
    return diagnosis(
        f"A GradScaler left the step out: when it divided the gradients by its scale{at(unscaled.line)}, {what} an "
        f"infinity or NaN in it.{first}",
        "Nothing to mend where it happens now and then: the scaler lowers its scale and goes on. Begin with a smaller "
        "init_scale, or use bfloat16, which has the range of float32 and needs no scaler.",
        wrong_fix="Clipping does not help: the norm of a gradient with an infinity is infinite, and the quotient NaN.",
        lines=[unscaled.line, None if odd is None else odd.line],
        tensors=[facts.number, unscaled.tensor],
    )


def _not_given(facts: TensorFacts, name: str, steps: list[ev.OptimizerStepped], seq: int) -> ev.Diagnosis:
    kinds = list(dict.fromkeys(step.optimizer for step in steps))
    later = facts.made.seq > steps[0].seq
    frozen = not facts.requires_grad(seq)
    cause = f"No optimizer that stepped has {name}: {listed(kinds)} stepped {many(len(steps), 'time')} without it."
    if frozen:
        cause += f" {name} does not require grad either."
    if later:
        cause += f" It was made{at(facts.made.line)}, when the optimizer had stepped already."
    return diagnosis(
        cause,
        "Give it to the optimizer: build that after all modules, of model.parameters(), or add it with "
        "optimizer.add_param_group(). parameters() does not find modules in a plain list or dict, but in nn.ModuleList."
        + (" Where it is meant to be frozen, there is nothing to mend." if frozen else ""),
        wrong_fix="requires_grad_() alone does not help: it gives a gradient, and no step uses it.",
        lines=[facts.made.line, steps[-1].line],
        tensors=[facts.number],
    )
