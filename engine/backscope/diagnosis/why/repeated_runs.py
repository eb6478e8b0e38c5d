"""Explains why a function ran twice: what a checkpoint kept, and which node needed the other values."""

from __future__ import annotations

from backscope.diagnosis.why.answer import amount, at, diagnosis, many
from backscope.diagnosis.why.log.facts import until
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev


def recomputations(tape: Tape, seq: int) -> list[ev.RecomputationStarted]:
    """Return the recomputations that had begun by a moment."""
    return until(tape.recomputations, seq)


def recomputed(tape: Tape, seq: int) -> ev.Diagnosis:
    """Explain why the function of the checkpoint that was recomputed last ran twice."""
    last = recomputations(tape, seq)[-1]
    entered, left = tape.checkpoints[last.checkpoint]
    line = None if last.call is None else tape.line_of_pass(last.call)
    node = None if last.node is None else tape.nodes.get(last.node)
    end = left[0].seq if left else seq
    inside = [n for n in tape.nodes.values() if entered.seq < n.seq < end and n.op is not None]
    saved = [s for n in inside if n.info is not None for s in n.info.saved]
    size = sum({s.storage: s.nbytes for s in saved}.values())
    first = "" if node is None else f" {node.name}{at(node.line)} was the first to ask for them."
    kept = (
        f" It spared {amount(size)} of saved tensors in {many(len(inside), 'node')} in the meantime." if inside else ""
    )
    if entered.reentrant:
        fix = (
            "Pass use_reentrant=False, which PyTorch recommends: it also works where no input requires grad, with "
            "autograd.grad and with keyword arguments."
        )
        wrong = "Setting requires_grad on an input only to make it work keeps a gradient that nobody needs."
    else:
        fix = (
            "Nothing to mend: a second forward pass of the block is the price of its memory. Checkpoint blocks that "
            "save much and compute little, and keep what they print or count out of them: it happens twice."
        )
        wrong = (
            "use_reentrant=True does not save the second run either; it records nothing in the first one, so that "
            "parameters get no gradient where no input requires grad."
        )
    return diagnosis(
        f"{entered.function} ran under checkpoint(){at(entered.line)}, which keeps its inputs and none of what its "
        f"nodes save. The backward pass{at(line)} needed that and ran {entered.function} a second time.{first}{kept}",
        fix,
        wrong_fix=wrong,
        lines=[entered.line, *[n.line for n in inside], line],
        nodes=[*[n.number for n in inside], last.node],
        evidence=[
            ev.Evidence(text=f"{function(tape, one)} ran again", line=one.line, node=one.node)
            for one in recomputations(tape, seq)
        ],
    )


def function(tape: Tape, one: ev.RecomputationStarted) -> str:
    """Return the function of the checkpoint that was recomputed."""
    found = tape.checkpoints.get(one.checkpoint)
    return "the function" if found is None else found[0].function
