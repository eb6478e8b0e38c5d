"""Why memory keeps growing: which variables hold the graphs of earlier rounds, and how many bytes hang on each."""

from __future__ import annotations

import functools
import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from backscope.diagnosis.why.answer import amount, at, diagnosis, listed, many
from backscope.diagnosis.why.log.facts import NodeFacts, TensorFacts, by_seq, last, until
from backscope.diagnosis.why.log.flow import reached
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev

ROUNDS = 2
"""Graphs of as many rounds of a loop at once mean that something holds them."""
MOST = 8
"""Rounds and holders that are listed."""


class Holder(NamedTuple):
    """Something in the program that keeps the graphs of several rounds alive.

    `variable` is what the program calls it, `line` where it took hold, `nodes` what is alive because of it.
    """

    variable: str
    line: int | None
    tensors: list[int]
    nodes: set[int]
    rounds: int
    nbytes: int
    container: bool


_Found = TypeVar("_Found")


def _once(find: Callable[[Tape, int], _Found]) -> Callable[[Tape, int], _Found]:
    """Cache a search for as long as questions are about one moment."""

    @functools.wraps(find)
    def found(tape: Tape, seq: int) -> _Found:
        key = find.__name__, seq
        if key not in tape.remembered:
            result = find(tape, seq)
            for other in [known for known in tape.remembered if known[1] != seq]:
                del tape.remembered[other]
            tape.remembered[key] = result
        answer: _Found = tape.remembered[key]
        return answer

    return found


def kept_bytes(tape: Tape, nodes: Iterable[int], seq: int) -> int:
    """The bytes that saved tensors hold at nodes which still have them."""
    return whole_bytes(tape, (saved for number in nodes for saved in tape.nodes[number].kept(seq)))


def whole_bytes(tape: Tape, saved: Iterable[ev.SavedTensor | ev.BufferFreed]) -> int:
    """The bytes of the storages that saved tensors are in: each once, and whole, as a part of one holds all of it."""
    storages: dict[int, int] = {}
    for one in saved:
        known = storages.get(one.storage) or tape.storage_bytes.get(one.storage, 0)
        storages[one.storage] = max(one.nbytes, known)
    return sum(storages.values())


def _rounds(tape: Tape, nodes: Iterable[int], seq: int, *, is_sum: bool = False) -> int:
    """Over how many rounds of a training loop nodes reach: those with a backward pass in between.

    What is unrolled before one pass, as a recurrent network or the layers of a module are, belongs to one round.  Of a
    program that ended without any pass, the rounds of a loop count that compute the same anew from the same parameters,
    as those of an evaluation do, unless one goes on from the result of another; `is_sum` where only a sum joins them.
    """
    inside = [tape.nodes[n] for n in nodes]
    inside = [node for node in inside if node.op is not None and node.op.repeat]
    starts = [one.started.seq for one in tape.passes_until(seq)]
    apart = len({bisect_right(starts, node.seq) for node in inside})
    if apart >= ROUNDS:
        # What the round before left is there until this one has got as far: only those with a pass of their own count.
        inside = [node for node in inside if node.seq < starts[-1]]
        depth = _depth(tape, seq) or None
        return min(apart, len({tuple(node.op.repeat[:depth]) for node in inside if node.op is not None}))
    if tape.over is not None and tape.over <= seq and not any(node.runs for node in inside):
        return _evaluated(tape, inside, is_sum)
    return apart


@_once
def _depth(tape: Tape, seq: int) -> int:
    """How many loops are around the backward passes: those further inside are of one forward pass."""
    found = 0
    for one in tape.passes_until(seq):
        when = one.started.seq
        last_round = last(tape.rounds, when)
        loop = None if last_round is None else last_round.loop
        around = 0
        while loop is not None:
            over = tape.loops_over.get(loop)
            around += over is None or over.seq > when
            loop = tape.outer.get(loop)
        found = max(found, around)
    return found


def _evaluated(tape: Tape, inside: list[NodeFacts], is_sum: bool) -> int:
    """How many rounds computed the same from the same leaves, none of them from the result of another."""
    rounds: dict[tuple[int, ...], set[int]] = defaultdict(set)
    of_node = {node.number: tuple(node.op.repeat) for node in inside if node.op is not None}
    for node in inside:
        own = of_node[node.number]
        for below in node.below:
            if of_node.get(below, own) != own and not is_sum:
                return 1
            if below in tape.nodes and (leaf := tape.nodes[below].leaf) is not None:
                rounds[own].add(leaf)
    sets = [frozenset(leaves) for leaves in rounds.values() if leaves]
    return max((sets.count(one) for one in sets), default=0)


@_once
def _saved(tape: Tape, seq: int) -> frozenset[int | None]:
    """The tensors that nodes hold themselves."""
    return frozenset(one.tensor for node in tape.nodes.values() if node.alive(seq) for one in node.kept(seq))


