"""The facts about each tensor, node and backward pass: the events about it, in their order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Set
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

from backscope.diagnosis.why.budget import step
from backscope.protocol import events as ev

E = TypeVar("E", bound=Any)

by_seq = attrgetter("seq")
_when = itemgetter(0)


def is_odd(value: ev.Summary | None) -> bool:
    """Return whether there is a NaN or an infinity."""
    return value is not None and bool(value.nan_count or value.inf_count)


def until(events: list[E], seq: int) -> list[E]:
    """Return the events up to the moment `seq`, in their order."""
    step()
    if not events or events[-1].seq <= seq:
        return events
    return events[: bisect_right(events, seq, key=by_seq)]


def last(events: list[E], seq: int) -> E | None:
    """Return the latest of some events up to the moment `seq`, or None."""
    step()
    if not events:
        return None
    if events[-1].seq <= seq:
        return events[-1]
    place = bisect_right(events, seq, key=by_seq)
    return events[place - 1] if place else None


def is_dropped(event: ev.SavedTensorPacked) -> bool:
    """Return whether a checkpoint holds no saved tensor for a slot, and recomputes it."""
    return event.hook == "checkpoint" and event.packed == "Placeholder"


class TensorFacts:
    """A tensor: `info` as it was when the program got it, `made` the first event about it.

    `written` are the ops that gave it its value: the one that made it, a custom Function around that, in-place ops.
    `history` are the moments at which its grad_fn became another node, `grads` what happened to its `.grad`.
    """

    __slots__ = (
        "accumulate", "grads", "history", "hooks", "info", "kept", "made", "names", "number", "released",
        "tracking", "used", "written",
    )  # fmt: skip

    # Any: an event of any of the kinds that make tensors.
    def __init__(self, number: int, made: Any, info: ev.TensorInfo) -> None:
        self.number = number
        self.made = made
        self.info = info
        self.names: list[ev.TensorNamed] = []
        self.kept: list[ev.TensorKept] = []
        self.written: list[ev.OpApplied] = []
        self.used: list[ev.OpApplied] = []
        self.history: list[tuple[int, int | None]] = []
        self.tracking: list[tuple[int, bool, int | None]] = [(made.seq, info.requires_grad, made.line)]
        self.grads: list[Any] = []
        self.accumulate: list[tuple[int, int]] = []
        self.hooks: list[ev.HookRegistered] = []
        self.released: int | None = None

    def grad_fn(self, seq: int) -> int | None:
        """Return its node at a moment, or None for a leaf."""
        step()
        place = bisect_right(self.history, seq, key=_when)
        return self.history[place - 1][1] if place else None

    def receiver(self, seq: int) -> int | None:
        """Return the node that its gradient arrives at: its grad_fn, or for a leaf its AccumulateGrad."""
        node = self.grad_fn(seq)
        if node is not None:
            return node
        for when, number in reversed(self.accumulate):
            if when <= seq:
                return number
        return None

    def requires_grad(self, seq: int) -> bool:
        """Return whether it required grad at a moment."""
        step()
        return self.tracking[max(0, bisect_right(self.tracking, seq, key=_when) - 1)][1]

    def switched_off(self, seq: int) -> tuple[int | None] | None:
        """Return the line where requires_grad was set to False last, if it does not require grad; else None."""
        known = self.tracking[: bisect_right(self.tracking, seq, key=_when)]
        if len(known) > 1 and not known[-1][1] and any(on for _, on, _ in known):
            return (known[-1][2],)
        return None

    def alive(self, seq: int) -> bool:
        """Return whether the program or the tape still had it."""
        return self.made.seq <= seq and (self.released is None or self.released > seq)


class NodeFacts:
    """A node: `info` and `op` where an op made it, `leaf` for an AccumulateGrad.

    `runs`, `sent`, `arrived` and `freed` are what backward passes did with it; `dropped` are the slots that a
    checkpoint took from it.
    """

    __slots__ = (
        "arrived", "dropped", "freed", "hooks", "info", "leaf", "line", "name", "number", "op", "outputs",
        "released", "runs", "sent", "seq",
    )  # fmt: skip

    def __init__(self, number: int, name: str, seq: int, line: int | None) -> None:
        self.number = number
        self.name = name
        self.seq = seq
        self.line = line
        self.info: ev.NodeInfo | None = None
        self.op: ev.OpApplied | None = None
        self.leaf: int | None = None
        self.outputs: list[int] = []
        self.runs: list[ev.NodeStarted] = []
        self.sent: list[ev.GradientSent] = []
        self.arrived: list[ev.GradientSent] = []
        self.freed: list[ev.BufferFreed] = []
        self.dropped: Set[str] = frozenset()
        self.hooks: list[ev.HookRan] = []
        self.released: int | None = None

    @property
    def below(self) -> list[int]:
        """The nodes that its gradients go to."""
        step()
        return [] if self.info is None else [e.node for e in self.info.next_functions if e is not None]

    def alive(self, seq: int) -> bool:
        """Return whether it was there at a moment."""
        return self.seq <= seq and (self.released is None or self.released > seq)

    def kept(self, seq: int) -> list[ev.SavedTensor]:
        """Return its saved tensors at a moment, without those that are freed or left to a checkpoint."""
        freed = {*self.dropped, *[f.slot for f in until(self.freed, seq)]}
        return [] if self.info is None else [saved for saved in self.info.saved if saved.slot not in freed]

    def run(self, call: int) -> ev.NodeStarted | None:
        """Return its run in a pass, which has the incoming gradients."""
        step()
        return next((r for r in reversed(self.runs) if r.call == call), None)

    def arrived_in(self, call: int, seq: int) -> list[ev.GradientSent]:
        """Return what arrived at it in a pass, up to a moment; of a gradient that was changed, the later one."""
        step()
        found: dict[tuple[int, int], ev.GradientSent] = {}
        for sent in self.arrived:
            if sent.call == call and sent.seq <= seq:
                found[sent.node, sent.input_nr] = sent
        return list(found.values())

    def sent_in(self, call: int, to_node: int) -> ev.GradientSent | None:
        """Return what it sent last to another node in a pass."""
        step()
        return next((s for s in reversed(self.sent) if s.call == call and s.to_node == to_node), None)


class PassFacts:
    """A call of backward() or autograd.grad()."""

    __slots__ = ("finished", "recomputed", "started")

    def __init__(self, started: ev.BackwardStarted) -> None:
        self.started = started
        self.finished: ev.BackwardFinished | None = None
        self.recomputed: list[ev.RecomputationStarted] = []

    def over(self, seq: int) -> bool:
        """Return whether it had returned by a moment."""
        return self.finished is not None and self.finished.seq <= seq


def incoming(node: NodeFacts, call: int) -> ev.Summary | None:
    """Return the first gradient that a node ran with in a pass."""
    run = node.run(call)
    return None if run is None else next((g for g in run.gradients if g is not None), None)


def lines_of(*lines: int | Iterable[int | None] | None) -> list[int]:
    """Return the known lines in the order given, each once."""
    flat: list[int | None] = []
    for one in lines:
        if one is None or isinstance(one, int):
            flat.append(one)
        else:
            flat.extend(one)
    return [x for x in dict.fromkeys(flat) if x is not None]
