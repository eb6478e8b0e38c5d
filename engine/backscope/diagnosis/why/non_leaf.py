"""Explains why `.grad` is None for a tensor that is not a leaf."""

from __future__ import annotations

from backscope.diagnosis.why.answer import at, diagnosis, listed, number, values
from backscope.diagnosis.why.history_cut import found_cut
from backscope.diagnosis.why.log.facts import TensorFacts, until
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev


def not_a_leaf(tape: Tape, seq: int, facts: TensorFacts, name: str) -> ev.Diagnosis:
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
    if not runs and passes and (cut_off := found_cut(tape, seq, facts, name, passes)) is not None:
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