@_once
def _held(tape: Tape, seq: int) -> frozenset[int | None]:
    """The tensors that nodes or views hold."""
    return _saved(tape, seq) | {facts.info.base for facts in tape.with_history(seq)}


@_once
def holders(tape: Tape, seq: int) -> list[Holder]:
    """What keeps graphs of several rounds alive at a moment, the heaviest first."""
    groups: dict[tuple[str, int | None, bool], list[TensorFacts]] = defaultdict(list)
    for facts in tape.with_history(seq):
        kept = until(facts.kept, seq)
        for one in {k.holder: k for k in kept}.values():
            groups[one.holder, one.line, True].append(facts)
        if kept:
            continue
        named = last(facts.names, seq)
        if named is not None and (now := last(tape.bound[named.name], seq)) is not None:
            if now.tensor == facts.number:
                groups[named.name, named.line, False].append(facts)
            elif facts.number not in _saved(tape, seq):
                groups["", facts.made.line, True].append(facts)
        elif named is None and facts.number not in tape.grad_of and facts.number not in _held(tape, seq):
            groups["", facts.made.line, True].append(facts)
    found: list[Holder] = []
    for (variable, line, container), members in groups.items():
        if container and len(members) < ROUNDS:
            continue
        start = [node for facts in members if (node := facts.grad_fn(seq)) is not None]
        nodes = reached(tape, start, seq)
        is_sum = not container and all(math.prod(facts.info.value.shape) == 1 for facts in members)
        rounds = _rounds(tape, nodes, seq, is_sum=is_sum)
        if rounds >= ROUNDS:
            size = kept_bytes(tape, nodes, seq)
            size += sum(facts.info.value.nbytes for facts in members)
            found.append(Holder(variable, line, [f.number for f in members], nodes, rounds, size, container))
    return sorted(found, key=lambda h: (h.container or _carried(tape, seq, h), h.nbytes, h.rounds), reverse=True)


def _carried(tape: Tape, seq: int, holder: Holder) -> bool:
    """Whether rounds used what a variable had from a round before: others only follow from those that are."""
    for bound in until(tape.bound.get(holder.variable, []), seq):
        facts = tape.tensors.get(bound.tensor)
        used = [] if facts is None else until(facts.used, seq)
        if used and _round(tape, used[-1].seq) != _round(tape, bound.seq):
            return True
    return False


def _carrier(tape: Tape, seq: int, holder: Holder) -> str | None:
    """The variable that brought a history into a later round, where the holder itself only follows from it."""
    if _carried(tape, seq, holder):
        return None
    for number in sorted(holder.nodes, reverse=True):
        for output in tape.nodes[number].outputs:
            facts = tape.tensors.get(output)
            named = None if facts is None else last(facts.names, seq)
            if facts is None or named is None:
                continue
            for op in until(facts.used, seq):
                if (
                    op.node is not None
                    and op.node.node in holder.nodes
                    and _round(tape, op.seq) != _round(tape, named.seq)
                ):
                    return named.name
    return None


def _round(tape: Tape, seq: int) -> int:
    """How many rounds had begun by a moment."""
    return bisect_right(tape.rounds, seq, key=by_seq)


def grown(tape: Tape, seq: int) -> bool:
    """Whether something holds more than it should: graphs of earlier rounds, a retained graph, a reference cycle."""
    return bool(holders(tape, seq) or retained(tape, seq) or cycles(tape, seq))


def memory(tape: Tape, seq: int) -> ev.Diagnosis:
    """What still holds memory of an earlier round or pass at a moment."""
    found = holders(tape, seq)
    if found:
        return _history(tape, seq, found)
    rings = cycles(tape, seq)
    if rings:
        return cycle(tape, seq, rings[0])
    return _retained(tape, seq, retained(tape, seq))


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
        whole, index, _ = (_carrier(tape, seq, first) or first.variable).partition("[")
        cut = f"{whole} = tuple(part.detach() for part in {whole})" if index else f"{whole} = {whole}.detach()"
        fix = (
            "Cut what is carried from round to round, as the state of a recurrent network, at the start of each "
            f"round: {cut}."
        )
    made = sorted({line for n in first.nodes if (line := tape.nodes[n].line) is not None})
    hung = None if hook is None else hook.line
    return diagnosis(
        f"{what}{where}: {size} stay alive through it, and every round adds to them.{given}{note}{more}",
        fix,
        wrong_fix=(
            "del loss, gc.collect() and torch.cuda.empty_cache() free nothing here: the graph is still referred to. "
            "loss.data hides the history but also every in-place mistake; take detach()."
        ),
        lines=[first.line, hung, *made],
        nodes=sorted(first.nodes, reverse=True),
        tensors=first.tensors[::-1],
        evidence=curve,
    )


