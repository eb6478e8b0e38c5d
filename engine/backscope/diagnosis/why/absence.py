"""Why a tensor's `.grad` is None."""

from __future__ import annotations

from backscope.diagnosis.why.answer import at, diagnosis, listed, number, values
from backscope.diagnosis.why.history_cut import remedy, told
from backscope.diagnosis.why.log.facts import PassFacts, TensorFacts, last, until
from backscope.diagnosis.why.log.flow import NO_HISTORY, Cut, as_number, descendants, first_cut, reached
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev

RECENT = 8
"""Passes that are looked at for a way that was cut."""


def grad_none(tape: Tape, seq: int, tensor: int) -> ev.Diagnosis:
    """The reason why `.grad` of a tensor is None at a moment."""
    facts = tape.tensors[tensor]
    name = tape.name(tensor, seq)
    if not facts.requires_grad(seq):
        return _untracked(tape, seq, facts, name)
    if facts.grad_fn(seq) is not None:
        return _not_a_leaf(tape, seq, facts, name)
    event = last(facts.grads, seq)
    cleared = event if isinstance(event, ev.GradCleared) else None
    since = -1 if cleared is None else cleared.seq
    passes = [p for p in tape.passes_until(seq, "backward") if p.started.seq > since]
    asked = last(tape.results.get(tensor, []), seq)
    if asked is not None and asked.seq > since and (passes or cleared is not None):
        node = facts.receiver(seq)
        if not any(node in reached(tape, p.started.root_nodes) for p in passes):
            later = [p for p in passes if p.started.seq > asked.seq]
            if later and (found := _found_cut(tape, seq, facts, name, later)) is not None:
                return found
            return _asked_for(tape, asked, cleared, tensor, name)
    if cleared is not None and not passes:
        return _emptied(tape, cleared, tensor, name)
    if not passes:
        return _no_pass(tape, seq, tensor, name)
    return _not_reached(tape, seq, facts, name, passes)


