"""Why an error of the engine happened: cause, lines and fix, from the tape and not from the program's text."""

from __future__ import annotations

import errno
import re
from typing import Any

from backscope.diagnosis.recorded_run import RecordedRun
from backscope.diagnosis.refusals import REFUSALS
from backscope.protocol.events import Diagnosis
from backscope.runtime.error_facts import blame, facts_of

_UNCOVERED = re.compile(r"^Function Scatter\w* returned an invalid gradient at index 1 ")
_NO_DERIVATIVE = re.compile(r"derivative for (?:aten::)?(.*) is not implemented$")


def explain(error: BaseException, recorder: RecordedRun, line: int | None) -> Diagnosis | None:
    """The diagnosis of an error, None for errors that are not the engine's."""
    if isinstance(error, OSError) and error.errno == errno.EMFILE:
        return _no_files(line)
    if isinstance(error, RecursionError):
        from backscope.diagnosis.recursion import too_deep

        return too_deep(error, recorder.user_globals, line)
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

            return beyond(error, recorder.user_globals, line)
        return found
    blame(error, "underivable", node=recorder.running[-1], op=missing[1])
    return _underivable(recorder, line, facts_of(error).found)


def _refused(recorder: RecordedRun, line: int | None, kind: str, tensor: Any) -> Diagnosis:
    said = REFUSALS[kind]
    born = None if tensor is None else recorder.born_at(tensor)
    words = {"name": _called(recorder, tensor, "this tensor"), "made": _at(born)}
    cause, fix = said.cause.format(**words), said.fix.format(**words)
    return Diagnosis(
        cause=cause[0].upper() + cause[1:] if cause.startswith("this tensor") else cause,
        fix=fix,
        wrong_fix=None if said.wrong_fix is None else said.wrong_fix.format(**words),
        lines=_lines(born, line),
        nodes=[],
        tensors=_token(tensor),
    )


