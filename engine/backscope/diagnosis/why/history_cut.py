"""A cut in the history of a value: finds it for an answer, describes it, and says what to write instead."""

from __future__ import annotations

import re

from backscope.diagnosis.why.answer import at, diagnosis, listed
from backscope.diagnosis.why.log.facts import PassFacts, TensorFacts, last
from backscope.diagnosis.why.log.flow import Cut, as_number, descendants, first_cut
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev

RECENT = 8
"""The most passes that are searched for a cut."""

_FUNCTIONAL = (
    "Run the module with the computed tensors in place of its parameters: torch.func.functional_call(module, "
    '{"weight": w, ...}, (x,)) takes a dict of them by the names of named_parameters(), and keeps their history. For a '
    "single layer its function does, as F.linear(x, w, b)."
)


def _word(tape: Tape, cut: Cut) -> str:
    """Return the call that copies values in the program's line, such as "load_state_dict"; "" where there is none."""
    text = tape.source_line(cut.line)
    for word in ("load_state_dict", "vector_to_parameters", "deepcopy", "state_dict", "clone_module"):
        if re.search(rf"\b{word}\(", text):
            return word
    return ""


def description(tape: Tape, cut: Cut) -> str:
    """Describe a cut in a sentence."""
    source, where, word = tape.name(cut.source, cut.seq), at(cut.line), _word(tape, cut)
    if cut.kind in ("copied", "assigned"):
        target = tape.name(cut.result, cut.seq)
        by = f"{word}()" if word else f"{cut.op}()" if cut.kind == "copied" else "The assignment to .data"
        how = ", under torch.no_grad()," if tape.mode(cut.seq) == "no_grad" else ", through .data,"
        how = "" if word or cut.kind == "assigned" else how
        does = "copies" if word or cut.op in ("copy_", ".data") else "writes"
        return (
            f"{by}{where}{how} {does} the values of {source} into {target} without their history: {target} stays a "
            "leaf of its own, and gradients go to it and no further."
        )
    if cut.kind == "detach" and word == "state_dict":
        return f"state_dict(){where} gives the values of {source} without its history."
    if cut.kind == "detach" and word == "load_state_dict":
        return f"load_state_dict(){where} copies the values of {source} and leaves its history behind."
    if cut.kind == "detach":
        return f"detach(){where} takes the value of {source} and leaves its history behind."
    if cut.kind == "data":
        return f".{cut.op}{where} takes the value of {source} and leaves its history behind."
    if cut.kind == "parameter":
        name = tape.name(cut.result, tape.seq)
        return (
            f"{name}, made{where}, is a leaf of its own with the value of {source}: gradients go to it and no further."
        )
    if cut.kind in ("no_grad", "inference"):
        block = "under torch.no_grad()" if cut.kind == "no_grad" else "in inference mode"
        since = _since(tape, cut)
        return f"{cut.op}{where} ran {block}{since} so that nothing was recorded of what it did to {source}."
    if cut.kind == "function":
        return f"{cut.op}{where} ran inside forward() of a custom Function, where nothing is recorded for {source}."
    if cut.kind == "dtype":
        dtype = tape.tensors[cut.result].info.value.dtype.rpartition(".")[2]
        return f"{cut.op}{where} makes {dtype} numbers of {source}: whole numbers and booleans have no gradient."
    if cut.kind == "checkpoint":
        return f"{cut.op}{where} ran inside checkpoint(use_reentrant=True), which records nothing for {source}."
    if cut.kind == "number" and cut.op == "from_numpy":
        return f"from_numpy(){where} was given an array that has the value of {source}: an array has no history."
    if _is_copy(tape, cut):
        return f"torch.{cut.op}(){where} copies the value of {source} without its history."
    if cut.kind == "number":
        return (
            f"{cut.op}{where} was given plain numbers that are the value of {source}, as item(), float(), tolist() or "
            "numpy() return it: a number has no history."
        )
    return f"{cut.op}{where} has no derivative, so that the history of {source} ends there."


def _is_copy(tape: Tape, cut: Cut) -> bool:
    """Return whether torch.tensor() was given the tensor by its name."""
    name = re.escape(tape.name(cut.source, cut.seq))
    text = tape.source_line(cut.line)
    return cut.kind == "number" and re.search(rf"\btensor\(\s*(data=)?{name}\s*[,)]", text) is not None


def _since(tape: Tape, cut: Cut) -> str:
    """Return a phrase with the line since which gradients are switched off, unless it is right above."""
    mode = last(tape.modes, cut.seq)
    if mode is None or mode.line is None or cut.line is None or cut.line - 1 <= mode.line <= cut.line:
        return ","
    return f", in force since line {mode.line},"


