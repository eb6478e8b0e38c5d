"""Explains why a tensor's `.grad` is None."""

from __future__ import annotations

from backscope.diagnosis.why.answer import at, diagnosis, listed, values
from backscope.diagnosis.why.history_cut import cut_answer, description, found_cut, remedy
from backscope.diagnosis.why.leaf_uses import recorded, uses, whole_cut, why_unrecorded
from backscope.diagnosis.why.log.facts import TensorFacts, last, until
from backscope.diagnosis.why.log.flow import NO_HISTORY, as_number, descendants, first_cut, reached
from backscope.diagnosis.why.log.tape import Tape
from backscope.diagnosis.why.non_leaf import not_a_leaf
from backscope.diagnosis.why.unreached_leaf import not_reached
from backscope.protocol import events as ev

MOST_LINES = 5
"""The most lines that an answer names as those that used a leaf."""


def grad_none(tape: Tape, seq: int, tensor: int) -> ev.Diagnosis:
    """Explain why `.grad` of a tensor is None at a moment."""
    facts = tape.tensors[tensor]
    name = tape.name(tensor, seq)
    if not facts.requires_grad(seq):
        return _untracked(tape, seq, facts, name)
    if facts.grad_fn(seq) is not None:
        return not_a_leaf(tape, seq, facts, name)
    event = last(facts.grads, seq)
    cleared = event if isinstance(event, ev.GradCleared) else None
    since = -1 if cleared is None else cleared.seq
    passes = [p for p in tape.passes_until(seq, "backward") if p.started.seq > since]
    captured = last(tape.results.get(tensor, []), seq)
    if captured is not None and captured.seq > since and (passes or cleared is not None):
        node = facts.receiver(seq)
        if not any(node in reached(tape, p.started.root_nodes) for p in passes):
            later = [p for p in passes if p.started.seq > captured.seq]
            if later and (found := found_cut(tape, seq, facts, name, later)) is not None:
                return found
            return _returned(tape, captured, cleared, tensor, name)
    if cleared is not None and not passes:
        return _emptied(tape, cleared, tensor, name)
    if not passes:
        return _no_pass(tape, seq, tensor, name)
    return not_reached(tape, seq, facts, name, passes)


def _untracked(tape: Tape, seq: int, facts: TensorFacts, name: str) -> ev.Diagnosis:
    tensor = facts.number
    cut = first_cut(tape, [tensor], seq)
    if cut is not None:
        return diagnosis(
            f"{name} has no history: {description(tape, cut)} Gradients are only kept for tensors that require grad.",
            remedy(tape, cut),
            wrong_fix=(
                f"{name}.requires_grad_() makes it a new leaf: it then gets a gradient of its own, and "
                f"{tape.name(cut.source, cut.seq)} still gets none from it."
            ),
            lines=[cut.line, facts.made.line],
            nodes=[tape.tensors[cut.source].receiver(seq)],
            tensors=[tensor, cut.source],
        )
    kind = facts.info.value.dtype.rpartition(".")[2]
    if not kind.startswith(("float", "bfloat", "complex")):
        return diagnosis(
            f"{name}, made{at(facts.made.line)}, holds {kind} numbers. Only real and complex numbers can require grad.",
            "Make it with a decimal point (torch.tensor([1.0, 2.0], requires_grad=True)) or with dtype=torch.float32.",
            lines=[facts.made.line],
            tensors=[tensor],
        )
    off = facts.switched_off(seq)
    if off is not None:
        return diagnosis(
            f"requires_grad of {name} was set to False{at(off[0])}: gradients are neither computed nor kept for it.",
            f"Leave that out where {name} is to learn, or call {name}.requires_grad_() before it is used again.",
            wrong_fix=f"{name}.retain_grad() raises an error: it is for tensors that require grad.",
            lines=[facts.made.line, off[0]],
            tensors=[tensor],
        )
    if facts.written and not isinstance(facts.made, ev.TensorCreated):
        return diagnosis(
            f"{name}, made by {facts.written[-1].op}{at(facts.made.line)}, does not require grad, because nothing that "
            "it was computed from does.",
            "Set requires_grad=True on the tensor whose gradient you want before computing from it.",
            wrong_fix=(
                f"{name}.requires_grad = True after the fact gives {name} a gradient, but nothing behind it: what was "
                "computed before was not recorded."
            ),
            lines=[facts.made.line],
            tensors=[tensor, *[a.tensor for a in facts.written[-1].inputs]],
        )
    if isinstance(facts.made, ev.TensorCreated) and facts.made.origin in ("grad", "gradient"):
        return diagnosis(
            f"{name} is a gradient itself, and backward() computes it without a history of its own.",
            "Pass create_graph=True to the call that computes it, where it is to be differentiated again.",
            lines=[facts.made.line],
            tensors=[tensor],
        )
    return diagnosis(
        f"{name}, made{at(facts.made.line)}, does not require grad: gradients are neither computed nor kept for it.",
        "Make it with requires_grad=True, or call requires_grad_() before it is used.",
        lines=[facts.made.line],
        tensors=[tensor],
    )


