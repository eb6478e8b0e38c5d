"""Finds leaves and gradients that refer to each other, which reference counting does not free."""

from __future__ import annotations

from backscope.diagnosis.why.answer import amount, at, diagnosis, many
from backscope.diagnosis.why.graph_memory.saved_bytes import kept_bytes
from backscope.diagnosis.why.log.facts import last
from backscope.diagnosis.why.log.flow import reached
from backscope.diagnosis.why.log.moment_cache import once_per_moment
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev


@once_per_moment
def cycles(tape: Tape, seq: int) -> list[int]:
    """Return the leaves with a `.grad` that has a history leading back to them."""
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
    """Explain the reference cycle of a leaf and its gradient."""
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
