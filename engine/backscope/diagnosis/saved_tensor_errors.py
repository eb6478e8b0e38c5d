"""Diagnoses of errors about saved tensors: freed ones, and values that changed in place."""

from __future__ import annotations

from typing import Any

from backscope.diagnosis.recorded_facts import at_line, called, formula_name, known_lines, name_of, node_ids, tensor_ids
from backscope.diagnosis.recorded_run import RecordedRun
from backscope.protocol.events import Diagnosis


def freed(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    node = facts["node"]
    made, freed = recorder.made_at(node), recorder.freed_at(node)
    return Diagnosis(
        cause=(
            f"{formula_name(node)}, made{at_line(made)}, let go of its saved tensors when the graph ran "
            f"backward{at_line(freed)}; this pass needs them again."
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
        lines=known_lines(made, freed, line),
        nodes=node_ids(node),
        tensors=[],
    )


def modified(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    node, slot = facts["node"], facts["slot"]
    tensor, storage = recorder.saved_in(node, slot)
    saved, changed = recorder.made_at(node), recorder.changed_at(storage)
    name = name_of(recorder, tensor, "")
    what = f"its result {name}".rstrip() if facts["is_output"] else name or "a tensor"
    optimizer = recorder.stepped(storage)
    if optimizer is not None:
        return Diagnosis(
            cause=(
                f"{formula_name(node)} saved {what} as {slot}{at_line(saved)}, which shares memory with a parameter, "
                f"and {optimizer}.step() changed that parameter{at_line(changed)}. "
                "The formula needs the value as it was."
            ),
            fix=(
                "Call backward() for every loss that was computed with these parameters before step(), or compute the "
                "loss again after it. A graph kept with retain_graph=True is of the parameters before the step."
            ),
            wrong_fix="A step through .data goes unnoticed: the gradient is then wrong for either value.",
            lines=known_lines(saved, changed, line),
            nodes=node_ids(node),
            tensors=[] if tensor is None else [tensor],
        )
    return Diagnosis(
        cause=(
            f"{formula_name(node)} saved {what} as {slot}{at_line(saved)}, and an in-place operation changed "
            f"it{at_line(changed)}. The formula needs the value as it was."
        ),
        fix=(
            "Write the changed value to a new tensor (y = y + 1 instead of y += 1), or change it after backward(). "
            "clone() before the change works too, at the price of a copy."
        ),
        wrong_fix=(
            f".data hides the change from the version counter: backward() then computes with the wrong value of {what} "
            "and says nothing. Nor is every in-place op at fault: only what a node saved must stay as it was."
        ),
        lines=known_lines(saved, changed, line),
        nodes=node_ids(node),
        tensors=[] if tensor is None else [tensor],
    )


def leaf_in_place(recorder: RecordedRun, line: int | None, facts: dict[str, Any]) -> Diagnosis:
    tensor = facts["tensor"]
    name = called(recorder, tensor, "this leaf")
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
        lines=known_lines(recorder.born_at(tensor), line),
        nodes=[],
        tensors=tensor_ids(tensor),
    )