def _untracked(tape: Tape, seq: int, facts: TensorFacts, name: str) -> ev.Diagnosis:
    tensor = facts.number
    cut = first_cut(tape, [tensor], seq)
    if cut is not None:
        return diagnosis(
            f"{name} has no history: {told(tape, cut)} Gradients are only kept for tensors that require grad.",
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
    if facts.written:
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
    off = facts.switched_off(seq)
    if off is not None:
        return diagnosis(
            f"requires_grad of {name} was set to False{at(off[0])}: gradients are neither computed nor kept for it.",
            f"Leave that out where {name} is to learn, or call {name}.requires_grad_() before it is used again.",
            wrong_fix=f"{name}.retain_grad() raises an error: it is for tensors that require grad.",
            lines=[facts.made.line, off[0]],
            tensors=[tensor],
        )
    return diagnosis(
        f"{name}, made{at(facts.made.line)}, does not require grad: gradients are neither computed nor kept for it.",
        "Make it with requires_grad=True, or call requires_grad_() before it is used.",
        lines=[facts.made.line],
        tensors=[tensor],
    )


def _not_a_leaf(tape: Tape, seq: int, facts: TensorFacts, name: str) -> ev.Diagnosis:
    node = facts.grad_fn(seq)
    assert node is not None
    runs = [r for r in until(tape.nodes[node].runs, seq) if r.seq > facts.made.seq]
    made = tape.nodes[node]
    kind = f"{name} is not a leaf: {made.name} made it{at(facts.made.line)}. backward() fills .grad of leaves only"
    wrong = (
        f"Setting {name}.requires_grad = True changes nothing, it requires grad already; and "
        f"{name}.detach().requires_grad_() gets a .grad by cutting off all that comes before it."
    )
    leaves = [b for b in made.below if tape.nodes[b].leaf is not None] if node in tape.nodes else []
    passing = f"Call {name}.retain_grad() before backward(), or print it on its way with {name}.register_hook(print)."
    fix = (
        f"Call {name}.retain_grad() before backward() to keep its gradient; or ask for it: "
        f"torch.autograd.grad(loss, {name})."
    )
    unnamed = [leaf for b in leaves if (leaf := tape.nodes[b].leaf) is not None and not tape.tensors[leaf].names]
    from_leaf = [tape.name(leaf, seq) for b in leaves if (leaf := tape.nodes[b].leaf) is not None]
    same = tape.others_called(name, facts.number, seq)
    renamed = ""
    if same and tape.tensors[same[-1].tensor].grad_fn(seq) is None and tape.tensors[same[-1].tensor].requires_grad(seq):
        where = at(same[-1].line)
        renamed = f" The leaf that was called {name} before{where} is another tensor, and the gradient goes there."
        passing = ""
        fix = (
            f"Change the leaf in place of binding {name} to a new tensor: with torch.no_grad(): {name} -= lr * "
            f"{name}.grad, or copy_(). Where {name} is meant to be a result, {name}.retain_grad() keeps its gradient."
        )
    elif from_leaf:
        renamed = f" It was computed from {listed(from_leaf)}, where the gradient goes on to."
        if unnamed:
            passing = ""
            fix = (
                f"Compute the start value first and make it a leaf then: {name} = (...).requires_grad_(); the leaf has "
                f"no name here. Or call {name}.retain_grad() before backward()."
            )
    passes = tape.passes_until(seq, "backward")
    if not runs and passes and (cut_off := _found_cut(tape, seq, facts, name, passes)) is not None:
        return cut_off
    if not runs:
        reason = "and no backward pass has come by it yet." if not tape.passes_until(seq) else "and no pass came by it."
        return diagnosis(
            f"{kind}, {reason}{renamed}",
            fix,
            wrong_fix=wrong,
            lines=[facts.made.line],
            nodes=[node],
            tensors=[facts.number],
        )
    run = runs[-1]
    passed = next((g for g in run.gradients if g is not None), None)
    line = tape.line_of_pass(run.call)
    return diagnosis(
        f"{kind}: the gradient {values(passed)} passed through {name} on its way{at(line)} and was not kept.{renamed}",
        passing or fix,
        wrong_fix=wrong,
        lines=[facts.made.line, line],
        nodes=[node],
        tensors=[facts.number],
        evidence=[
            ev.Evidence(
                text=f"What passed through {name} had the norm {_norm(passed)}",
                line=line,
                node=node,
                tensor=facts.number,
                value=None if passed is None else passed.norm,
            )
        ],
    )


def _norm(value: ev.Summary | None) -> str:
    return "?" if value is None else number(value.norm)


def _asked_for(
    tape: Tape, asked: ev.GradientCaptured, cleared: ev.GradCleared | None, tensor: int, name: str
) -> ev.Diagnosis:
    line = tape.line_of_pass(asked.call)
    since = "" if cleared is None else f" since .grad was set to None{at(cleared.line)}"
    return diagnosis(
        f"torch.autograd.grad(){at(line)} returned the gradient of {name}, {values(asked.value)}, and left every .grad "
        f"as it is; no backward() has come by {name}{since}.",
        f"Use what autograd.grad returned, or call backward() to fill {name}.grad.",
        lines=[line, None if cleared is None else cleared.line],
        nodes=[asked.node],
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
    asked = tape.passes_until(seq, "grad")
    facts = tape.tensors[tensor]
    if asked:
        line = asked[-1].started.line
        return diagnosis(
            f"torch.autograd.grad(){at(line)} returns gradients and leaves every .grad as it is, and "
            "backward() has not run.",
            f"Use what autograd.grad returned, or call backward() to fill {name}.grad.",
            lines=[line],
            tensors=[tensor],
        )
    used = until(facts.used, seq)
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
            return _cut(tape, facts, name, loss, cut, raised.line, facts.receiver(seq))
        if raised.diagnosis is not None and ".backward(" in tape.says(raised.line):
            return _failed(raised, raised.diagnosis, tensor, name)
    more = f" {name} has been used{at(used[-1].line)} only to build the graph." if used else ""
    return diagnosis(
        f"backward() has not been called yet, and .grad is None until it is.{more}",
        "Call backward() on the loss; afterwards .grad holds its derivative.",
        lines=[facts.made.line, *([used[-1].line] if used else [])],
        nodes=[facts.receiver(seq)],
        tensors=[tensor],
    )


def _failed(raised: ev.ErrorRaised, why: ev.Diagnosis, tensor: int, name: str) -> ev.Diagnosis:
    """backward() was refused before its pass began."""
    return diagnosis(
        f"backward(){at(raised.line)} stopped with the {raised.type} before any gradient was computed, so that "
        f"{name}.grad is None as before. {why.cause}",
        why.fix,
        wrong_fix=why.wrong_fix,
        lines=[raised.line, *why.lines],
        nodes=why.nodes,
        tensors=[tensor, *why.tensors],
    )


def _not_reached(tape: Tape, seq: int, facts: TensorFacts, name: str, passes: list[PassFacts]) -> ev.Diagnosis:
    tensor = facts.number
    found = passes[-1]
    started = found.started
    node = facts.receiver(seq)
    loss = _loss(tape, started)
    if any(node in reached(tape, p.started.root_nodes) for p in passes) and node is not None:
        found = next(p for p in reversed(passes) if node in reached(tape, p.started.root_nodes))
        return _kept_from(tape, seq, facts, name, found, node)
    if (cut_off := _found_cut(tape, seq, facts, name, passes)) is not None:
        return cut_off
    used = until(facts.used, started.seq)
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
        whole = next((op for op in used if op.node is None and _whole(op)), None)
        if whole is not None:
            cause += f" {whole.op}{at(whole.line)} gives whole numbers of it, and no gradient goes through those."
        else:
            cause += " Where it went on as a number, through item(), tolist() or numpy(), its history ended there."
        fix = f"Use the result of that line in {loss}, or call backward() on what depends on {name}."
        wrong = f"{name}.retain_grad() does not help: a leaf keeps its gradient anyway, and none arrives."
    return diagnosis(
        cause,
        fix,
        wrong_fix=wrong,
        lines=[facts.made.line, *[op.line for op in used[:5]], None if other is None else other.line, started.line],
        nodes=[node, *started.root_nodes],
        tensors=[tensor, *([other.tensor] if other is not None else []), *started.roots],
    )


def _found_cut(tape: Tape, seq: int, facts: TensorFacts, name: str, passes: list[PassFacts]) -> ev.Diagnosis | None:
    """Where the way from what the last passes started from to a tensor is cut."""
    recent = [p.started for p in passes[: -RECENT - 1 : -1]]
    for search in (first_cut, as_number):
        for begun in recent:
            cut = search(tape, begun.roots, begun.seq, descendants(tape, [facts.number], begun.seq))
            if cut is not None:
                return _cut(tape, facts, name, _loss(tape, begun), cut, begun.line, facts.receiver(seq))
    return None


def _loss(tape: Tape, started: ev.BackwardStarted) -> str:
    """What a pass started from."""
    names = [tape.name(root, started.seq) for root in started.roots if root in tape.tensors]
    return listed([name for name in names if not name.startswith("the ")]) or "the loss"


def _whole(op: ev.OpApplied) -> bool:
    """Whether an op gave integers or booleans."""
    return all(
        not info.value.dtype.rpartition(".")[2].startswith(("float", "bfloat", "complex")) for info in op.outputs
    )


def _namesake(tape: Tape, seq: int, name: str, tensor: int, started: ev.BackwardStarted) -> ev.TensorNamed | None:
    """Another tensor of the same name that the roots of a pass come from."""
    for other in reversed(until(tape.bound.get(name, []), seq)):
        if other.tensor != tensor and other.tensor in tape.tensors:
            root = set(started.roots)
            if root & descendants(tape, [other.tensor], started.seq):
                return other
    return None


def _cut(
    tape: Tape, facts: TensorFacts, name: str, loss: str, cut: Cut, line: int | None, node: int | None
) -> ev.Diagnosis:
    return diagnosis(
        f"The way from {loss} back to {name} is cut: {told(tape, cut)}",
        remedy(tape, cut),
        wrong_fix=(
            f"requires_grad_() on what comes after the cut silences errors and starts a new graph there: {name} still "
            "gets nothing."
        ),
        lines=[facts.made.line, tape.tensors[cut.source].made.line, cut.line, line],
        nodes=[node, tape.tensors[cut.source].receiver(cut.seq)],
        tensors=[facts.number, cut.source, cut.result],
    )


def _kept_from(tape: Tape, seq: int, facts: TensorFacts, name: str, found: PassFacts, node: int) -> ev.Diagnosis:
    """The graph leads to the tensor, and yet the pass brought it nothing."""
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
        said = "" if error is None else f": {error.message}"
        return diagnosis(
            f"The backward pass{at(started.line)} ended with an error before it came to {name}{said}",
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
    """The node on the way to `node` that ran and sent nothing further in its direction."""
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
