"""Explains errors: the diagnosis from the moment when one was raised, with what the log adds to it."""

from __future__ import annotations

import re

import msgspec

from backscope.diagnosis.backward_call_errors import switched_on
from backscope.diagnosis.uncovered_source import UNCOVERED, sentences
from backscope.diagnosis.why.absence import grad_none
from backscope.diagnosis.why.answer import amount, at, listed, many
from backscope.diagnosis.why.decomposition import degenerate, sentence
from backscope.diagnosis.why.history_cut import description, remedy
from backscope.diagnosis.why.in_place_changes import FORBIDDEN, hooked, remedy as remedy_in_place
from backscope.diagnosis.why.log.facts import NodeFacts, TensorFacts, lines_of, until
from backscope.diagnosis.why.log.flow import NO_HISTORY, as_number, descendants, first_cut, leaves, reached
from backscope.diagnosis.why.log.tape import Tape
from backscope.diagnosis.why.losses import undefined
from backscope.diagnosis.why.uncaught import caught, failure, own
from backscope.protocol import events as ev
from backscope.protocol.op_names import name_of

_NAN = "returned nan values in its"
_CHANGED = "has been modified by an inplace operation"
_OVER_NONE = re.compile(r"\bNoneType\b")
_EMPTYING = re.compile(r"'zero_'$")
MOST = 5
"""The most tensors that an answer names."""


def error(tape: Tape, seq: int) -> ev.Diagnosis:
    """Explain the last error."""
    raised = failure(tape, seq)
    assert raised is not None
    return explained(tape, seq, raised)


def error_caught(tape: Tape, seq: int) -> ev.Diagnosis:
    """Explain the error that the program caught before the last one."""
    raised = caught(tape, seq)
    assert raised is not None
    return explained(tape, raised.seq, raised)


def explained(tape: Tape, seq: int, raised: ev.ErrorRaised) -> ev.Diagnosis:
    """Explain an error by the diagnosis from when it was raised, and by what the log adds to that."""
    found = raised.diagnosis
    if found is None:
        return own(tape, seq, raised)
    # Before what was freed: a node that computed NaN has freed what it saved by the time that it raises.
    if raised.node in tape.nodes and _NAN in raised.message:
        return _not_a_number(tape, tape.nodes[raised.node], found)
    if raised.node is not None and raised.node in tape.nodes and until(tape.nodes[raised.node].freed, raised.seq):
        return _freed(tape, raised, found)
    if raised.node is not None and raised.node in tape.nodes and _CHANGED in raised.message:
        return _modified(tape, raised, found)
    if raised.node in tape.nodes and (match := UNCOVERED.search(raised.message)) is not None:
        return _uncovered(tape, tape.nodes[raised.node], match, found)
    if FORBIDDEN.search(raised.message):
        return hooked(tape, raised, found)
    about = tape.tensors.get(found.tensors[0]) if len(found.tensors) == 1 and not found.nodes else None
    if about is not None and _OVER_NONE.search(raised.message) and tape.grad(about.number, raised.seq) is None:
        return _unset(tape, raised, found)
    if about is not None and NO_HISTORY.search(raised.message) and not about.requires_grad(raised.seq):
        return _untracked(tape, raised, found)
    return found


def _not_a_number(tape: Tape, node: NodeFacts, found: ev.Diagnosis) -> ev.Diagnosis:
    """Answer for what anomaly mode found, where the numbers that the op was given explain it."""
    tied = degenerate(tape, node)
    if tied is not None:
        cause, fix, wrong, evidence = sentence(node, "NaN", tied), tied.fix, tied.wrong_fix, tied.evidence
        return msgspec.structs.replace(found, cause=cause, fix=fix, wrong_fix=wrong, evidence=evidence)
    lost = None if node.op is None else undefined(tape, node.op)
    if lost is None:
        return found
    return msgspec.structs.replace(
        found,
        cause=f"{node.name}{at(node.line)} computed NaN: {lost.reason}",
        fix=lost.fix,
        wrong_fix=lost.wrong_fix,
        evidence=[ev.Evidence(text=lost.evidence, line=node.line, node=node.number)],
    )


