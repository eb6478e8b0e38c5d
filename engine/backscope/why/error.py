"""Why an error happened: the diagnosis that was made when it was raised, with what the log adds to it."""

from __future__ import annotations

import msgspec

from backscope import events as ev
from backscope.why.answer import amount, at, many
from backscope.why.facts import lines_of, until
from backscope.why.flow import as_number, descendants, first_cut, reached, remedy, told
from backscope.why.tape import Tape


def failure(tape: Tape, seq: int) -> ev.ErrorRaised | None:
    """The last error with a diagnosis by a moment."""
    return next((e for e in reversed(until(tape.errors, seq)) if e.diagnosis is not None), None)


def error(tape: Tape, seq: int) -> ev.Diagnosis:
    """Why the last error happened."""
    raised = failure(tape, seq)
    assert raised is not None and raised.diagnosis is not None
    found = raised.diagnosis
    if raised.node is not None and raised.node in tape.nodes and until(tape.nodes[raised.node].freed, raised.seq):
        return _freed(tape, raised, found)
    about = tape.tensors.get(found.tensors[0]) if len(found.tensors) == 1 and not found.nodes else None
    if about is not None and not about.requires_grad(raised.seq):
        return _untracked(tape, raised, found)
    return found


def _freed(tape: Tape, raised: ev.ErrorRaised, found: ev.Diagnosis) -> ev.Diagnosis:
    """What retain_graph=True would have kept: the buffers that the first pass freed."""
    assert raised.node is not None
    first = tape.nodes[raised.node].freed[0]
    call = next(
        (
            p
            for p in tape.passes.values()
            if p.started.seq < first.seq and (p.finished is None or p.finished.seq > first.seq)
        ),
        None,
    )
    roots = [] if call is None else call.started.root_nodes
    nodes = reached(tape, roots, first.seq) | {raised.node}
    buffers = [f for n in nodes for f in until(tape.nodes[n].freed, raised.seq)]
    size = sum({f.storage: f.nbytes for f in buffers}.values())
    return msgspec.structs.replace(
        found,
        nodes=lines_of(*found.nodes, *sorted(n for n in nodes if tape.nodes[n].freed)),
        evidence=[
            ev.Evidence(
                text=f"retain_graph=True would have kept {many(len(buffers), 'saved tensor')}, {amount(size)}",
                line=None if call is None else call.started.line,
                value=size,
            )
        ],
    )


def _untracked(tape: Tape, raised: ev.ErrorRaised, found: ev.Diagnosis) -> ev.Diagnosis:
    """The first place where the history ended."""
    root = found.tensors[0]
    cut = first_cut(tape, [root], raised.seq)
    if cut is None:
        leaves = [t.number for t in tape.tensors.values() if t.made.seq < raised.seq and t.requires_grad(raised.seq)]
        cut = as_number(tape, [root], raised.seq, descendants(tape, leaves, raised.seq))
    if cut is None:
        return found
    name, source = tape.name(root, raised.seq), tape.name(cut.source, cut.seq)
    return msgspec.structs.replace(
        found,
        cause=f"The history of {name} ends before it begins: {told(tape, cut)}",
        fix=remedy(cut),
        wrong_fix=f"{name}.requires_grad = True silences the error, and {source} still gets no gradient.",
        lines=lines_of(tape.tensors[cut.source].made.line, cut.line, *found.lines),
        nodes=lines_of(*found.nodes, tape.tensors[cut.source].receiver(cut.seq)),
        tensors=lines_of(*found.tensors, cut.source, cut.result),
        evidence=[ev.Evidence(text=f"History ends here: {cut.op}{at(cut.line)}", line=cut.line, tensor=cut.result)],
    )
