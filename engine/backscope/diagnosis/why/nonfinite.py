"""Explains where the first NaN or infinity of a run, of a tensor or of its gradient comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from backscope.diagnosis.why.answer import at
from backscope.diagnosis.why.log.facts import is_odd, lines_of, until
from backscope.diagnosis.why.log.tape import Tape
from backscope.diagnosis.why.spoiled_gradient import is_nan, of_gradient, of_sending
from backscope.diagnosis.why.spoiled_value import Spoiled, explained, kind, masks, stepped, trace
from backscope.protocol import events as ev

__all__ = ["first_odd", "kind", "nonfinite", "nonfinite_run"]

MOST = 200
"""The most infinities that the program made itself, as masks do, which are skipped to find another one."""


# Any: an event of any of the kinds that have values.
def first_odd(tape: Tape, seq: int) -> Any:
    """Return the first event with a NaN or an infinity that an op, a change or a pass made, or None."""
    found = until(tape.odd, seq)
    return found[0] if found else None


def is_masked(tape: Tape, seq: int) -> bool:
    """Return whether all infinities so far are a mask's, which softmax or another op has turned into finite numbers."""
    found = until(tape.odd, seq)
    if not found or _first_unmeant(tape, seq) is not None:
        return False
    for event in found[:MOST]:
        tensor, _ = _spoiled(event)
        used = until(tape.tensors[tensor].used, seq)
        if any(not any(is_odd(info.value) for info in op.outputs) for op in used):
            return True
    return False


def _first_unmeant(tape: Tape, seq: int) -> Any:
    """Return the first event with a NaN or an infinity that the program did not make itself, and its origin."""
    for event in until(tape.odd, seq)[:MOST]:
        if isinstance(event, ev.GradientSent):
            return event, None, None
        tensor, value = _spoiled(event)
        spoiled = trace(tape, tape.settled(tensor, event.seq), tensor)
        if not spoiled.given or (spoiled.turned is not None and value.nan_count):
            return event, spoiled, tensor
    return None


def nonfinite_run(tape: Tape, seq: int) -> ev.Diagnosis:
    """Explain where the first NaN or infinity of the run comes from, except those that the program made on purpose."""
    found = until(tape.odd, seq)
    unmeant = _first_unmeant(tape, seq)
    if unmeant is not None:
        event, spoiled, tensor = unmeant
        return of_sending(tape, event) if spoiled is None else _of_value(tape, seq, spoiled, tensor)
    return masks(tape, trace(tape, tape.settled(_spoiled(found[0])[0], found[0].seq), _spoiled(found[0])[0]))


def _spoiled(event: ev.OpApplied | ev.TensorMutated) -> tuple[int, ev.Summary]:
    if isinstance(event, ev.TensorMutated):
        return event.tensor, event.value
    made = next(i for i in event.outputs if is_odd(i.value))
    return made.tensor, made.value


def nonfinite(tape: Tape, seq: int, tensor: int) -> ev.Diagnosis:
    """Explain where the NaN or infinity in a tensor or its `.grad` comes from."""
    name = tape.name(tensor, seq)
    if is_odd(tape.value(tensor, seq)):
        spoiled = trace(tape, tape.settled(tensor, seq), tensor)
        subject = "" if name == tape.name(spoiled.tensor, seq) else f" {name} has it from there."
        return _of_value(tape, seq, spoiled, tensor, subject)
    gradients = tape.accumulated(tensor, seq)
    return of_gradient(tape, tensor, name, next(g for g in gradients if is_odd(_added(g))))


def _added(event: ev.GradAccumulated | ev.GradientCaptured) -> ev.Summary:
    return event.added if isinstance(event, ev.GradAccumulated) else event.value


def _of_value(tape: Tape, seq: int, found: Spoiled, tensor: int, subject: str = "") -> ev.Diagnosis:
    """Answer about a value, or about the gradient that made a parameter not finite in an optimizer's step."""
    step = None if found.change is None else stepped(tape, found.change)
    if found.change is not None and step is not None and is_odd(step[1].grad):
        parameter = found.change.tensor
        by = f"{step[0].optimizer}.step(){at(found.line)}"
        brought = f"{by} brought it from there into {tape.name(parameter, found.seq)}."
        gradients = tape.accumulated(parameter, found.change.seq)
        if (worst := _worst(gradients)) is not None:
            return _brought(tape, found, worst, parameter, tensor, f" {brought}{subject}", found.line)
    leaf = tape.grad_of.get(found.tensor)
    if leaf is not None and found.op is None and found.change is None:
        own = [g for g in until(tape.tensors[leaf].grads, seq) if getattr(g, "grad", None) == found.tensor]
        if (worst := _worst(own)) is not None:
            name = tape.name(leaf, seq)
            then = f" {name} has it from {name}.grad." if tensor == leaf else subject
            return _brought(tape, found, worst, leaf, tensor, then)
    given = tape.result_of.get(found.tensor)
    if given is not None and found.op is None and found.change is None:
        answer = of_gradient(tape, found.tensor, tape.name(found.tensor, seq), given)
        tensors = list(dict.fromkeys([*answer.tensors, found.tensor, tensor]))
        return replace(answer, cause=f"{answer.cause}{subject}", tensors=tensors)
    return explained(tape, seq, found, tensor, subject)


def _worst(gradients: Sequence[ev.GradAccumulated | ev.GradientCaptured]) -> Any:
    """Return the first gradient with NaN, or else with an infinity."""
    odd = [g for g in gradients if is_odd(_added(g))]
    return next((g for g in odd if is_nan(_added(g))), None) or next(iter(odd), None)


def _brought(
    tape: Tape, found: Spoiled, worst: Any, leaf: int, tensor: int, then: str, line: int | None = None
) -> ev.Diagnosis:
    """Answer about the gradient of a leaf, and how it got from there into the tensor of the question."""
    answer = of_gradient(tape, leaf, tape.name(leaf, found.seq), worst)
    return replace(
        answer,
        cause=f"{answer.cause}{then}",
        lines=lines_of(answer.lines, line),
        tensors=list(dict.fromkeys([*answer.tensors, leaf, tensor])),
    )
