"""One plain sentence for each moment: who does what with which numbers, in the names of the program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from backscope.diagnosis.why import Tape
from backscope.diagnosis.why.answer import amount, in_full, listed, many, number
from backscope.diagnosis.why.backward_effect import deed
from backscope.diagnosis.why.log.facts import is_dropped
from backscope.protocol import events as ev
from backscope_server.terminal import written
from backscope_server.terminal.onset import making, place_words

_MOST = 28
"""Characters that an expression takes in a sentence at most."""


def content(value: ev.Summary | None, noun: str = "tensor") -> str:
    """The elements of a small tensor, else its shape."""
    if value is None:
        return f"no {noun}"
    return in_full(value) or f"a {value.shape} {noun}"


def held_bytes(saved: Iterable[ev.SavedTensor | ev.BufferFreed]) -> int:
    """The bytes of what a node saves or frees: what stands in one memory counts once."""
    largest: dict[int, int] = {}
    for one in saved:
        largest[one.storage] = max(one.nbytes, largest.get(one.storage, 0))
    return sum(largest.values())


class Telling:
    """Tells of moments as things were called at `seq`."""

    def __init__(self, tape: Tape, seq: int) -> None:
        self.tape = tape
        self.seq = seq

    def tensor(self, number: int, depth: int = 0) -> str:
        """The variable, else how it was computed, else its value."""
        facts = self.tape.tensors.get(number)
        if facts is None:
            return "a tensor"
        name = self.tape.name(number, self.seq)
        if not name.startswith("the "):
            return name
        if facts.written and depth < 2:
            shown = self.expression(facts.written[0], depth + 1)
            if len(shown) <= _MOST:
                return shown
        value = self.tape.value(number, self.seq)
        return content(value) if value is not None else name

    def valued(self, number: int) -> str:
        """The tensor with its value where that is small, as in `w = 3`."""
        name, value = self.tensor(number), self.tape.value(number, self.seq)
        shown = None if value is None else in_full(value, 14)
        return name if shown is None or shown == name else f"{name} = {shown}"

    def node(self, number: int) -> str:
        """What a node is called."""
        facts = self.tape.nodes.get(number)
        return "a node" if facts is None else facts.name

    def receiver(self, number: int, output: int) -> str:
        """Where a gradient arrives: a leaf, the variable that the node made, or the node."""
        facts = self.tape.nodes.get(number)
        if facts is None:
            return "a node"
        if facts.leaf is not None:
            return self.tensor(facts.leaf)
        made = facts.outputs[output] if output < len(facts.outputs) else None
        name = "the " if made is None else self.tape.name(made, self.seq)
        return facts.name if name.startswith("the ") else name

    def expression(self, op: ev.OpApplied, depth: int = 0) -> str:
        """An op and what it is applied to, as one would write it."""
        inputs = self._uncopied(op) if op.op == "unsafe_view" else op.inputs
        return written.expression(
            op.op, inputs, lambda tensor: self.tensor(tensor, depth), lambda tensor: self._operand(tensor, depth)
        )

    def _uncopied(self, op: ev.OpApplied) -> list[ev.Argument]:
        """What reshape() was given: where memory had to be copied for it, the copy was made on the way."""
        found: list[ev.Argument] = []
        for a in op.inputs:
            facts = None if a.tensor is None else self.tape.tensors.get(a.tensor)
            made = facts.written[0] if facts is not None and facts.written else None
            plain = a.tensor is not None and self.tape.name(a.tensor, self.seq).startswith("the ")
            copied = made.inputs[0].tensor if made is not None and plain and made.op == "clone" else None
            found.append(a if copied is None else ev.Argument(name=a.name, tensor=copied, text=None))
        return found

    def _operand(self, number: int, depth: int) -> str:
        shown = self.tensor(number, depth)
        return f"({shown})" if " " in re.sub(r"\[.*\]|\(.*\)", "", shown) else shown

    def verb(self, node: int, nr: int, incoming: ev.Summary | None) -> str | None:
        """What a node does for one of its inputs, by the declaration of its op."""
        facts = self.tape.nodes.get(node)
        return None if facts is None else deed(self.tape, facts, nr, incoming, self.valued, self.seq)

    def about_to_run(self, node: int, call: int | None) -> str:
        """A node that a program is stopped before."""
        facts = self.tape.nodes.get(node)
        if facts is None:
            return "A node is about to run."
        name = facts.name if facts.leaf is None else f"{facts.name} of {self.tensor(facts.leaf)}"
        made = "" if facts.line is None or facts.leaf is not None else f", made at line {facts.line},"
        started = facts.run(call) if call is not None else None
        arrived = [] if call is None else facts.arrived_in(call, self.seq)
        incoming = next((g for g in started.gradients if g is not None), None) if started is not None else None
        known = None if call is None else self.tape.passes.get(call)
        if incoming is None and known is not None and node in known.started.root_nodes:
            incoming = known.started.gradients[known.started.root_nodes.index(node)]
        if incoming is None and arrived:
            incoming = arrived[-1].total or arrived[-1].value
        of = "" if incoming is None else f" on {content(incoming, 'gradient')}"
        return f"#{node} {name}{made} is about to run{of}."

    def moment(self, main: ev.Event, events: Sequence[ev.Event]) -> str:
        """The sentence of a moment."""
        tell = _SENTENCES.get(type(main))
        return f"{type(main).__name__}." if tell is None else tell(self, main, events)


def _created(t: Telling, e: ev.TensorCreated, events: Sequence[ev.Event]) -> str:
    name, value = t.tensor(e.info.tensor), content(e.info.value)
    made = value if name == value else f"{name} = {value}" if in_full(e.info.value) else f"{name}, {value}"
    wants = " It requires grad." if e.info.requires_grad else ""
    if e.origin == "data":
        return f".data gives {made}: the same memory, off the tape."
    if e.origin == "dropout":
        return f"Dropout draws what it keeps: {made}."
    return (
        f"{made}." + wants
        if e.origin in ("alias", "leaf", "grad", "gradient")
        else f"{e.origin}() makes {made}.{wants}"
    )


def _applied(t: Telling, e: ev.OpApplied, events: Sequence[ev.Event]) -> str:
    out = e.outputs[0] if e.outputs else None
    if e.in_place and out is not None:
        what = f"{t.tensor(out.tensor)} in place to {content(out.value)}"
        return f"{written.name_of(e.op)} changes {what}: it is now at version {out.version}."
    given = listed([
        content(o.value) if t.tape.name(o.tensor, t.seq).startswith("the ") else
        f"{t.tensor(o.tensor)}{' = ' if in_full(o.value) else ', '}{content(o.value)}"
        for nr, o in enumerate(e.outputs) if nr not in e.hidden
    ])  # fmt: skip
    if (again := t.tape.repeats.get(e.seq)) is not None:
        function, first_time = again
        is_kept = any(o.tensor in t.tape.kept_results for o in first_time.outputs)
        how = "is not computed, as the policy kept" if is_kept else "gives"
        return f"{function} runs again for the checkpoint: {t.expression(e)} {how} {given or 'nothing'}."
    first = f"{t.expression(e)} gives {given or 'nothing'}."
    begins = _begins(t, e)
    if e.node is None:
        cut = any(a.tensor is not None and _requires(t, a.tensor) for a in e.inputs)
        return first + (" It is not recorded: no gradient will flow back through it." if cut else "") + begins
    packs = [p for p in events if isinstance(p, ev.SavedTensorPacked) and p.node == e.node.node]
    if packs and all(is_dropped(p) for p in packs):
        return f"{first} {e.node.name} joins the graph. Under checkpoint it keeps nothing: {_fates(t, e)}.{begins}"
    saved = list(dict.fromkeys(s.slot.removeprefix("_saved_") for s in e.node.saved))
    kept = f" and saves {listed(saved)}: {amount(held_bytes(e.node.saved))}" if saved else ""
    return f"{first} {e.node.name} joins the graph{kept}.{begins}"


def _fates(t: Telling, e: ev.OpApplied) -> str:
    """What becomes of what a node saves under a checkpoint."""
    assert e.node is not None
    entered = max(
        (c.seq for c, left in t.tape.checkpoints.values() if c.seq < e.seq and not _is_over(left, e)), default=0
    )
    kept: dict[str, None] = {}
    given: dict[str, None] = {}
    computed: dict[str, None] = {}
    for saved in e.node.saved:
        facts = None if saved.tensor is None else t.tape.tensors.get(saved.tensor)
        name = saved.slot.removeprefix("_saved_") if facts is None else t.tensor(facts.number)
        fate = computed
        if facts is not None and facts.made.seq < entered:
            fate = given
        elif facts is not None and facts.number in t.tape.kept_results:
            fate = kept
        fate[name] = None
    parts = [f"the policy keeps {listed([*kept])}"] if kept else []
    parts += [f"{listed([*given])} {'is' if len(given) == 1 else 'are'} given again"] if given else []
    parts += [f"{listed([*computed])} will be computed again"] if computed else []
    return listed(parts)


def _is_over(left: list[ev.CheckpointLeft], e: ev.OpApplied) -> bool:
    return any(one.seq < e.seq for one in left)


def _requires(t: Telling, tensor: int) -> bool:
    facts = t.tape.tensors.get(tensor)
    return facts is not None and facts.requires_grad(t.seq)


def _bad(value: ev.Summary | None) -> bool:
    return value is not None and value.nan_count + value.inf_count > 0


def _begins(t: Telling, e: ev.OpApplied) -> str:
    bad = next((o.value for o in e.outputs if _bad(o.value)), None)
    inputs = [t.tape.value(a.tensor, e.seq - 1) for a in e.inputs if a.tensor is not None]
    if bad is None or not inputs or any(_bad(value) for value in inputs):
        return ""
    begun = f" The {'NaN' if bad.nan_count else 'Inf'} begins here{place_words(bad)}: "
    made = making(t.tape, e, bad)
    return begun + ("every input was finite." if made is None else f"{made}. Every input was finite.")


def _mutated(t: Telling, e: ev.TensorMutated, events: Sequence[ev.Event]) -> str:
    return f"{written.name_of(e.op)} changes {t.tensor(e.tensor)} in place: it is now at version {e.version}."


def _tracked(t: Telling, e: ev.RequiresGradChanged, events: Sequence[ev.Event]) -> str:
    return f"{t.tensor(e.tensor)} requires grad {'from here on' if e.requires_grad else 'no longer'}."


def _backward(t: Telling, e: ev.BackwardStarted, events: Sequence[ev.Event]) -> str:
    roots = listed([t.tensor(root) for root in e.roots])
    inputs = "" if e.inputs is None else listed([t.tensor(number) for number in e.inputs])
    who = f"autograd.grad() of {roots} by {inputs}" if e.api == "grad" else f"backward() of {roots}"
    start = content(e.gradients[0], "gradient") if e.gradients else "1"
    kept = " retain_graph keeps what is saved." if e.retain_graph and not e.create_graph else ""
    also = " The pass is itself recorded (create_graph)." if e.create_graph else ""
    return f"{who} starts at {listed([t.node(node) for node in e.root_nodes])} with the gradient {start}.{kept}{also}"


def _ran(t: Telling, e: ev.NodeStarted, events: Sequence[ev.Event]) -> str:
    name = t.node(e.node)
    incoming = next((g for g in e.gradients if g is not None), None)
    sent = [s for s in events if isinstance(s, ev.GradientSent) and s.node == e.node]
    if not sent:
        return f"{name} receives {content(incoming, 'gradient')}."
    deeds: list[str] = []
    for s in sent:
        to, value = t.receiver(s.to_node, s.output_nr), content(s.value, "gradient")
        doing = None if s.reduced_from else t.verb(e.node, s.input_nr, incoming)
        plain = doing is None or doing.startswith(("passes", "sends"))
        deeds.append(f"sends {value} to {to}" if plain else f"{doing} and sends {value} to {to}")
    first = "" if any(" and sends " in deed for deed in deeds) else f"receives {content(incoming, 'gradient')} and "
    said = f"{name} {first}{'; it '.join(dict.fromkeys(deeds))}."
    for s in sent:
        if s.reduced_from:
            said += f" {t.receiver(s.to_node, s.output_nr)} was broadcast to {s.reduced_from}: the gradient is summed."
    bad = next((s.value for s in sent if _bad(s.value)), None)
    if bad is not None and not _bad(incoming) and not _keeps_nan(t, e.node):
        said += f" The {'NaN' if bad.nan_count else 'Inf'} begins here{place_words(bad)}: what came in was finite."
    freed = [f for f in events if isinstance(f, ev.BufferFreed) and f.node == e.node]
    return said + (f" It frees what it saved: {amount(held_bytes(freed))}." if freed else "")


def _keeps_nan(t: Telling, node: int) -> bool:
    """Whether a node had saved a NaN, which the forward pass made."""
    info = t.tape.nodes[node].info
    kept = [t.tape.value(saved.tensor, t.seq) for saved in (info.saved if info else []) if saved.tensor is not None]
    return any(value is not None and value.nan_count > 0 for value in kept)


def _accumulated(t: Telling, e: ev.GradAccumulated, events: Sequence[ev.Event]) -> str:
    name = f"{t.tensor(e.tensor)}.grad"
    if e.before is None:
        return f"{name} was None; it is now {content(e.after, 'gradient')}."
    before, added, after = (in_full(value, 24) for value in (e.before, e.added, e.after))
    if before and added and after:
        return f"{name} was {before}; adding {added} gives {after}: backward() accumulates."
    return f"{name} already held {content(e.before, 'gradient')}; the new one is added to it."


def _captured(t: Telling, e: ev.GradientCaptured, events: Sequence[ev.Event]) -> str:
    name = t.node(e.node) if e.tensor is None else t.tensor(e.tensor)
    who = f"retain_grad() keeps it in {name}.grad" if e.into == "grad" else "autograd.grad() keeps it as its result"
    return f"The gradient of {name} is {content(e.value, 'gradient')}: {who}."


def _cleared(t: Telling, e: ev.GradCleared, events: Sequence[ev.Event]) -> str:
    name = f"{t.tensor(e.tensor)}.grad"
    if e.how == "none":
        return f"{name} is emptied: it is None again."
    return f"{name} is assigned{'' if e.value is None else ' ' + content(e.value)}."


def _holds(value: ev.Summary) -> str:
    shown = in_full(value, 20)
    if shown is not None:
        return f"= {shown}"
    return f"of shape {value.shape}" if value.norm is None else f"has norm {number(value.norm)}"


def _finished(t: Telling, e: ev.BackwardFinished, events: Sequence[ev.Event]) -> str:
    landed = [
        g for f in t.tape.tensors.values() for g in f.grads if isinstance(g, ev.GradAccumulated) and g.call == e.call
    ]
    parts = [f"{t.tensor(g.tensor)}.grad {_holds(g.after)}" for g in landed[:4]]
    more = " and more" if len(landed) > 4 else ""
    return f"The backward pass is done{': ' + ', '.join(parts) + more if parts else ''}."


def _stepped(t: Telling, e: ev.OptimizerStepped, events: Sequence[ev.Event]) -> str:
    moved = [
        f"{t.tensor(u.tensor)} from {in_full(u.before, 14)} to {in_full(u.after, 14)}"
        if in_full(u.before, 14) and in_full(u.after, 14)
        else t.tensor(u.tensor)
        for u in e.updates[:4]
    ]
    more = f" and {len(e.updates) - 4} more" if len(e.updates) > 4 else ""
    what = f"moves {listed(moved)}{more}" if moved else "moves nothing: no parameter has a gradient"
    return f"{e.optimizer}.step() number {e.number} {what}."


def _hooked(t: Telling, e: ev.HookRan, events: Sequence[ev.Event]) -> str:
    on = e.module or (
        t.tensor(e.tensor) if e.tensor is not None else t.node(e.node) if e.node is not None else "the pass"
    )
    saw = "" if e.before is None else f" saw {content(e.before, 'gradient')} and"
    did = " left it as it is" if e.after is None else f" replaced it with {content(e.after, 'gradient')}"
    return f"The {e.where} hook {e.hook} of {on}{saw + did if saw else ' ran'}."


def _hung(t: Telling, e: Any, events: Sequence[ev.Event]) -> str:
    on = t.tensor(e.tensor) if e.tensor is not None else t.node(e.node)
    return f"The {e.where} hook {e.hook} is {'hung on' if isinstance(e, ev.HookRegistered) else 'taken off'} {on}."


def _printed(t: Telling, e: ev.OutputPrinted, events: Sequence[ev.Event]) -> str:
    first, *more = e.text.strip().split("\n")
    rest = f" ... ({many(len(more) + 1, 'line')})" if more else ""
    return f'The program prints "{first if len(first) <= 60 else first[:57] + "..."}"{rest}.'


def _failed(t: Telling, e: ev.ErrorRaised, events: Sequence[ev.Event]) -> str:
    where = "" if e.line is None else f" at line {e.line}"
    if e.diagnosis is not None:
        return f"{e.type}{where}: {e.diagnosis.cause}"
    return f"{e.type}{where}: {e.message.strip() or 'without a message'}"


def _warned(t: Telling, e: ev.WarningRaised, events: Sequence[ev.Event]) -> str:
    return f"{e.category}: {e.message}"


def _recomputed(t: Telling, e: Any, events: Sequence[ev.Event]) -> str:
    if isinstance(e, ev.RecomputationFinished):
        return "The checkpointed function has run again."
    entered = t.tape.checkpoints.get(e.checkpoint)
    selective = entered is not None and entered[0].selective
    why = "for what its policy did not keep" if selective else "because its tensors were not kept"
    return f"The checkpointed function runs again, {why}."


def _checkpointed(t: Telling, e: ev.CheckpointEntered, events: Sequence[ev.Event]) -> str:
    if e.selective:
        return f"checkpoint runs {e.function}: its policy says which results are kept, the others are computed again."
    return f"checkpoint runs {e.function} without keeping what its backward needs."


_SENTENCES: dict[type[Any], Any] = {
    ev.TensorCreated: _created,
    ev.OpApplied: _applied,
    ev.TensorMutated: _mutated,
    ev.RequiresGradChanged: _tracked,
    ev.BackwardStarted: _backward,
    ev.NodeStarted: _ran,
    ev.GradAccumulated: _accumulated,
    ev.GradientCaptured: _captured,
    ev.GradCleared: _cleared,
    ev.BackwardFinished: _finished,
    ev.OptimizerStepped: _stepped,
    ev.HookRan: _hooked,
    ev.HookRegistered: _hung,
    ev.HookRemoved: _hung,
    ev.OutputPrinted: _printed,
    ev.ErrorRaised: _failed,
    ev.WarningRaised: _warned,
    ev.RecomputationStarted: _recomputed,
    ev.RecomputationFinished: _recomputed,
    ev.CheckpointEntered: _checkpointed,
    ev.SavedTensorUnpacked: lambda t, e, _: f"The unpack hook {e.hook} gives {t.node(e.node)} its {e.slot} back.",
    ev.TangentComputed: lambda t, e, _: f"{t.valued(e.tensor)} has the tangent {content(e.value)}.",
    ev.ValueChanged: lambda t, e, _: f"You set {e.target} to {e.expression}.",
    ev.ProgramFinished: lambda t, e, _: "The program is over.",
}
