"""Explains why a leaf got no gradient from the backward passes that ran."""

from __future__ import annotations

from backscope.diagnosis.why.answer import at, diagnosis, listed
from backscope.diagnosis.why.history_cut import found_cut, loss_name
from backscope.diagnosis.why.leaf_uses import uses, why_unrecorded
from backscope.diagnosis.why.log.facts import PassFacts, TensorFacts, until
from backscope.diagnosis.why.log.flow import descendants, reached
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev


def not_reached(tape: Tape, seq: int, facts: TensorFacts, name: str, passes: list[PassFacts]) -> ev.Diagnosis:
    tensor = facts.number
    found = passes[-1]
    started = found.started
    node = facts.receiver(seq)
    loss = loss_name(tape, started)
    if any(node in reached(tape, p.started.root_nodes) for p in passes) and node is not None:
        found = next(p for p in reversed(passes) if node in reached(tape, p.started.root_nodes))
        return _kept_from(tape, seq, facts, name, found, node)
    if (cut_off := found_cut(tape, seq, facts, name, passes)) is not None:
        return cut_off
    used = uses(facts, started.seq)
    wrong = None
    other = _namesake(tape, seq, name, tensor, started)
    if other is not None:
        cause = (
            f"{loss} was computed from another tensor of the name {name}, bound{at(other.line)}; the one that is asked "
            f"about, made{at(facts.made.line)}, plays no part in it."
        )
        fix = "Keep one tensor: bind the name once, before the computation and before the optimizer gets it."
    elif not used:
        cause = (
            f"No op used {name}, made{at(facts.made.line)}, before backward(){at(started.line)}: {loss} does not "
            "depend on it."
        )
        fix = f"Compute {loss} from {name}, or leave {name} out."
    else:
        where = listed([str(one) for one in dict.fromkeys(op.line for op in used) if one is not None][:5])
        cause = f"{loss} does not depend on {name}: what was computed from it (line {where}) is no part of {loss}."
        fix = f"Use the result of that line in {loss}, or call backward() on what depends on {name}."
        wrong = f"{name}.retain_grad() does not help: a leaf keeps its gradient anyway, and none arrives."
        whole = next((op for op in used if op.node is None and _whole(op)), None)
        if (why := why_unrecorded(tape, started.seq, facts, name)) is not None:
            cause += f" The graph has nothing that was computed from it: {why.cause}"
            fix = f"{why.fix} Then use the result in {loss}."
        elif whole is not None:
            cause += f" {whole.op}{at(whole.line)} gives whole numbers of it, and no gradient goes through those."
        else:
            cause += " Where it went on as a number, through item(), tolist() or numpy(), its history ended there."
    return diagnosis(
        cause,
        fix,
        wrong_fix=wrong,
        lines=[facts.made.line, *[op.line for op in used[:5]], None if other is None else other.line, started.line],
        nodes=[node, *started.root_nodes],
        tensors=[tensor, *([other.tensor] if other is not None else []), *started.roots],
    )


def _whole(op: ev.OpApplied) -> bool:
    """Return whether all results of an op are integers or booleans."""
    return all(
        not info.value.dtype.rpartition(".")[2].startswith(("float", "bfloat", "complex")) for info in op.outputs
    )


def _namesake(tape: Tape, seq: int, name: str, tensor: int, started: ev.BackwardStarted) -> ev.TensorNamed | None:
    """Return the binding of another tensor to the same name, if the roots of a pass were computed from that one."""
    for other in reversed(until(tape.bound.get(name, []), seq)):
        if other.tensor != tensor and other.tensor in tape.tensors:
            root = set(started.roots)
            if root & descendants(tape, [other.tensor], started.seq):
                return other
    return None


def _kept_from(tape: Tape, seq: int, facts: TensorFacts, name: str, found: PassFacts, node: int) -> ev.Diagnosis:
    """Answer for a leaf in the graph of a pass that sent it no gradient."""
    started, tensor = found.started, facts.number
    if started.inputs is not None and tensor not in started.inputs:
        given = listed([tape.name(t, seq) for t in started.inputs])
        return diagnosis(
            f"backward(inputs=...){at(started.line)} fills .grad of {given} alone; {name} is not among them.",
            f"Add {name} to inputs=, or leave inputs= out to fill every leaf.",
            lines=[started.line],
            nodes=[node],
            tensors=[tensor, *started.inputs],
        )
    if found.finished is not None and found.finished.failed:
        error = next((e for e in tape.errors if e.seq > started.seq), None)
        message = "" if error is None else f": {error.message}"
        return diagnosis(
            f"The backward pass{at(started.line)} ended with an error before it came to {name}{message}",
            "See to the error first; the leaves that were not reached have no gradient.",
            lines=[started.line],
            nodes=[node, None if error is None else error.node],
            tensors=[tensor],
        )
    if not found.over(seq):
        return diagnosis(
            f"The backward pass{at(started.line)} is under way and has not come to {name} yet.",
            "Step on: it gets its gradient when all nodes that were computed from it have run.",
            lines=[started.line],
            nodes=[node],
            tensors=[tensor],
        )
    silent = _silent(tape, started, node)
    if silent is not None:
        which = tape.nodes[silent]
        return diagnosis(
            f"The way from the loss leads through {which.name}, made{at(which.line)}, which returned no gradient for "
            f"{name}: None counts as undefined, and nothing is sent on.",
            "Let its backward() return the derivative for this input; None is for inputs that need no gradient.",
            wrong_fix="Zeros in place of None make .grad a tensor of zeros, which is as wrong and harder to see.",
            lines=[which.line, started.line],
            nodes=[silent, node],
            tensors=[tensor],
        )
    return diagnosis(
        f"The backward pass{at(started.line)} brought {name} no gradient.",
        "Look at the nodes on the way: one of them sent nothing on.",
        lines=[started.line],
        nodes=[node],
        tensors=[tensor],
    )


def _silent(tape: Tape, started: ev.BackwardStarted, node: int) -> int | None:
    """Return the node nearest to `node` that ran and sent no gradient towards it."""
    above: dict[int, list[int]] = {}
    for one in reached(tape, started.root_nodes):
        for below in tape.nodes[one].below if one in tape.nodes else []:
            above.setdefault(below, []).append(one)
    waiting, seen = [node], {node}
    while waiting:
        at_node = waiting.pop(0)
        for one in above.get(at_node, []):
            if tape.nodes[one].run(started.call) is not None:
                return one
            if one not in seen:
                seen.add(one)
                waiting.append(one)
    return None