def _uncovered(tape: Tape, node: NodeFacts, match: re.Match[str], found: ev.Diagnosis) -> ev.Diagnosis:
    """Answer with the program's names of the src and the index of a scatter, and the lines that made them."""
    given = {} if node.op is None else {one.name: one.tensor for one in node.op.inputs if one.tensor in tape.tensors}
    src, index = given.get("src"), given.get("index")
    if src is None or index is None or node.op is None:
        return found
    seq = node.op.seq
    cause, fix = sentences(_short(tape, src, seq, "src"), _short(tape, index, seq, "the index"), match)
    return msgspec.structs.replace(
        found,
        cause=cause,
        fix=fix,
        lines=lines_of(tape.tensors[src].made.line, tape.tensors[index].made.line, found.lines),
        tensors=[src, index],
    )


def _short(tape: Tape, tensor: int, seq: int, otherwise: str) -> str:
    name = tape.name(tensor, seq)
    return otherwise if " " in name else name


def _unset(tape: Tape, raised: ev.ErrorRaised, found: ev.Diagnosis) -> ev.Diagnosis:
    """Answer for the use of a `.grad` that was None: why it was None."""
    tensor = found.tensors[0]
    name = tape.name(tensor, raised.seq)
    why = grad_none(tape, raised.seq, tensor)
    fix = why.fix
    wrong = f"`if {name}.grad is not None` silences the error, and {name} has no gradient all the same."
    if _EMPTYING.search(raised.message) and not tape.passes_until(raised.seq):
        fix += f" Where it is only to be emptied, {name}.grad = None asks for no gradient to be there."
        wrong = f"Zeros in {name}.grad beforehand silence the error also where no gradient ever comes."
    return msgspec.structs.replace(
        why,
        cause=f"{found.cause} {why.cause}",
        fix=fix,
        wrong_fix=wrong if why.wrong_fix is None else f"{wrong} {why.wrong_fix}",
        lines=lines_of(*why.lines, *found.lines),
    )


def _freed(tape: Tape, raised: ev.ErrorRaised, found: ev.Diagnosis) -> ev.Diagnosis:
    """Answer for freed saved tensors: the bytes that retain_graph=True would have kept."""
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


def _modified(tape: Tape, raised: ev.ErrorRaised, found: ev.Diagnosis) -> ev.Diagnosis:
    """Answer with every change since the node saved its tensor: each of them alone causes the error."""
    assert raised.node is not None
    node = tape.nodes[raised.node]
    storages = {saved.storage for saved in (node.info.saved if node.info is not None else [])}
    since = node.seq if node.op is None else node.op.seq
    changes = [
        change
        for storage in storages
        for change in until(tape.mutations.get(storage, []), raised.seq)
        if change.through is None and change.seq > since
    ]
    evidence = [
        ev.Evidence(text=_change(tape, change), line=change.line, tensor=change.tensor)
        for change in sorted(changes, key=lambda change: change.seq)
    ]
    cause, fix = found.cause, found.fix
    if changes and (more := remedy_in_place(tape, changes[0])) is not None:
        cause, fix = f"{cause} {more[0]}", more[1]
    return msgspec.structs.replace(
        found,
        cause=cause,
        fix=fix,
        lines=lines_of(*found.lines, *[change.line for change in changes[:MOST]]),
        tensors=lines_of(*found.tensors, *[change.tensor for change in changes[:MOST]]),
        evidence=[*found.evidence, *evidence[:MOST]],
    )


def _change(tape: Tape, change: ev.TensorMutated) -> str:
    op = tape.op_of.get(change.seq)
    inside = "" if op is None or op.module_path is None else f" in {op.module_path}"
    return f"{name_of(change.op)}{inside}{at(change.line)} changed {tape.name(change.tensor, change.seq)}"


