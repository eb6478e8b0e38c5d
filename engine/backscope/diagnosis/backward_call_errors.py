"""Diagnoses of errors in a call of backward(), and in what a custom backward() returns."""

from __future__ import annotations

from typing import Any

from backscope.diagnosis.recorded_facts import at_line, called, known_lines, node_ids, tensor_ids
from backscope.diagnosis.recorded_run import RecordedRun
from backscope.protocol.events import Diagnosis


def not_scalar(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    shape = list(facts["shape"])
    return Diagnosis(
        cause=(
            f"backward() starts from 1 only for a single number; this tensor has shape {shape}, so it needs one "
            "weight for each element."
        ),
        fix=(
            f"Reduce it first, for instance with .sum() or .mean(), or pass gradient= with shape {shape}: the vector "
            "v of the product v^T J."
        ),
        wrong_fix=(
            "torch.ones_like(...) as gradient= computes the gradient of the sum: for a mean that is too large by the "
            "number of elements."
        ),
        lines=known_lines(line),
        nodes=[],
        tensors=tensor_ids(facts["tensor"]),
    )


def switched_on(name: str) -> str:
    """Return the assignment that silences an error, for a tensor with or without a name."""
    return f"requires_grad = True on {name}" if " " in name else f"{name}.requires_grad = True"


def untracked(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    tensor = facts["tensor"]
    name = called(recorder, tensor, "this tensor")
    made = recorder.born_at(tensor)
    return Diagnosis(
        cause=(
            f"No history leads to {name}, made{at_line(made)}: nothing it was computed from requires grad, or the "
            "history was cut by detach(), no_grad(), item() or an integer dtype."
        ),
        fix=(
            "Set requires_grad=True on the leaf before computing from it, and compute the loss from it without a cut."
        ),
        wrong_fix=f"{switched_on(name)} silences the error and gives the leaf no gradient.",
        lines=known_lines(made, line),
        nodes=[],
        tensors=tensor_ids(tensor),
    )


def wrong_gradient(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    wanted, given = list(facts["wanted"]), list(facts["given"])
    return Diagnosis(
        cause=(
            f"gradient= has shape {given}, and the tensor that backward() starts from has shape {wanted}; it takes "
            "one number for each element."
        ),
        fix=(f"Pass a gradient of shape {wanted}."),
        wrong_fix="expand() to the shape repeats numbers: right only where each element is to have the same weight.",
        lines=known_lines(line),
        nodes=[],
        tensors=tensor_ids(facts["tensor"]),
    )


def wrong_count(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    wanted, given = facts["wanted"], facts["given"]
    return Diagnosis(
        cause=(
            f"backward() of {facts['name'].removesuffix('Backward')} has to return one gradient for each argument of "
            f"forward(), {wanted} in all, and returned {given}."
        ),
        fix="Return a tuple in the order of forward()'s arguments, with None for those that need no gradient.",
        wrong_fix="Zeros for an argument that needs none cost memory and hide what was forgotten.",
        lines=known_lines(line),
        nodes=node_ids(recorder.running[-1]) if recorder.running else [],
        tensors=[],
    )
