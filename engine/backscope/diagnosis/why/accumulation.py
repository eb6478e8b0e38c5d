"""Explains the value of a gradient: the passes that added to it, and the gradients that arrived in the last one."""

from __future__ import annotations

import math

from backscope.diagnosis.why.answer import amount, at, diagnosis, listed, many, shown, values
from backscope.diagnosis.why.contribution import Gradient, made_of
from backscope.diagnosis.why.history_cut import description
from backscope.diagnosis.why.in_place_changes import changer
from backscope.diagnosis.why.kinks import kink
from backscope.diagnosis.why.log.facts import NodeFacts, lines_of, until
from backscope.diagnosis.why.log.flow import descendants, first_cut, unrecorded_gradient
from backscope.diagnosis.why.log.tape import Tape
from backscope.diagnosis.why.overwrite import Overwritten, overwritten
from backscope.diagnosis.why.zero import way
from backscope.protocol import events as ev
from backscope.protocol.op_names import name_of

MOST = 12
"""The most facts of one kind that an answer lists."""
WAY = 7
"""The most nodes on the path from the loss that an answer lists: those nearest to the tensor."""
LARGEST_GRAPH = 2_000
"""The most nodes on the path that are searched for kinks."""


class _Story:
    """The parts of an answer, collected one after the other."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.fixes: list[str] = []
        self.wrong: list[str] = []
        self.lines: list[int | None] = []
        self.nodes: list[int | None] = []
        self.tensors: list[int | None] = []
        self.evidence: list[ev.Evidence] = []


def grad_value(tape: Tape, seq: int, tensor: int) -> ev.Diagnosis:
    """Explain where the value of a tensor's `.grad` comes from."""
    story = _Story()
    story.tensors.append(tensor)
    name = tape.name(tensor, seq)
    gradients = tape.accumulated(tensor, seq)
    grad = tape.grad(tensor, seq)
    if not gradients:
        story.sentences.append(f"{name}.grad is {values(grad)} because the program assigned it.")
        story.fixes.append(f"The next backward() adds to it; assign None where {name}.grad is to start empty.")
    else:
        _passes(tape, seq, name, tensor, gradients, grad, story)
        last = gradients[-1]
        node = tape.nodes.get(last.node)
        if node is not None:
            _arrivals(tape, seq, name, tensor, last, node, story)
            _ties(tape, last, node, story)
        _unrelated_optimizers(tape, seq, name, tensor, gradients[0].seq, story)
        _complex(tape, tensor, name, story)
        _recomputed(tape, last, story)
        _second_order(tape, last, name, story)
        _constant(tape, tensor, name, last, story)
    return diagnosis(
        " ".join(story.sentences),
        " ".join(story.fixes) or _nothing(name, grad),
        wrong_fix=" ".join(story.wrong) or None,
        lines=story.lines,
        nodes=story.nodes,
        tensors=story.tensors,
        evidence=story.evidence,
    )


def _nothing(name: str, grad: ev.Summary | None) -> str:
    if grad is not None and (grad.nan_count or grad.inf_count):
        return f"Ask where the NaN or infinity in {name}.grad comes from: it was made before it came here."
    return f"Nothing to mend: this is the derivative of the loss by {name}, as the lines above compute it."