def remedy(tape: Tape, cut: Cut) -> str:
    """Return what to write instead of a cut."""
    word = _word(tape, cut)
    if cut.kind in ("copied", "assigned"):
        return _FUNCTIONAL
    if cut.kind == "parameter" and word != "deepcopy":
        return f"Make the Parameter first and compute from it: a leaf can't be a result of others. {_FUNCTIONAL}"
    if cut.kind == "parameter":
        name = tape.name(cut.result, tape.seq)
        look = f"Look at {name}.grad, which has the gradient, or compute with the original"
        if cut.op != "Parameter":
            return f"{look}; {tape.name(cut.source, cut.seq)}.clone() is a copy that sends its gradient back to it."
        return (
            f"{look}; two modules share a parameter only where both are given the same object, not a copy. "
            f"{_FUNCTIONAL}"
        )
    if cut.kind == "detach" and word == "load_state_dict":
        return _FUNCTIONAL
    if cut.kind == "detach" and word == "state_dict":
        return (
            "Take dict(model.named_parameters()), or state_dict(keep_vars=True): these are the parameters themselves."
        )
    if cut.kind in ("detach", "data"):
        word = "detach()" if cut.kind == "detach" else f".{cut.op}"
        return f"Leave out {word} where the gradient is to go through; keep it only for what is shown or stored."
    if cut.kind in ("no_grad", "inference"):
        return (
            "Move what belongs to the loss out of the block; keep the block for updates and for evaluation. "
            "torch.set_grad_enabled(False) without a with statement has no end: it lasts until True is set."
        )
    if cut.kind == "function":
        return "Return it from forward() as an output: then backward() is given its gradient."
    if cut.kind == "dtype":
        return (
            "Compute the loss from the real numbers before this op: from scores instead of argmax, from a smooth "
            "function instead of a comparison."
        )
    if cut.kind == "checkpoint":
        return "Pass use_reentrant=False: it finds tensors that the function uses without being given them."
    if _is_copy(tape, cut):
        name = tape.name(cut.source, cut.seq)
        return f"Use {name} itself, or {name}.clone() where another tensor is needed: a clone keeps the history."
    if cut.kind == "number" and cut.op == "from_numpy":
        return (
            "Compute with torch in place of numpy on the way: what is done to an array is not recorded. Where it has "
            "to be numpy, a torch.autograd.Function whose backward() gives the derivative goes around it."
        )
    if cut.kind == "number" and cut.op in ("tensor", "as_tensor"):
        return (
            "Go on computing with the tensor itself: torch.stack() or torch.cat() make one of several with their "
            "history, torch.tensor() only of numbers; item() is for what is printed or logged."
        )
    if cut.kind == "number":
        return "Go on computing with the tensor itself; item() is for what is printed or logged."
    return "Use an op that has a derivative."


def found_cut(tape: Tape, seq: int, facts: TensorFacts, name: str, passes: list[PassFacts]) -> ev.Diagnosis | None:
    """Answer with the cut between the roots of the last passes and a tensor; None where there is none."""
    recent = [p.started for p in passes[: -RECENT - 1 : -1]]
    for search in (first_cut, as_number):
        for begun in recent:
            cut = search(tape, begun.roots, begun.seq, descendants(tape, [facts.number], begun.seq))
            if cut is not None:
                return cut_answer(tape, facts, name, loss_name(tape, begun), cut, begun.line, facts.receiver(seq))
    return None


def cut_answer(
    tape: Tape, facts: TensorFacts, name: str, loss: str, cut: Cut, line: int | None, node: int | None
) -> ev.Diagnosis:
    """Answer with a cut between the root called `loss` and the tensor called `name`."""
    return diagnosis(
        f"The way from {loss} back to {name} is cut: {description(tape, cut)}",
        remedy(tape, cut),
        wrong_fix=(
            f"requires_grad_() on what comes after the cut silences errors and starts a new graph there: {name} still "
            "gets nothing."
        ),
        lines=[facts.made.line, tape.tensors[cut.source].made.line, cut.line, line],
        nodes=[node, tape.tensors[cut.source].receiver(cut.seq)],
        tensors=[facts.number, cut.source, cut.result],
    )


def loss_name(tape: Tape, started: ev.BackwardStarted) -> str:
    """Return the names of the roots of a pass."""
    names = [tape.name(root, started.seq) for root in started.roots if root in tape.tensors]
    return listed([name for name in names if not name.startswith("the ")]) or "the loss"
