"""Explains why memory keeps growing: which variables hold the graphs of earlier rounds, and their bytes."""

from __future__ import annotations

import math
from collections import defaultdict

from backscope.diagnosis.why.answer import amount, at, diagnosis, listed, many
from backscope.diagnosis.why.graph_memory.holders import Holder, carrier, holders
from backscope.diagnosis.why.graph_memory.reference_cycle import cycle, cycles
from backscope.diagnosis.why.graph_memory.retained_graph import retained, retained_answer
from backscope.diagnosis.why.graph_memory.saved_bytes import kept_bytes
from backscope.diagnosis.why.log.facts import until
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev

MOST = 8
"""The most rounds and holders that an answer lists."""


def grown(tape: Tape, seq: int) -> bool:
    """Return whether memory is held needlessly: by graphs of earlier rounds, a retained graph or a reference cycle."""
    return _at(tape, seq) is not None


def _at(tape: Tape, seq: int) -> int | None:
    """Return the moment to look at: that of the question, or that of the last pass of a run that has ended.

    By the end of a run the functions that held something have returned.
    """
    if _held(tape, seq):
        return seq
    passes = tape.passes_until(seq)
    if tape.over is None or tape.over > seq or not passes:
        return None
    before = passes[-1].started.seq
    return before if holders(tape, before) else None


def _held(tape: Tape, seq: int) -> bool:
    return bool(holders(tape, seq) or retained(tape, seq) or cycles(tape, seq))


def memory(tape: Tape, seq: int) -> ev.Diagnosis:
    """Explain what holds memory of an earlier round or pass at a moment."""
    seq = _at(tape, seq) or seq
    found = holders(tape, seq)
    if found:
        return _history(tape, seq, found)
    rings = cycles(tape, seq)
    if rings:
        return cycle(tape, seq, rings[0])
    return retained_answer(tape, seq, retained(tape, seq))


def _history(tape: Tape, seq: int, found: list[Holder]) -> ev.Diagnosis:
    first = found[0]
    curve = _curve(tape, seq, first)
    held = many(len(first.tensors), "tensor")
    what = (
        f"{first.variable or 'A list or another container'} holds {held} with their history"
        if first.container
        else f"{first.variable}, bound{at(first.line)}, has a history that reaches back over {first.rounds} rounds"
    )
    where = at(first.line) if first.container else ""
    hook = _hook(tape, seq, first)
    given = "" if hook is None else f" The forward hook {hook.hook} on {hook.module}{at(hook.line)} was given them."
    others = [h.variable for h in found[1:MOST] if h.variable]
    more = f" {listed(others)} {'does' if len(others) == 1 else 'do'} the same." if others else ""
    size = f"{many(len(first.nodes), 'node')} of {first.rounds} rounds and {amount(first.nbytes)}"
    freed = not any(tape.nodes[n].info and kept_bytes(tape, [n], seq) for n in first.nodes)
    note = " Their saved tensors are freed already; the nodes and their tensors are not." if freed else ""
    if first.container and all(math.prod(tape.tensors[t].info.value.shape) == 1 for t in first.tensors):
        called = tape.name(max(first.tensors), seq)
        one = called if called.isidentifier() else "loss"
        fix = (
            f"Put numbers into it: {one}.item() in place of {one}. Where the tensor is needed, {one}.detach() leaves "
            "the graph behind."
        )
    elif hook is not None:
        fix = (
            "Let the hook keep values without their history, output.detach(), and remove it with the handle that "
            "registering it gave once it is not needed."
        )
    elif first.container:
        fix = (
            "Put values without their history into it: outputs.append(output.detach()). Where no gradient is wanted "
            "at all, as in an evaluation, compute under torch.no_grad()."
        )
    elif _adds_up(tape, first) and _differentiated(tape, seq, first):
        fix = (
            f"Start {first.variable} anew in each round, or add {first.variable}.detach(): backward() goes through the "
            "terms of all earlier rounds again."
        )
    elif _adds_up(tape, first):
        fix = f"Add numbers: {first.variable} += loss.item()."
    else:
        whole, index, _ = (carrier(tape, seq, first) or first.variable).partition("[")
        cut = f"{whole} = tuple(part.detach() for part in {whole})" if index else f"{whole} = {whole}.detach()"
        fix = (
            "Cut what is carried from round to round, as the state of a recurrent network, at the start of each "
            f"round: {cut}."
        )
    made = sorted({line for n in first.nodes if (line := tape.nodes[n].line) is not None})
    registered = None if hook is None else hook.line
    return diagnosis(
        f"{what}{where}: {size} stay alive through it, and every round adds to them.{given}{note}{more}",
        fix,
        wrong_fix=(
            "del loss, gc.collect() and torch.cuda.empty_cache() free nothing here: the graph is still referred to. "
            "loss.data hides the history but also every in-place mistake; take detach()."
        ),
        lines=[first.line, registered, *made],
        nodes=sorted(first.nodes, reverse=True),
        tensors=first.tensors[::-1],
        evidence=curve,
    )


def _hook(tape: Tape, seq: int, holder: Holder) -> ev.ModuleHookRegistered | None:
    """Return the forward hook that put the tensors into a container without a name."""
    if not holder.container or holder.variable:
        return None
    for run in reversed(until(tape.hook_runs, seq)):
        if run.where == "module forward" and run.tensor in holder.tensors:
            registered = [h for h in until(tape.module_hooks, run.seq) if (h.hook, h.module) == (run.hook, run.module)]
            return registered[-1] if registered else None
    return None


def _differentiated(tape: Tape, seq: int, holder: Holder) -> bool:
    """Return whether passes went through a variable: then it is a part of the loss, and not only printed."""
    made = [tape.tensors[number].grad_fn(seq) for number in holder.tensors]
    return any(node is not None and node in tape.nodes and until(tape.nodes[node].runs, seq) for node in made)


def _adds_up(tape: Tape, holder: Holder) -> bool:
    """Return whether a variable is a sum of itself and something else."""
    earlier = {bound.tensor for bound in tape.bound.get(holder.variable, [])}
    made = [op for number in holder.tensors for op in tape.tensors[number].written[-1:]]
    return any(
        op.op.rstrip("_") in ("add", "sub") and (op.in_place or any(a.tensor in earlier for a in op.inputs))
        for op in made
    )


def _curve(tape: Tape, seq: int, holder: Holder) -> list[ev.Evidence]:
    """Return how many of the nodes there were at the start of each round."""
    rounds: dict[int, list[ev.RoundStarted]] = defaultdict(list)
    for started in until(tape.rounds, seq):
        rounds[started.loop].append(started)
    if not rounds:
        return []
    loop = max(rounds.values(), key=len)
    shown = loop if len(loop) <= MOST else [loop[i * (len(loop) - 1) // (MOST - 1)] for i in range(MOST)]
    found = []
    for started in shown:
        there = [n for n in holder.nodes if tape.nodes[n].alive(started.seq)]
        text = f"Round {started.round} began with {many(len(there), 'node')} of them"
        found.append(ev.Evidence(text=text, line=started.line, value=len(there)))
    return found