def _passes(
    tape: Tape, seq: int, name: str, tensor: int, gradients: list[Gradient], grad: ev.Summary | None, story: _Story
) -> None:
    """Add how many passes accumulated, and what each of them contributed."""
    for i, one in enumerate(gradients):
        line = tape.line_of_pass(one.call)
        story.lines.append(line)
        if i < MOST:
            added = one.added if isinstance(one, ev.GradAccumulated) else one.value
            text = f"backward(){at(line)} {'added' if i else 'gave'} {values(added)}"
            story.evidence.append(ev.Evidence(text=text, line=line, node=one.node, tensor=tensor, value=added.norm))
    where = listed([str(line) for line in lines_of(*story.lines)][:5])
    word = "lines" if len(lines_of(*story.lines)) > 1 else "line"
    if len(gradients) > 1:
        story.sentences.append(
            f"{name}.grad is the sum of {many(len(gradients), 'gradient')}: backward() adds to what is there ({word} "
            f"{where}), and nothing emptied it in between."
        )
        story.fixes.append(
            "Call zero_grad() (or set .grad = None) before each backward() whose gradient is to stand alone. Where the "
            f"sum is meant, as for micro-batches, divide each loss by the number that is really summed, here "
            f"{len(gradients)}: the last window is often shorter."
        )
        story.wrong.append(
            "retain_graph=True has nothing to do with it, it keeps saved tensors; and dividing by a fixed number of "
            "micro-batches makes the steps of a shorter last window too small."
        )
    elif tape.grad_changed(tensor, seq) is None:
        story.sentences.append(f"{name}.grad is {shown(grad)}: {made_of(tape, seq, name, gradients[0])}")
    else:
        one = gradients[0]
        given = one.after if isinstance(one, ev.GradAccumulated) else one.value
        story.sentences.append(f"{name}.grad was {shown(given)}: {made_of(tape, seq, name, one)}")
    changed = tape.grad_changed(tensor, seq)
    assigned = [tape.by_hand[m.seq] for m in tape.grad_mutations(tensor, seq) if m.seq in tape.by_hand]
    by_hand = list(dict.fromkeys(one for one in assigned if one.seq > gradients[0].seq))
    for hand in by_hand:
        done = f"{hand.target} was set to {hand.expression}{at(hand.line)}"
        story.sentences.append(f"In the debugger, {done}: that is in it too.")
    on_its_way = [hand for hand in tape.assignments if any(_during(tape, hand, one) for one in gradients)]
    for hand in on_its_way:
        done = f"{hand.target} was set to {hand.expression}{at(hand.line)}"
        story.sentences.append(f"In the debugger, {done} while the gradient was on its way.")
    if by_hand or on_its_way:
        story.fixes.append("Run the program again to have the gradient without what was changed by hand.")
    if changed is not None and changed.seq not in tape.by_hand:
        story.sentences.append(
            f"{changer(tape, changed)}{at(changed.line)} changed it afterwards, to {values(changed.value)}."
        )
        story.lines.append(changed.line)
        _after_a_step(tape, tensor, gradients[-1], changed, story)


def _during(tape: Tape, hand: ev.ValueChanged, gradient: Gradient) -> bool:
    """Return whether something was changed by hand in a pass, before the gradient arrived."""
    run = tape.passes.get(gradient.call)
    return run is not None and run.started.seq < hand.seq < gradient.seq


def _after_a_step(tape: Tape, tensor: int, gradient: Gradient, changed: ev.TensorMutated, story: _Story) -> None:
    """Add that a step had used the gradient before it was changed."""
    used = [step for step in until(tape.steps, changed.seq) if any(u.tensor == tensor for u in step.updates)]
    if used and used[-1].seq > gradient.seq:
        story.sentences.append(f"{used[-1].optimizer}.step(){at(used[-1].line)} had used it by then, as it was before.")
        story.lines.append(used[-1].line)
        story.fixes.append("Change a gradient between backward() and step(): a step reads .grad as it is then.")


def _unrelated_optimizers(tape: Tape, seq: int, name: str, tensor: int, since: int, story: _Story) -> None:
    """Add the optimizers that stepped meanwhile, where none of them has this parameter."""
    made = tape.tensors[tensor].made
    steps = [step for step in until(tape.steps, seq) if step.seq > since]
    if not steps or not isinstance(made, ev.TensorCreated) or made.origin != "Parameter":
        return
    if any(
        tensor in step.unchanged or any(u.tensor == tensor for u in step.updates) for step in until(tape.steps, seq)
    ):
        return
    last_step = steps[-1]
    story.sentences.append(
        f"{last_step.optimizer}.step(){at(last_step.line)} ran {many(len(steps), 'time')} meanwhile and did not move "
        f"{name}: no optimizer was given it, so that neither step() nor zero_grad() comes to it."
    )
    story.lines += [last_step.line, made.line]
    story.wrong = []
    story.fixes = [
        f"Make the optimizer after {name}, or give it to the optimizer: "
        f"optimizer.add_param_group({{'params': [{name}]}}). A parameter that is replaced later is another one; "
        "change its values in place of that, under torch.no_grad().",
    ]


