"""The questions that can be asked about a tensor, a node or the run at a moment, and their answers."""

from __future__ import annotations

from collections.abc import Callable

from backscope.diagnosis.why.absence import grad_none
from backscope.diagnosis.why.accumulation import grad_value
from backscope.diagnosis.why.answer import at
from backscope.diagnosis.why.error import error, error_caught
from backscope.diagnosis.why.flatness import is_zero
from backscope.diagnosis.why.graph_memory.growth import grown, memory
from backscope.diagnosis.why.graph_memory.reference_cycle import cycle, cycles
from backscope.diagnosis.why.log.facts import is_odd
from backscope.diagnosis.why.log.tape import Tape
from backscope.diagnosis.why.missed_hooks import hook_missed, missed
from backscope.diagnosis.why.nonfinite import first_odd, is_masked, kind, nonfinite, nonfinite_run
from backscope.diagnosis.why.question import Key, NotAsked, Question, Subject
from backscope.diagnosis.why.repeated_runs import function, recomputations, recomputed
from backscope.diagnosis.why.uncaught import caught, failure
from backscope.diagnosis.why.unchanged import stays, stuck, unchanged
from backscope.diagnosis.why.zero import grad_small, grad_zero, is_small
from backscope.protocol import events as ev

_OF_TENSORS: dict[Key, Callable[[Tape, int, int], ev.Diagnosis]] = {
    "grad_none": grad_none,
    "grad_zero": grad_zero,
    "grad_small": grad_small,
    "grad_value": grad_value,
    "nonfinite": nonfinite,
    "cycle": cycle,
    "hook_missed": hook_missed,
    "unchanged": unchanged,
}

_OF_RUNS: dict[Key, Callable[[Tape, int], ev.Diagnosis]] = {
    "error": error,
    "hook_missed": hook_missed,
    "recomputed": recomputed,
    "nonfinite": nonfinite_run,
    "memory": memory,
    "caught": error_caught,
}

_GAPS = (LookupError, ArithmeticError, AssertionError, AttributeError, StopIteration, TypeError)
"""The errors that a log with gaps causes, such as a truncated trace or one from another tool."""

KEYS = frozenset([*_OF_TENSORS, *_OF_RUNS])
"""The keys of all questions."""


def questions(tape: Tape, seq: int, about: Subject) -> list[Question]:
    """Return the questions that can be asked about a subject at a moment, the most useful first.

    Raises: NotAsked for a tensor or node that the tape does not have at that moment.
    """
    tensor = _tensor(tape, seq, about)
    try:
        if about.tensor is None and about.node is None:
            asked = [Question(key=key, text=text, about=about) for key, text in _about_run(tape, seq)]
            return [*asked, *_about_parameters(tape, seq)]
        found = [] if tensor is None else _about_tensor(tape, seq, tensor)
    except _GAPS as gap:
        raise NotAsked(f"The log of the run does not hold together by event {seq} ({_what(gap)}).") from gap
    return [Question(key=key, text=text, about=about) for key, text in found]


def ask(tape: Tape, seq: int, key: Key, about: Subject) -> ev.Diagnosis:
    """Answer a question about a subject at a moment.

    Raises: NotAsked where the question does not exist, makes no sense of this subject, or the log lacks what it needs.
    """
    if key not in KEYS:
        raise NotAsked(f"There is no question {key!r}; there are {', '.join(sorted(KEYS))}.")
    if key not in [question.key for question in questions(tape, seq, about)] and not _not_offered(
        tape, seq, key, about
    ):
        raise NotAsked(f"At event {seq} the question {key!r} does not arise for {_called(tape, seq, about)}.")
    try:
        if about.tensor is None and about.node is None:
            return _OF_RUNS[key](tape, seq)
        tensor = _tensor(tape, seq, about)
        assert tensor is not None
        return _OF_TENSORS[key](tape, seq, tensor)
    except _GAPS as gap:
        raise NotAsked(f"The log of the run lacks what the answer needs ({_what(gap)}).") from gap


def _not_offered(tape: Tape, seq: int, key: Key, about: Subject) -> bool:
    """Return whether a question has an answer though it is not offered.

    The origin of a mask's infinities is of no use, and another question covers the value of a zero gradient.
    """
    if key == "grad_value" and (tensor := _tensor(tape, seq, about)) is not None:
        return tape.grad(tensor, seq) is not None
    return key == "nonfinite" and about.tensor is None and about.node is None and first_odd(tape, seq) is not None


