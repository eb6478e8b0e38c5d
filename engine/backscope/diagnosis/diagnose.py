"""Explains an error of the engine: its cause, lines and fix, from the tape and not from the program's text."""

from __future__ import annotations

import errno
import re
from typing import Any

from backscope.diagnosis.backward_call_errors import not_scalar, untracked, wrong_count, wrong_gradient
from backscope.diagnosis.recorded_facts import at_line, called, known_lines, node_ids, tensor_ids
from backscope.diagnosis.recorded_run import RecordedRun
from backscope.diagnosis.refusals import REFUSALS
from backscope.diagnosis.saved_tensor_errors import freed, leaf_in_place, modified
from backscope.protocol.events import Diagnosis
from backscope.runtime.error_facts import blame, facts_of

_UNCOVERED = re.compile(r"^Function Scatter\w* returned an invalid gradient at index 1 ")
_NO_DERIVATIVE = re.compile(r"derivative for (?:aten::)?(.*) is not implemented$")


def explain(error: BaseException, recorder: RecordedRun, line: int | None) -> Diagnosis | None:
    """Return the diagnosis of an error, or None for one that is not the engine's."""
    if isinstance(error, OSError) and error.errno == errno.EMFILE:
        return _no_files(line)
    if isinstance(error, RecursionError):
        from backscope.diagnosis.recursion import too_deep

        return too_deep(error, recorder, line)
    kind, facts = facts_of(error)
    make = _KINDS.get(kind)
    if make is not None:
        return make(recorder, line, facts)
    if kind == "forbidden_view":
        from backscope.diagnosis.forbidden_views import forbidden_view

        return forbidden_view(error, recorder, line, facts)
    if kind in REFUSALS:
        return _refused(recorder, line, kind, facts.get("tensor"))
    if kind == "uncovered" or (recorder.running and type(error) is RuntimeError and _UNCOVERED.search(str(error))):
        from backscope.diagnosis.uncovered_source import uncovered

        if kind != "uncovered":
            blame(error, "uncovered", node=recorder.running[-1])
        return uncovered(error, recorder, line, facts_of(error).found)
    missing = _NO_DERIVATIVE.match(str(error)) if recorder.running and type(error) is RuntimeError else None
    if missing is None:
        from backscope.diagnosis.grad_none import unset
        from backscope.diagnosis.rejections import rejected

        unread = unset(error, recorder)
        if unread is not None:
            return _unset(error, recorder, line, unread)
        found = rejected(error, recorder, line)
        if found is None and isinstance(error, NameError):
            from backscope.diagnosis.misspelling import misspelt

            return misspelt(error, recorder.user_globals or {}, line)
        if found is None and type(error) is IndexError:
            from backscope.diagnosis.list_index import beyond

            return beyond(error, recorder, line)
        return found
    blame(error, "underivable", node=recorder.running[-1], op=missing[1])
    return _underivable(recorder, line, facts_of(error).found)


def _refused(recorder: RecordedRun, line: int | None, kind: str, tensor: Any) -> Diagnosis:
    refusal = REFUSALS[kind]
    born = None if tensor is None else recorder.born_at(tensor)
    words = {"name": called(recorder, tensor, "this tensor"), "made": at_line(born)}
    cause, fix = refusal.cause.format(**words), refusal.fix.format(**words)
    return Diagnosis(
        cause=cause[0].upper() + cause[1:] if cause.startswith("this tensor") else cause,
        fix=fix,
        wrong_fix=None if refusal.wrong_fix is None else refusal.wrong_fix.format(**words),
        lines=known_lines(born, line),
        nodes=[],
        tensors=tensor_ids(tensor),
    )


