"""What one pass contributed to a gradient: which node sent it, and what that node computed it from."""

from __future__ import annotations

from collections.abc import Callable

from backscope.diagnosis.why.answer import at, in_full, listed, many, number, shown
from backscope.diagnosis.why.backward_effect import MOST as LONGEST, effect
from backscope.diagnosis.why.log.facts import NodeFacts, incoming
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev

_MOST_VIEWS = 12
"""The most ops that only change shapes that are passed over on the way to the node that computed a gradient."""

Gradient = ev.GradAccumulated | ev.GradientCaptured


def made_of(tape: Tape, seq: int, name: str, one: Gradient) -> str:
    """Return which node sent the gradient of one pass to a tensor, and what it computed that from."""
    line = tape.line_of_pass(one.call)
    node = tape.nodes.get(one.node)
    arrived = [] if node is None else node.arrived_in(one.call, seq)
    if not arrived:
        return f"backward(){at(line)} began at {name} itself, with that gradient."
    if len(arrived) > 1:
        return f"the sum of what {many(len(arrived), 'op')} sent in backward(){at(line)}."
    sent = arrived[0]
    sender, through = _past_views(tape, sent, one.call, seq)
    if through:
        sent = sender.sent_in(one.call, through[-1].number) or sent
    got = incoming(sender, one.call)
    doing = None if sent.reduced_from else effect(tape, sender, sent.input_nr, got, _valued(tape, sender), sender.seq)
    if doing is None or doing.startswith(("passes", "sends")):
        how = f"got {shown(got)} and passed it on" if got == sent.value else f"got {shown(got)} and sent it here"
    else:
        how = doing.replace("incoming gradient", f"incoming gradient ({_norm(got)})", 1)
    passed = f", which comes here through {listed([n.name for n in reversed(through)])}" if through else ""
    made = "" if sender.line is None else f" of line {sender.line}"
    return f"in backward(){at(line)}, {sender.name}{made} {how}{passed}."


def _past_views(tape: Tape, sent: ev.GradientSent, call: int, seq: int) -> tuple[NodeFacts, list[NodeFacts]]:
    """Return the node that computed a gradient, and the ops in between that only change shapes."""
    sender = tape.nodes[sent.node]
    through: list[NodeFacts] = []
    while sender.op is not None and sender.op.is_view and len(through) < _MOST_VIEWS:
        above = sender.arrived_in(call, seq)
        if len(above) != 1:
            break
        through.append(sender)
        sender = tape.nodes[above[0].node]
    return sender, through


def _norm(value: ev.Summary | None) -> str:
    return "norm unknown" if value is None or value.norm is None else f"norm {number(value.norm)}"


def _valued(tape: Tape, node: NodeFacts) -> Callable[[int], str]:
    """Return an argument of a node's op, with its value where that is small, as in `w = 3`."""

    def called(tensor: int) -> str:
        name = tape.name(tensor, node.seq)
        value = tape.value(tensor, node.seq)
        small = None if value is None else in_full(value, LONGEST)
        if small is None and value is not None and " " in name:
            return in_full(value) or f"a {value.shape} tensor"
        if small is None:
            return name
        return small if " " in name else f"{name} = {small}"

    return called