def _arrivals(tape: Tape, seq: int, name: str, tensor: int, last: Gradient, node: NodeFacts, story: _Story) -> None:
    """Add what arrived in the last pass: from how many ops, summed from which shapes, through which hooks."""
    arrived = node.arrived_in(last.call, seq)
    story.nodes += [node.number, *[one.node for one in arrived]]
    if len(arrived) > 1:
        each = listed(
            [
                f"{shown(one.value)} from {tape.nodes[one.node].name}{at(tape.nodes[one.node].line)}"
                for one in arrived[:4]
            ]
            + ([f"{len(arrived) - 4} more"] if len(arrived) > 4 else [])
        )
        story.sentences.append(
            f"{name} is used {len(arrived)} times, and the gradients of all its uses are added"
            + (" in that pass" if node.leaf is None or len(story.sentences) == 1 else " in the last pass")
            + f": {each}."
        )
    for one in arrived[:MOST]:
        sender = tape.nodes[one.node]
        story.lines.append(sender.line)
        story.evidence.append(
            ev.Evidence(
                text=f"{sender.name}{at(sender.line)} sent {values(one.value)}",
                line=sender.line,
                node=one.node,
                tensor=tensor,
                value=one.value.norm,
            )
        )
    if len(arrived) == 1:
        for above, came in way(tape, node, last.call, seq)[-2::-1][1:WAY]:
            text = f"{above.name}{at(above.line)} got {shown(came)}"
            story.evidence.append(ev.Evidence(text=text, line=above.line, node=above.number, value=came.norm))
            story.nodes.append(above.number)
    folded = next((one for one in arrived if one.reduced_from is not None), None)
    if folded is None:
        folded = _folded_above(tape, last.call, seq, arrived)
    count = 0
    if folded is not None and folded.reduced_from is not None:
        count = math.prod(folded.reduced_from) // max(math.prod(folded.value.shape), 1)
    if folded is not None and count > 1:
        sender = tape.nodes[folded.node]
        story.sentences.append(
            f"{sender.name}{at(sender.line)} used it at shape {folded.reduced_from}, {count} times over: what was "
            f"broadcast in the forward pass is summed in the backward pass, to shape {folded.value.shape}."
        )
        story.nodes.append(sender.number)
        story.fixes.append(f"Take the mean in place of the sum for a loss that is not to grow with the {count} copies.")
    hooks = [h for h in until(node.hooks, seq) if h.call == last.call and h.where in ("tensor", "multi grad")]
    for hook in hooks:
        if hook.after is not None:
            story.sentences.append(
                f"The hook {hook.hook}{at(hook.line)} made {values(hook.after)} of the {values(hook.before)} that "
                "arrived."
            )
            story.lines.append(hook.line)
            story.fixes.append(
                f"This is the derivative of the loss by {name} as the hook left it; remove the hook, with the handle "
                "that registering gave, to have what arrived."
            )


def _folded_above(tape: Tape, call: int, seq: int, arrived: list[ev.GradientSent]) -> ev.GradientSent | None:
    """Return the sum over broadcast dims right above an op that only changes shapes, e.g. a layer's transposition."""
    for one in arrived:
        sender = tape.nodes[one.node]
        if sender.op is not None and sender.op.is_view:
            for above in sender.arrived_in(call, seq):
                if above.reduced_from is not None:
                    return above
    return None