def _underivable(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    node = facts["node"]
    made = recorder.made_at(node)
    return Diagnosis(
        cause=f"{facts['op']}, applied{at_line(made)}, has no derivative in PyTorch, or none of this order.",
        fix="Compute the same from ops that have one, or detach() what goes into it if it is to count as constant.",
        wrong_fix=(
            "Leaving create_graph=True out avoids the error for a second derivative; a penalty on the gradient then "
            "trains nothing."
        ),
        lines=known_lines(made, line),
        nodes=node_ids(node),
        tensors=[],
    )


def _unset(error: BaseException, recorder: RecordedRun, line: int | None, tensor: Any) -> Diagnosis:
    name = called(recorder, tensor, "this tensor")
    attribute = str(error.name) if isinstance(error, AttributeError) else "_"
    lacks = "nothing can be computed with None" if attribute.startswith("_") else f"None has no {attribute}"
    cause = f"{name}.grad is None{at_line(line)}, and {lacks}."
    return Diagnosis(
        cause=f"The .grad of {cause.replace('.grad is', ' is', 1)}" if name == "this tensor" else cause,
        fix=f"See to it that a backward pass reaches {name} before its .grad is read.",
        wrong_fix=f"Passing over it where .grad is None silences the error, and {name} has no gradient all the same.",
        lines=known_lines(recorder.born_at(tensor), line),
        nodes=[],
        tensors=tensor_ids(tensor),
    )


def _no_files(line: int | None) -> Diagnosis:
    return Diagnosis(
        cause="A program that the page runs has no files: it can neither open nor write one.",
        fix=(
            "Keep it in memory: torch.save(state, io.BytesIO()) and torch.load work on that, and a text can stand in "
            "the program itself. `backscope run FILE` in a terminal runs programs with files."
        ),
        lines=known_lines(line),
        nodes=[],
        tensors=[],
    )


def _nan(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    node, where = facts["node"], facts["where"]
    made = recorder.made_at(node)
    place = f"element {list(where)}" if where else "the value"
    values = ", ".join(f"{name} is {value:.4g}" for name, value in facts["found_in"])
    return Diagnosis(
        cause=(
            f"{node.name()}, made{at_line(made)}, computed NaN for input {facts['input_nr']}: {place} of its gradient "
            f"is not a number{'. There ' + values if values else ''}."
        ),
        fix=(
            "Keep the forward value away from where the derivative has no value, for instance with clamp or a small "
            "epsilon. Where an element is only masked out afterwards, replace it before the operation: zero times "
            "infinity is NaN."
        ),
        wrong_fix=(
            "Clipping gradients does not help, NaN stays NaN; nan_to_num on .grad puts a wrong zero where the cause is."
        ),
        lines=known_lines(made, line),
        nodes=node_ids(node),
        tensors=[],
    )


def _misspelled(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    return Diagnosis(
        cause=f"Tensors have no {facts['name']}, neither here nor in PyTorch.",
        fix=f"What comes nearest: {', '.join(facts['near'])}.",
        lines=known_lines(line),
        nodes=[],
        tensors=[],
    )


def _unlike_factors(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    first, second = facts["first"], facts["second"]
    (rows, given), (wanted, _) = first._data.shape, second._data.shape
    layer = second._grad_fn
    weight = getattr(layer.next[0], "variable", None) if layer is not None and layer.name() == "TBackward0" else None
    if weight is not None:
        left = called(recorder, first, "the input")
        right = called(recorder, weight, "The weight")
        cause = (
            f"{right} of shape {list(weight._data.shape)} takes {wanted} features, and {left} of shape {[rows, given]} "
            f"comes with {given}."
        )
        fix = (
            f"Let the layer take what it gets (in_features={given}), or let what comes before give {wanted} features. "
            "The last dim holds the features, those before it the batch."
        )
        wrong = "reshape() makes the numbers fit and mixes the features of different examples."
        second = weight
    else:
        left = called(recorder, first, "the left factor")
        right = called(recorder, second, "the right factor")
        cause = (
            f"A product needs as many columns on the left as rows on the right: {left} of shape {[rows, given]} has "
            f"{given} columns, {right} of shape {list(second._data.shape)} has {wanted} rows."
        )
        fix = f"Transpose a factor that lies the other way around ({right}.T), or make the two lengths alike."
        wrong = "reshape() in place of a transposition keeps the numbers in their order and gives another matrix."
    return Diagnosis(
        cause=cause,
        fix=fix,
        wrong_fix=wrong,
        lines=known_lines(recorder.born_at(first), recorder.born_at(second), line),
        nodes=[],
        tensors=[*tensor_ids(first), *tensor_ids(second)],
    )


def _without_cuda(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    return Diagnosis(
        cause="Backscope computes on the CPU: it has no CUDA, like PyTorch's build for the CPU.",
        fix='Choose the device by what there is: device = "cuda" if torch.cuda.is_available() else "cpu".',
        lines=known_lines(line),
        nodes=[],
        tensors=[],
    )


_KINDS = {
    "without_cuda": _without_cuda,
    "misspelled": _misspelled,
    "unlike_factors": _unlike_factors,
    "nan": _nan,
    "underivable": _underivable,
    "wrong_count": wrong_count,
    "freed": freed,
    "modified": modified,
    "not_scalar": not_scalar,
    "untracked": untracked,
    "leaf_in_place": leaf_in_place,
    "wrong_gradient": wrong_gradient,
}