def _hook(tape: Tape, seq: int, holder: Holder) -> ev.ModuleHookRegistered | None:
    """The forward hook that a container without a name has its tensors from."""
    if not holder.container or holder.variable:
        return None
    for run in reversed(until(tape.hook_runs, seq)):
        if run.where == "module forward" and run.tensor in holder.tensors:
            hung = [h for h in until(tape.module_hooks, run.seq) if (h.hook, h.module) == (run.hook, run.module)]
            return hung[-1] if hung else None
    return None


def _differentiated(tape: Tape, seq: int, holder: Holder) -> bool:
    """Whether passes went through a variable: then it is a part of the loss, and not only what is shown."""
    made = [tape.tensors[number].grad_fn(seq) for number in holder.tensors]
    return any(node is not None and node in tape.nodes and until(tape.nodes[node].runs, seq) for node in made)


def _adds_up(tape: Tape, holder: Holder) -> bool:
    """Whether a variable is a sum of itself and something else."""
    earlier = {bound.tensor for bound in tape.bound.get(holder.variable, [])}
    made = [op for number in holder.tensors for op in tape.tensors[number].written[-1:]]
    return any(
        op.op.rstrip("_") in ("add", "sub") and (op.in_place or any(a.tensor in earlier for a in op.inputs))
        for op in made
    )


def _curve(tape: Tape, seq: int, holder: Holder) -> list[ev.Evidence]:
    """How many bytes of saved tensors there were at the start of each round."""
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


@_once
def retained(tape: Tape, seq: int) -> list[int]:
    """The finished passes that kept their graph, whose buffers nothing has used since and still are there."""
    found = []
    for call, one in tape.passes.items():
        if not one.started.retain_graph or one.started.create_graph or not one.over(seq):
            continue
        nodes = reached(tape, one.started.root_nodes, seq)
        later = any(tape.nodes[n].runs and until(tape.nodes[n].runs, seq)[-1].call != call for n in nodes) or any(
            other.started.seq > one.started.seq
            and (not other.over(seq) or (other.finished is not None and other.finished.failed))
            and nodes & reached(tape, other.started.root_nodes, seq)
            for other in tape.passes_until(seq)
        )
        if not later and kept_bytes(tape, nodes, seq):
            found.append(call)
    return found


def _retained(tape: Tape, seq: int, calls: list[int]) -> ev.Diagnosis:
    nodes: set[int] = set()
    for call in calls:
        nodes |= reached(tape, tape.passes[call].started.root_nodes, seq)
    size = kept_bytes(tape, nodes, seq)
    started = [tape.passes[call].started for call in calls]
    lines = [s.line for s in started]
    return diagnosis(
        f"backward(retain_graph=True){at(lines[0])} keeps the saved tensors of {many(len(nodes), 'node')}, "
        f"{amount(size)}, and no later pass has used them.",
        "Leave out retain_graph=True, or give it to every pass over this graph but the last.",
        wrong_fix="del of the loss helps only where no other variable leads to the graph.",
        lines=lines,
        nodes=sorted(nodes),
        tensors=[root for s in started for root in s.roots],
    )


@_once
def cycles(tape: Tape, seq: int) -> list[int]:
    """The leaves whose `.grad` has a history that leads back to them: a ring that reference counting does not free."""
    found = []
    for grad, leaf in tape.grad_of.items():
        facts = tape.tensors.get(leaf)
        held = tape.tensors.get(grad)
        if facts is None or held is None or tape.grad(leaf, seq) is None or not held.alive(seq):
            continue
        node = held.grad_fn(seq)
        receiver = facts.receiver(seq)
        event = last(facts.grads, seq)
        if node is None or getattr(event, "grad", None) != grad:
            continue
        if receiver in reached(tape, [node], seq):
            found.append(leaf)
    return found


def cycle(tape: Tape, seq: int, leaf: int) -> ev.Diagnosis:
    """The ring of a leaf and its gradient."""
    facts = tape.tensors[leaf]
    name = tape.name(leaf, seq)
    event = tape.accumulated(leaf, seq)[-1]
    grad = next(g for g, owner in tape.grad_of.items() if owner == leaf and g == getattr(event, "grad", None))
    node = tape.tensors[grad].grad_fn(seq)
    nodes = reached(tape, [] if node is None else [node], seq)
    line = tape.line_of_pass(event.call)
    size = amount(kept_bytes(tape, nodes, seq))
    return diagnosis(
        f"backward(create_graph=True){at(line)} gave {name}.grad a history that leads back to {name}: {name} holds "
        f"{name}.grad, which holds {many(len(nodes), 'node')} ({size} saved), which hold "
        f"{name}. A ring like that is not freed when the last variable goes.",
        "Take gradients that are to be differentiated again with "
        f"torch.autograd.grad(loss, {name}, create_graph=True): they are returned and no .grad refers to them. Or set "
        ".grad to None after use, which breaks the ring.",
        wrong_fix=(f"del loss does not break the ring; {name}.grad.zero_() keeps the history and adds a node to it."),
        lines=[facts.made.line, line],
        nodes=sorted(nodes),
        tensors=[leaf, grad],
    )
