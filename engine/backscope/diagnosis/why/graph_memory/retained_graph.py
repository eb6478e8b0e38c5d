"""Finds graphs that a pass retained and no later pass used."""

from __future__ import annotations

from backscope.diagnosis.why.answer import amount, at, diagnosis, many
from backscope.diagnosis.why.graph_memory.saved_bytes import kept_bytes
from backscope.diagnosis.why.log.facts import until
from backscope.diagnosis.why.log.flow import reached
from backscope.diagnosis.why.log.moment_cache import once_per_moment
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev


@once_per_moment
def retained(tape: Tape, seq: int) -> list[int]:
    """Return the finished passes that retained a graph which no later pass used and which still has saved tensors."""
    found = []
    for call, one in tape.passes.items():
        if not one.started.retain_graph or one.started.create_graph or not one.over(seq):
            continue
        nodes = reached(tape, one.started.root_nodes, seq)
        later = any(tape.nodes[n].runs and until(tape.nodes[n].runs, seq)[-1].call != call for n in nodes) or any(
            other.started.seq > one.started.seq
            and (not other.over(seq) or (other.finished is not None and other.finished.failed))
            and nodes & reached(tape, other.started.root_nodes, other.started.seq)
            for other in tape.passes_until(seq)
        )
        if not later and kept_bytes(tape, nodes, seq):
            found.append(call)
    return found


def retained_answer(tape: Tape, seq: int, calls: list[int]) -> ev.Diagnosis:
    """Answer for the graphs that passes retained."""
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