def _what(gap: Exception) -> str:
    return f"{type(gap).__name__}: {gap}"[:200]


def _called(tape: Tape, seq: int, about: Subject) -> str:
    if about.tensor is not None:
        return tape.name(about.tensor, seq)
    return "the run" if about.node is None else f"node {about.node}"


def _tensor(tape: Tape, seq: int, about: Subject) -> int | None:
    """Return the tensor that a question is about; for a node its leaf or the result of its op."""
    if about.tensor is None and about.node is None:
        return None
    if about.tensor is not None:
        facts = tape.tensors.get(about.tensor)
        if facts is None or facts.made.seq > seq:
            raise NotAsked(f"There is no tensor {about.tensor} at event {seq}.")
        return about.tensor
    node = None if about.node is None else tape.nodes.get(about.node)
    if node is None or node.seq > seq:
        raise NotAsked(f"There is no node {about.node} at event {seq}.")
    if node.leaf is not None and node.leaf in tape.tensors:
        return node.leaf
    return next((t for t in node.outputs if t in tape.tensors), None)


def _about_run(tape: Tape, seq: int) -> list[tuple[Key, str]]:
    found: list[tuple[Key, str]] = []
    raised = failure(tape, seq)
    if raised is not None:
        found.append(("error", f"Why did the {raised.type} happen?"))
    if first_odd(tape, seq) is not None and not is_masked(tape, seq):
        found.append(("nonfinite", "Where does the first NaN or infinity come from?"))
    if grown(tape, seq):
        found.append(("memory", "Why does memory keep growing?"))
    not_run = missed(tape, seq)
    if not_run:
        found.append(("hook_missed", f"Why did {_hook(not_run[0].hook)} not run?"))
    if again := recomputations(tape, seq):
        found.append(("recomputed", f"Why did {function(tape, again[-1])} run twice?"))
    if (before := caught(tape, seq)) is not None:
        found.append(("caught", f"Why did the {before.type}{at(before.line)} happen, which was caught?"))
    return found


def _about_parameters(tape: Tape, seq: int) -> list[Question]:
    """Return the question about a parameter that no step has changed, where no error ended the run."""
    tensor = None if failure(tape, seq) is not None else stuck(tape, seq)
    if tensor is None:
        return []
    text = f"Why did {tape.name(tensor, seq)} not change?"
    return [Question(key="unchanged", text=text, about=Subject(tensor=tensor))]


def _hook(name: str) -> str:
    return "the hook" if name == "hook" else f"the hook {name}"


def _grad_of(name: str) -> str:
    return f"the .grad of {name}" if " " in name else f"{name}.grad"


def _about_tensor(tape: Tape, seq: int, tensor: int) -> list[tuple[Key, str]]:
    name = tape.name(tensor, seq)
    found = _about_value(tape, seq, tensor, name)
    if stays(tape, seq, tensor):
        found.append(("unchanged", f"Why did {name} not change?"))
    return found


def _about_value(tape: Tape, seq: int, tensor: int, name: str) -> list[tuple[Key, str]]:
    """Return the questions about a tensor's value and gradient."""
    found: list[tuple[Key, str]] = []
    not_run = missed(tape, seq, tensor)
    if not_run:
        found.append(("hook_missed", f"Why did {_hook(not_run[0].hook)} not run?"))
    value, grad = tape.value(tensor, seq), tape.grad(tensor, seq)
    if value is not None and is_odd(value):
        found.append(("nonfinite", f"Where does the {kind(value)} in {name} come from?"))
    if grad is None:
        return [*found, ("grad_none", f"Why is {_grad_of(name)} None?")]
    if is_odd(grad) and not found and tape.accumulated(tensor, seq):
        found.append(("nonfinite", f"Where does the {kind(grad)} in {_grad_of(name)} come from?"))
    if is_zero(grad):
        found.append(("grad_zero", f"Why is {_grad_of(name)} zero?"))
    elif is_small(tape, seq, tensor):
        found.append(("grad_small", f"Why is {_grad_of(name)} so small?"))
    if tensor in cycles(tape, seq):
        found.append(("cycle", f"Why is {name} not freed?"))
    if is_zero(grad) or (is_odd(grad) and any(key == "nonfinite" for key, _ in found)):
        return found  # That question covers the origin of the value as well.
    return [*found, ("grad_value", f"Why does {_grad_of(name)} have this value?")]