def _untracked(tape: Tape, raised: ev.ErrorRaised, found: ev.Diagnosis) -> ev.Diagnosis:
    """Answer with the first place where the history ended."""
    root = found.tensors[0]
    cut = first_cut(tape, [root], raised.seq)
    if cut is None:
        leaves = [t.number for t in tape.tensors.values() if t.made.seq < raised.seq and t.requires_grad(raised.seq)]
        cut = as_number(tape, [root], raised.seq, descendants(tape, leaves, raised.seq))
    if cut is None:
        return _nothing_requires(tape, raised, found)
    name, source = tape.name(root, raised.seq), tape.name(cut.source, cut.seq)
    return msgspec.structs.replace(
        found,
        cause=f"The history of {name} ends before it begins: {description(tape, cut)}",
        fix=remedy(tape, cut),
        wrong_fix=f"{switched_on(name)} silences the error, and {source} still gets no gradient.",
        lines=lines_of(tape.tensors[cut.source].made.line, cut.line, *found.lines),
        nodes=lines_of(*found.nodes, tape.tensors[cut.source].receiver(cut.seq)),
        tensors=lines_of(*found.tensors, cut.source, cut.result),
        evidence=[ev.Evidence(text=f"History ends here: {cut.op}{at(cut.line)}", line=cut.line, tensor=cut.result)],
    )


def _nothing_requires(tape: Tape, raised: ev.ErrorRaised, found: ev.Diagnosis) -> ev.Diagnosis:
    """Answer for a tensor computed from others without requires_grad: the one that was switched off first, else all."""
    root = found.tensors[0]
    name, begins = tape.name(root, raised.seq), leaves(tape, [root], raised.seq)
    if not begins:
        return found
    if len(begins) == 1 and begins[0].made.origin in ("grad", "gradient"):
        return msgspec.structs.replace(
            found,
            cause=f"{name} is computed from a gradient, and that gradient has no history: the pass that computed it "
            "recorded nothing.",
            fix="Pass create_graph=True to the call that computes the gradient which is to be differentiated again.",
            wrong_fix=f"{name}.requires_grad_() silences the error, and nothing before it gets a gradient; retain_graph"
            "=True keeps the graph and records no second one.",
        )
    off = [(one, line[0]) for one in begins if (line := one.switched_off(raised.seq)) is not None]
    named = listed(list(dict.fromkeys(tape.name(one.number, raised.seq) for one, _ in off))[:MOST])
    if off:
        where = at(off[0][1]) if len({line for _, line in off}) == 1 else ""
        whom = "it" if len(off) == 1 else "them"
        cause = f"{name} was computed from {named}, and requires_grad was set to False for {whom}{where}."
        fix = (
            "Switch it on again for what is to learn, with requires_grad_(), before computing; or leave backward() out."
        )
    else:
        parts = [f"{tape.name(one.number, raised.seq)}{_born(tape, one, raised.seq)}" for one in begins[:MOST]]
        more = " and others" if len(begins) > MOST else ""
        itself = [one.number for one in begins] == [root]
        cause = (
            f"{name}, made{at(begins[0].made.line)} by {begins[0].made.origin}, begins there and does not require grad."
            if itself
            else f"{name} was computed from {listed(parts)}{more}: none of it requires grad."
        ) + " What is made of numbers, as item(), tolist() and numpy() return them, has no history."
        fix = found.fix
    return msgspec.structs.replace(
        found,
        cause=cause[0].upper() + cause[1:] if cause.startswith("the ") else cause,
        fix=fix,
        lines=lines_of(*[line for _, line in off], *[one.made.line for one in begins[:MOST]], *found.lines),
        tensors=lines_of(*found.tensors, *[one.number for one, _ in off], *[one.number for one in begins[:MOST]]),
    )


def _born(tape: Tape, facts: TensorFacts, seq: int) -> str:
    return (
        "" if " at line " in tape.name(facts.number, seq) else f" (line {facts.made.line})" if facts.made.line else ""
    )