def _returned(
    tape: Tape, captured: ev.GradientCaptured, cleared: ev.GradCleared | None, tensor: int, name: str
) -> ev.Diagnosis:
    line = tape.line_of_pass(captured.call)
    since = "" if cleared is None else f" since .grad was set to None{at(cleared.line)}"
    return diagnosis(
        f"torch.autograd.grad(){at(line)} returned the gradient of {name}, {values(captured.value)}, and left every "
        f".grad as it is; no backward() has come by {name}{since}.",
        f"Use what autograd.grad returned, or call backward() to fill {name}.grad.",
        lines=[line, None if cleared is None else cleared.line],
        nodes=[captured.node],
        tensors=[tensor],
    )


def _emptied(tape: Tape, event: ev.GradCleared, tensor: int, name: str) -> ev.Diagnosis:
    by = "the optimizer's zero_grad()" if event.by == "optimizer" else "the program"
    before = tape.accumulated(tensor, event.seq - 1)
    had = f" It was {values(_after(before[-1]))} until then." if before else ""
    return diagnosis(
        f"{name}.grad was set to None by {by}{at(event.line)}, and no backward() has run since.{had}",
        "Read .grad between backward() and zero_grad(), or call backward() again.",
        wrong_fix=(
            "zero_grad(set_to_none=False) only hides it: .grad then holds zeros in place of None, and momentum and "
            "weight decay move parameters that no gradient reached."
        ),
        lines=[event.line, *[tape.line_of_pass(e.call) for e in before]],
        tensors=[tensor],
    )


def _after(event: ev.GradAccumulated | ev.GradientCaptured) -> ev.Summary:
    return event.after if isinstance(event, ev.GradAccumulated) else event.value


def _no_pass(tape: Tape, seq: int, tensor: int, name: str) -> ev.Diagnosis:
    calls = tape.passes_until(seq, "grad")
    facts = tape.tensors[tensor]
    if calls:
        line = calls[-1].started.line
        return diagnosis(
            f"torch.autograd.grad(){at(line)} returns gradients and leaves every .grad as it is, and "
            "backward() has not run.",
            f"Use what autograd.grad returned, or call backward() to fill {name}.grad.",
            lines=[line],
            tensors=[tensor],
        )
    for raised in reversed(until(tape.errors, seq)):
        roots = (
            [] if raised.diagnosis is None or not NO_HISTORY.search(raised.message) else raised.diagnosis.tensors[:1]
        )
        below = descendants(tape, [tensor], raised.seq)
        cut = first_cut(tape, roots, raised.seq, below) or (
            as_number(tape, roots, raised.seq, below) if roots else None
        )
        if cut is not None:
            loss = tape.name(roots[0], raised.seq)
            return cut_answer(tape, facts, name, loss, cut, raised.line, facts.receiver(seq))
        if raised.diagnosis is not None and ".backward(" in tape.source_line(raised.line):
            return _failed(raised, raised.diagnosis, tensor, name)
    if (cut := whole_cut(tape, seq, facts)) is not None:
        return diagnosis(
            f"No backward() has reached {name}, and none can from the last result of it, which has no history: "
            f"{description(tape, cut)}",
            f"{remedy(tape, cut)} Then call backward() on the loss, where nothing does yet.",
            lines=[facts.made.line, tape.tensors[cut.source].made.line, cut.line],
            nodes=[facts.receiver(seq), tape.tensors[cut.source].receiver(cut.seq)],
            tensors=[tensor, cut.source, cut.result],
        )
    if (why := why_unrecorded(tape, seq, facts, name)) is not None:
        return diagnosis(
            f"No backward() has reached {name}, and none can, because the graph has nothing that was computed from it: "
            f"{why.cause}",
            f"{why.fix} Then call backward() on the loss.",
            lines=[facts.made.line, *why.lines],
            nodes=[facts.receiver(seq), *why.nodes],
            tensors=[tensor, *why.tensors],
        )
    used = uses(facts, seq)
    kept = [op for op in used if recorded(facts, op)]
    lines = list(dict.fromkeys(op.line for op in kept if op.line is not None))[:MOST_LINES]
    where = f" at line{'s' if len(lines) > 1 else ''} {listed([str(line) for line in lines])}" if lines else ""
    alone = " only" if len(kept) == len(used) else ""
    more = (
        f"{name} has been used{where}{alone} to build the graph."
        if kept
        else f"No op has computed anything from {name}."
    )
    compute = "Call backward() on the loss" if kept else f"Compute the loss from {name}, and call backward() on it"
    return diagnosis(
        f"backward() has not been called yet, and .grad is None until it is. {more}",
        f"{compute}; afterwards .grad holds its derivative.",
        lines=[facts.made.line, *lines],
        nodes=[facts.receiver(seq)],
        tensors=[tensor],
    )


def _failed(raised: ev.ErrorRaised, why: ev.Diagnosis, tensor: int, name: str) -> ev.Diagnosis:
    """Answer for a backward() that raised before its pass began."""
    return diagnosis(
        f"backward(){at(raised.line)} stopped with the {raised.type} before any gradient was computed, so that "
        f"{name}.grad is None as before. {why.cause}",
        why.fix,
        wrong_fix=why.wrong_fix,
        lines=[raised.line, *why.lines],
        nodes=why.nodes,
        tensors=[tensor, *why.tensors],
    )
