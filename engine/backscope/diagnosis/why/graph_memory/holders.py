"""Finds the variables and containers that keep the graphs of earlier rounds of a loop alive."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from backscope.diagnosis.why.graph_memory.saved_bytes import kept_bytes
from backscope.diagnosis.why.log.facts import NodeFacts, TensorFacts, by_seq, last, until
from backscope.diagnosis.why.log.flow import reached
from backscope.diagnosis.why.log.moment_cache import once_per_moment
from backscope.diagnosis.why.log.tape import Tape

ROUNDS = 2
"""Graphs of this many rounds of a loop at once mean that something holds them."""


class Holder(NamedTuple):
    """A variable or a container of the program that keeps the graphs of several rounds alive.

    `variable` is its name, `line` where it got the tensors, `nodes` the nodes that are alive because of it.
    """

    variable: str
    line: int | None
    tensors: list[int]
    nodes: set[int]
    rounds: int
    nbytes: int
    container: bool


@once_per_moment
def holders(tape: Tape, seq: int) -> list[Holder]:
    """Return what keeps graphs of several rounds alive at a moment, the largest first."""
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


def _rounds(tape: Tape, nodes: Iterable[int], seq: int, *, is_sum: bool = False) -> int:
    """Count the rounds of a training loop that nodes belong to: those with a backward pass in between.

    Nodes that are unrolled before one pass, as of a recurrent network or a module's layers, belong to one round.  In a
    program that ended without a pass, rounds count that compute the same anew from the same parameters, as those of an
    evaluation, unless one uses the result of another; with `is_sum` a sum may join them.
    """
    inside = [tape.nodes[n] for n in nodes]
    inside = [node for node in inside if node.op is not None and node.op.repeat]
    starts = [one.started.seq for one in tape.passes_until(seq)]
    apart = len({bisect_right(starts, node.seq) for node in inside})
    if apart >= ROUNDS:
        # Nodes of the previous round live until this one replaces them: only rounds with a pass of their own count.
        inside = [node for node in inside if node.seq < starts[-1]]
        depth = _depth(tape, seq) or None
        return min(apart, len({tuple(node.op.repeat[:depth]) for node in inside if node.op is not None}))
    if tape.over is not None and tape.over <= seq and not any(node.runs for node in inside):
        return _evaluated(tape, inside, is_sum)
    return apart


@once_per_moment
def _depth(tape: Tape, seq: int) -> int:
    """Count the loops around the backward passes: loops further inside belong to one forward pass."""
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
    """Count the rounds that computed the same from the same leaves, none of them from the result of another."""
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


@once_per_moment
def _saved(tape: Tape, seq: int) -> frozenset[int | None]:
    """Return the tensors that nodes have saved."""
    return frozenset(one.tensor for node in tape.nodes.values() if node.alive(seq) for one in node.kept(seq))


@once_per_moment
def _held(tape: Tape, seq: int) -> frozenset[int | None]:
    """Return the tensors that nodes have saved or that are bases of views."""
    return _saved(tape, seq) | {facts.info.base for facts in tape.with_history(seq)}


def _carried(tape: Tape, seq: int, holder: Holder) -> bool:
    """Return whether a round used the value that a variable had from the round before."""
    for bound in until(tape.bound.get(holder.variable, []), seq):
        facts = tape.tensors.get(bound.tensor)
        used = [] if facts is None else until(facts.used, seq)
        if used and _round(tape, used[-1].seq) != _round(tape, bound.seq):
            return True
    return False


def carrier(tape: Tape, seq: int, holder: Holder) -> str | None:
    """Return the variable that carried a history into a later round, where the holder itself did not."""
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
    """Count the rounds that had begun by a moment."""
    return bisect_right(tape.rounds, seq, key=by_seq)