def _ties(tape: Tape, last: Gradient, node: NodeFacts, story: _Story) -> None:
    """Add the kinks on the path, the nearest first."""
    waiting, seen = [node], {node.number}
    found: list[ev.Evidence] = []
    silent: list[Overwritten] = []
    while waiting and len(seen) < LARGEST_GRAPH and len(found) < MOST:
        for one in waiting.pop(0).arrived_in(last.call, last.seq):
            sender = tape.nodes[one.node]
            if sender.number in seen:
                continue
            seen.add(sender.number)
            waiting.append(sender)
            changed = overwritten(tape, sender, last.call)
            if changed is not None:
                silent.append(changed)
            evidence = kink(tape, sender)
            if evidence is not None:
                found.append(evidence)
    for hidden in silent[:1]:
        story.sentences.append(
            f"It is wrong: {name_of(hidden.change.op)}{at(hidden.change.line)} overwrote through .data what "
            f"{hidden.node.name}{at(hidden.node.line)} had saved as {hidden.slot}, which the version counter "
            "does not count."
        )
        story.lines.append(hidden.change.line)
        story.nodes.append(hidden.node.number)
        story.fixes.append("Use detach() in place of .data: the same change then raises an error.")
    if found:
        story.sentences.append(
            f"On its way it met {many(len(found), 'place')} without a single derivative. {found[0].text}."
        )
        story.evidence += found
        story.nodes += [one.node for one in found]
        story.lines += [one.line for one in found]
        story.fixes.append(
            "Any value between the slopes on both sides is a valid subgradient there; PyTorch's choice is as stated. "
            "Where the share matters, break the tie or take a smooth function (softplus, logsumexp)."
        )


def _complex(tape: Tape, tensor: int, name: str, story: _Story) -> None:
    kind = tape.tensors[tensor].info.value.dtype
    if "complex" in kind:
        story.sentences.append(
            f"{name} is complex: PyTorch's gradient is the conjugate of the derivative (dL/d conj z times two for a "
            "real loss), the direction of steepest ascent, so that z - lr * z.grad makes the loss smaller."
        )
        story.fixes.append(
            "Descend with .grad as it is; take .grad.conj() to compare with JAX, whose sign convention differs."
        )
        story.wrong.append("Conjugating .grad before the update climbs along the imaginary axis instead of descending.")


def _recomputed(tape: Tape, last: Gradient, story: _Story) -> None:
    found = tape.passes.get(last.call)
    if found is not None and found.recomputed:
        entered = [tape.checkpoints[r.checkpoint][0] for r in found.recomputed if r.checkpoint in tape.checkpoints]
        if entered:
            names = listed([f"{e.function}{at(e.line)}" for e in entered[:3]])
            story.sentences.append(
                f"The pass ran {names} a second time, because a checkpoint keeps no saved tensors; the gradient is the "
                "same as without it."
            )
            story.lines += [e.line for e in entered]


def _second_order(tape: Tape, last: Gradient, name: str, story: _Story) -> None:
    found = tape.passes.get(last.call)
    if found is None or not found.started.create_graph:
        return
    kept = 0
    if isinstance(last, ev.GradAccumulated):
        facts = tape.tensors.get(last.grad)
        if facts is not None and facts.requires_grad(last.seq):
            kept = facts.info.value.nbytes
    if kept:
        story.sentences.append(
            f"create_graph=True{at(found.started.line)} recorded the pass itself: {name}.grad ({amount(kept)}) has a "
            "history of its own and can be differentiated again."
        )
        story.fixes.append(
            "Take the gradient with torch.autograd.grad(loss, inputs, create_graph=True): it returns what is to be "
            "differentiated again, and .grad stays free for the optimizer."
        )
        story.wrong.append(
            f"A second backward() through {name}.grad adds the second derivative to the first in the same .grad."
        )


def _constant(tape: Tape, tensor: int, name: str, last: Gradient, story: _Story) -> None:
    """Add the paths from the tensor to the loss that count as constant."""
    found = tape.passes.get(last.call)
    if found is None:
        return
    start = descendants(tape, [tensor], found.started.seq)
    unrecorded = unrecorded_gradient(tape, found.started.roots, found.started.seq, tensor)
    if unrecorded is not None:
        gradient, earlier = unrecorded
        line = earlier.started.line
        story.sentences.append(
            f"Another way from {name} to the loss counts as constant: {tape.name(gradient, last.seq)} is a gradient, "
            f"and the pass{at(line)} that computed it recorded nothing."
        )
        story.fixes.append(
            f"Pass create_graph=True{at(line)}, where {name} is to learn from the term of the loss that is made of it."
        )
        story.lines.append(line)
        story.tensors.append(gradient)
    cut = first_cut(tape, found.started.roots, found.started.seq, start)
    if cut is not None and cut.kind != "dtype":
        story.sentences.append(f"Another way from {name} to the loss counts as constant: {description(tape, cut)}")
        story.lines.append(cut.line)
        story.tensors += [cut.source, cut.result]