def _underivable(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    node = facts["node"]
    made = recorder.made_at(node)
    return Diagnosis(
        cause=f"{facts['op']}, applied{_at(made)}, has no derivative in PyTorch, or none of this order.",
        fix="Compute the same from ops that have one, or detach() what goes into it if it is to count as constant.",
        wrong_fix=(
            "Leaving create_graph=True out avoids the error for a second derivative; a penalty on the gradient then "
            "trains nothing."
        ),
        lines=_lines(made, line),
        nodes=_numbers(recorder, node),
        tensors=[],
    )


def _unset(error: BaseException, recorder: RecordedRun, line: int | None, tensor: Any) -> Diagnosis:
    name = _called(recorder, tensor, "this tensor")
    asked = str(error.name) if isinstance(error, AttributeError) else "_"
    lacks = "nothing can be computed with None" if asked.startswith("_") else f"None has no {asked}"
    cause = f"{name}.grad is None{_at(line)}, and {lacks}."
    return Diagnosis(
        cause=f"The .grad of {cause.replace('.grad is', ' is', 1)}" if name == "this tensor" else cause,
        fix=f"See to it that a backward pass reaches {name} before its .grad is read.",
        wrong_fix=f"Passing over it where .grad is None silences the error, and {name} has no gradient all the same.",
        lines=_lines(recorder.born_at(tensor), line),
        nodes=[],
        tensors=_token(tensor),
    )


def _wrong_count(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    wanted, given = facts["wanted"], facts["given"]
    return Diagnosis(
        cause=(
            f"backward() of {facts['name'].removesuffix('Backward')} has to return one gradient for each argument of "
            f"forward(), {wanted} in all, and returned {given}."
        ),
        fix="Return a tuple in the order of forward()'s arguments, with None for those that need no gradient.",
        wrong_fix="Zeros for an argument that needs none cost memory and hide what was forgotten.",
        lines=_lines(line),
        nodes=_numbers(recorder, recorder.running[-1]) if recorder.running else [],
        tensors=[],
    )


def _no_files(line: int | None) -> Diagnosis:
    return Diagnosis(
        cause="A program that the page runs has no files: it can neither open nor write one.",
        fix=(
            "Keep it in memory: torch.save(state, io.BytesIO()) and torch.load work on that, and a text can stand in "
            "the program itself. `backscope run FILE` in a terminal runs programs with files."
        ),
        lines=_lines(line),
        nodes=[],
        tensors=[],
    )


def _numbers(recorder: RecordedRun, node: Any) -> list[int]:
    return [node.token.node] if node is not None and node.token is not None else []


def _name(recorder: RecordedRun, number: int | None, otherwise: str) -> str:
    return recorder.names.get(number, otherwise) if number is not None else otherwise


def _called(recorder: RecordedRun, tensor: Any, otherwise: str) -> str:
    return _name(recorder, next(iter(_token(tensor)), None), otherwise)


def _formula(node: Any) -> str:
    """A node's name without C++ namespaces."""
    return str(node.name().removeprefix(node.prefix))


def _lines(*lines: int | None) -> list[int]:
    return [x for x in dict.fromkeys(lines) if x is not None]


def _at(line: int | None) -> str:
    return "" if line is None else f" at line {line}"


def _freed(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    node = facts["node"]
    made, freed = recorder.made_at(node), recorder.freed_at(node)
    return Diagnosis(
        cause=(
            f"{_formula(node)}, made{_at(made)}, let go of its saved tensors when the graph ran backward{_at(freed)}; "
            "this pass needs them again."
        ),
        fix=(
            "Compute the forward pass again before the second backward(), or add the losses and call backward() once. "
            "Where the same graph must really run twice, pass retain_graph=True to every call but the last: its saved "
            "tensors then stay in memory. A value carried over from an earlier round of a loop brings that round's "
            "graph along: detach() it."
        ),
        wrong_fix=(
            "retain_graph=True on every call makes the error go away and keeps every graph in memory; where the graph "
            "comes from an earlier round of a loop, each round then runs backward through all rounds before it."
        ),
        lines=_lines(made, freed, line),
        nodes=_numbers(recorder, node),
        tensors=[],
    )


def _modified(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    node, slot = facts["node"], facts["slot"]
    tensor, storage = recorder.saved_in(node, slot)
    saved, changed = recorder.made_at(node), recorder.changed_at(storage)
    name = _name(recorder, tensor, "")
    what = f"its result {name}".rstrip() if facts["is_output"] else name or "a tensor"
    optimizer = recorder.stepped(storage)
    if optimizer is not None:
        return Diagnosis(
            cause=(
                f"{_formula(node)} saved {what} as {slot}{_at(saved)}, which shares memory with a parameter, and "
                f"{optimizer}.step() changed that parameter{_at(changed)}. The formula needs the value as it was."
            ),
            fix=(
                "Call backward() for every loss that was computed with these parameters before step(), or compute the "
                "loss again after it. A graph kept with retain_graph=True is of the parameters before the step."
            ),
            wrong_fix="A step through .data goes unnoticed: the gradient is then wrong for either value.",
            lines=_lines(saved, changed, line),
            nodes=_numbers(recorder, node),
            tensors=[] if tensor is None else [tensor],
        )
    return Diagnosis(
        cause=(
            f"{_formula(node)} saved {what} as {slot}{_at(saved)}, and an in-place operation changed "
            f"it{_at(changed)}. The formula needs the value as it was."
        ),
        fix=(
            "Write the changed value to a new tensor (y = y + 1 instead of y += 1), or change it after backward(). "
            "clone() before the change works too, at the price of a copy."
        ),
        wrong_fix=(
            f".data hides the change from the version counter: backward() then computes with the wrong value of {what} "
            "and says nothing. Nor is every in-place op at fault: only what a node saved must stay as it was."
        ),
        lines=_lines(saved, changed, line),
        nodes=_numbers(recorder, node),
        tensors=[] if tensor is None else [tensor],
    )


def _not_scalar(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
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
        lines=_lines(line),
        nodes=[],
        tensors=_token(facts["tensor"]),
    )


def _token(tensor: Any) -> list[int]:
    """The number of a recorded tensor; None for a tensor of which only its edge was given."""
    return [tensor._token.tensor] if tensor is not None and tensor._token is not None else []


def switched_on(name: str) -> str:
    """The change that silences an error, of a tensor with or without a name of its own."""
    return f"requires_grad = True on {name}" if " " in name else f"{name}.requires_grad = True"


def _untracked(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    tensor = facts["tensor"]
    name = _called(recorder, tensor, "this tensor")
    made = recorder.born_at(tensor)
    return Diagnosis(
        cause=(
            f"No history leads to {name}, made{_at(made)}: nothing it was computed from requires grad, or the history "
            "was cut by detach(), no_grad(), item() or an integer dtype."
        ),
        fix=(
            "Set requires_grad=True on the leaf before computing from it, and compute the loss from it without a cut."
        ),
        wrong_fix=f"{switched_on(name)} silences the error and gives the leaf no gradient.",
        lines=_lines(made, line),
        nodes=[],
        tensors=_token(tensor),
    )


def _leaf_in_place(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    tensor = facts["tensor"]
    name = _called(recorder, tensor, "this leaf")
    return Diagnosis(
        cause=(
            f"{name} is a leaf that requires grad: its gradient belongs to the value that it has now, and an in-place "
            "change would lose that value."
        ),
        fix=(
            "To update a parameter, put the change inside `with torch.no_grad():`. To compute with it, use an "
            "operation that gives a new tensor."
        ),
        wrong_fix=f"{name}.data goes unnoticed, also where a node has saved the value that it changes.",
        lines=_lines(recorder.born_at(tensor), line),
        nodes=[],
        tensors=_token(tensor),
    )


def _wrong_gradient(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    wanted, given = list(facts["wanted"]), list(facts["given"])
    return Diagnosis(
        cause=(
            f"gradient= has shape {given}, and the tensor that backward() starts from has shape {wanted}; it takes "
            "one number for each element."
        ),
        fix=(f"Pass a gradient of shape {wanted}."),
        wrong_fix="expand() to the shape repeats numbers: right only where each element is to have the same weight.",
        lines=_lines(line),
        nodes=[],
        tensors=_token(facts["tensor"]),
    )


def _nan(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    node, where = facts["node"], facts["where"]
    made = recorder.made_at(node)
    place = f"element {list(where)}" if where else "the value"
    met = ", ".join(f"{name} is {value:.4g}" for name, value in facts["met"])
    return Diagnosis(
        cause=(
            f"{node.name()}, made{_at(made)}, computed NaN for input {facts['input_nr']}: {place} of its gradient "
            f"is not a number{'. There ' + met if met else ''}."
        ),
        fix=(
            "Keep the forward value away from where the derivative has no value, for instance with clamp or a small "
            "epsilon. Where an element is only masked out afterwards, replace it before the operation: zero times "
            "infinity is NaN."
        ),
        wrong_fix=(
            "Clipping gradients does not help, NaN stays NaN; nan_to_num on .grad puts a wrong zero where the cause is."
        ),
        lines=_lines(made, line),
        nodes=_numbers(recorder, node),
        tensors=[],
    )


def _misspelled(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    return Diagnosis(
        cause=f"Tensors have no {facts['name']}, neither here nor in PyTorch.",
        fix=f"What comes nearest: {', '.join(facts['near'])}.",
        lines=_lines(line),
        nodes=[],
        tensors=[],
    )


def _unlike_factors(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    first, second = facts["first"], facts["second"]
    (rows, given), (wanted, _) = first._data.shape, second._data.shape
    layer = second._grad_fn
    weight = getattr(layer.next[0], "variable", None) if layer is not None and layer.name() == "TBackward0" else None
    if weight is not None:
        left = _called(recorder, first, "the input")
        right = _called(recorder, weight, "The weight")
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
        left = _called(recorder, first, "the left factor")
        right = _called(recorder, second, "the right factor")
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
        lines=_lines(recorder.born_at(first), recorder.born_at(second), line),
        nodes=[],
        tensors=[*_token(first), *_token(second)],
    )


def _without_cuda(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    return Diagnosis(
        cause="Backscope computes on the CPU: it has no CUDA, like PyTorch's build for the CPU.",
        fix='Choose the device by what there is: device = "cuda" if torch.cuda.is_available() else "cpu".',
        lines=_lines(line),
        nodes=[],
        tensors=[],
    )


_KINDS = {
    "without_cuda": _without_cuda,
    "misspelled": _misspelled,
    "unlike_factors": _unlike_factors,
    "nan": _nan,
    "underivable": _underivable,
    "wrong_count": _wrong_count,
    "freed": _freed,
    "modified": _modified,
    "not_scalar": _not_scalar,
    "untracked": _untracked,
    "leaf_in_place": _leaf_in_place,
    "wrong_gradient": _wrong_gradient,
}
