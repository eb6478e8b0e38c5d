"""What was computed from a leaf: the ops that the graph has, and why it has none of the others."""

from __future__ import annotations

from backscope.diagnosis.why.answer import at, diagnosis
from backscope.diagnosis.why.history_cut import description, remedy
from backscope.diagnosis.why.log.facts import TensorFacts, until
from backscope.diagnosis.why.log.flow import Cut, descendants, first_cut
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev


def uses(facts: TensorFacts, seq: int) -> list[ev.OpApplied]:
    """Return the ops that computed other tensors from a leaf; those that write into it alone, as to fill it, do not."""
    return [op for op in until(facts.used, seq) if any(out.tensor != facts.number for out in op.outputs)]


def recorded(facts: TensorFacts, op: ev.OpApplied) -> bool:
    """Return whether an op made a node that sends a gradient to a leaf."""
    own = {number for _, number in facts.accumulate}
    return op.node is not None and any(edge is not None and edge.node in own for edge in op.node.next_functions)


def results(tape: Tape, seq: int, facts: TensorFacts) -> list[TensorFacts]:
    """Return what was computed from a leaf, in order, and nothing was computed from in turn.

    Aliases and views that the program filled it through are no results, nor is `.data` that no variable has.
    """
    below = descendants(tape, [facts.number], seq) & tape.tensors.keys()
    taken = {tape.source(one) for one in below}  # As `.data` takes a value.
    found = [
        one
        for one in (tape.tensors[number] for number in below - taken)
        if one.made.seq > facts.made.seq
        and all(out.tensor == one.number for op in until(one.used, seq) for out in op.outputs)
        and (one.info.storage != facts.info.storage or not _for_filling(one, seq))
    ]
    return sorted(found, key=lambda one: one.made.seq)


def _for_filling(alias: TensorFacts, seq: int) -> bool:
    """Return whether an alias of a leaf was, or may be, there to write through, as `.data` in `w.data.fill_(0)`."""
    unnamed = isinstance(alias.made, ev.TensorCreated) and not until(alias.names, seq)
    return unnamed or any(op.in_place for op in until(alias.used, seq))


def whole_cut(tape: Tape, seq: int, facts: TensorFacts) -> Cut | None:
    """Return the last cut of a leaf's history where none of its results has one."""
    ends = results(tape, seq, facts)
    if any(one.requires_grad(seq) for one in ends):
        return None
    return _last_cut(tape, seq, facts, ends)


def _last_cut(tape: Tape, seq: int, facts: TensorFacts, ends: list[TensorFacts]) -> Cut | None:
    below = descendants(tape, [facts.number], seq)
    found = (first_cut(tape, [one.number], seq, below) for one in reversed(ends))
    return next((cut for cut in found if cut is not None), None)


def why_unrecorded(tape: Tape, seq: int, facts: TensorFacts, name: str) -> ev.Diagnosis | None:
    """Say why the graph has nothing that was computed from a leaf; None where it has, or where nothing was."""
    used = uses(facts, seq)
    if any(recorded(facts, op) for op in used):
        return None
    if (cut := _last_cut(tape, seq, facts, results(tape, seq, facts))) is not None:
        return diagnosis(
            description(tape, cut),
            remedy(tape, cut),
            lines=[cut.line],
            nodes=[tape.tensors[cut.source].receiver(cut.seq)],
            tensors=[cut.source, cut.result],
        )
    early = [op for op in used if not facts.requires_grad(op.seq)]
    if not early:
        return None
    op = early[-1]
    return diagnosis(
        f"{op.op}{at(op.line)} was given {name} when it did not require grad, so that nothing was recorded of what it "
        f"did to {name}.",
        f"Let {name} require grad before anything is computed from it.",
        lines=[op.line],
        tensors=[out.tensor for out in op.outputs],
    )
