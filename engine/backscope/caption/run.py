"""A run for captions: its events, an index over them, and its steps."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from backscope.caption.error_outcomes import ErrorOutcomes
from backscope.caption.module_calls import ModuleCalls
from backscope.caption.series import Series
from backscope.caption.steps import Moment, Steps, kind_of
from backscope.diagnosis.why import Tape
from backscope.protocol import events as ev


class Pack(NamedTuple):
    """A pack hook's or a checkpoint's event of a saved tensor, and the checkpoint that was running."""

    event: ev.SavedTensorPacked
    under: ev.CheckpointEntered | None


class Run:
    """The events of a run as they come, an index over them, and its moments."""

    def __init__(self) -> None:
        self.events: list[ev.Event] = []
        self.tape = Tape()
        self.steps = Steps(self.events)
        self.outcomes = ErrorOutcomes()
        self.module_calls = ModuleCalls()
        self.values: dict[int, Series[ev.Summary]] = {}
        """The values of each tensor over the run."""
        self.grad_fns: dict[int, Series[int | None]] = {}
        """The grad_fn of each tensor."""
        self.tangents: dict[int, Series[ev.TangentComputed]] = {}
        self.made: dict[int, list[int]] = {}
        """The tensors that each node made."""
        self.savers: dict[int, dict[tuple[int, str], ev.SavedTensor]] = {}
        """The saved tensors of each storage, by node and slot."""
        self.packs: dict[tuple[int, str], Pack] = {}
        self.recomputations: Series[ev.RecomputationStarted | None] = Series()
        """The recomputations, each until its end."""
        self._versions: dict[tuple[str, int], Series[int]] = {}
        self._apart: dict[int, int] = {}
        """The tensor with the version counter of `x.data` and its views, by tensor."""
        self._rebased: dict[int, int] = {}
        """The nodes that the current op gave to tensors."""
        self._under: list[ev.CheckpointEntered] = []

    @property
    def moments(self) -> list[Moment]:
        """The steps of the run so far."""
        return self.steps.all

    def inside(self, moment: Moment) -> list[ev.Event]:
        """Return the events of a moment."""
        return self.events[moment.first : moment.last + 1]

    def index(self, seq: int) -> int:
        """Return the number of the moment that an event belongs to, -1 before the first."""
        return bisect_right(self.moments, seq, key=lambda moment: moment.first) - 1

    def within(self, moment: Moment) -> int:
        """Return the last event of a moment before functions returned and released their variables."""
        events = self.inside(moment)
        while len(events) > 1 and isinstance(events[-1], (ev.FunctionLeft, ev.TensorReleased)):
            events.pop()
        return events[-1].seq

    def version(self, tensor: int | None, storage: int, seq: int) -> int | None:
        """Return the version of a tensor's memory by that tensor's own counter, None if it is not known."""
        series = self._versions.get(self._counter(tensor, storage))
        return None if series is None else series.at(seq)

    def take(self, event: ev.Event) -> None:
        """Add the next event to the run and its index."""
        event = self.tape.files.read(event)
        kind = kind_of(event)
        self.events.append(event)
        self.tape.extend((event,))
        self.outcomes.add(event, kind)
        self.module_calls.add(event)
        self._index(event)
        self.steps.add(event, kind)

    def _index(self, event: ev.Event) -> None:
        match event:
            case ev.OpApplied():
                self._op(event)
            case ev.TensorCreated():
                if event.origin == "data":
                    self._apart[event.info.tensor] = event.info.tensor
                self._tensor(event.info, event.seq, None)
            case ev.TensorMutated():
                if event.tensor in self.values:
                    self.values[event.tensor].push(event.seq, event.value)
                self._version(event.tensor, event.storage, event.seq, event.version)
            case ev.OptimizerStepped():
                for update in event.updates:
                    if update.tensor in self.values:
                        self.values[update.tensor].push(event.seq, update.after)
            case ev.GraphRebased():
                self._saves(event.node)
                self.made[event.node.node] = [event.tensor]
                if event.tensor in self.grad_fns:
                    self.grad_fns[event.tensor].push(event.seq, event.node.node)
                self._rebased[event.tensor] = event.node.node
            case ev.TangentComputed():
                self.tangents.setdefault(event.tensor, Series()).push(event.seq, event)
            case ev.CheckpointEntered():
                self._under.append(event)
            case ev.CheckpointLeft():
                place = next((i for i, one in enumerate(self._under) if one.checkpoint == event.checkpoint), None)
                if place is not None:
                    del self._under[place:]
            case ev.RecomputationStarted():
                self.recomputations.push(event.seq, event)
            case ev.RecomputationFinished():
                self.recomputations.push(event.seq, None)
            case ev.SavedTensorPacked():
                if event.node in self.tape.nodes:
                    under = self._under[-1] if self._under else None
                    self.packs[event.node, event.slot] = Pack(event, under)

    def _op(self, event: ev.OpApplied) -> None:
        node = event.node
        if node is not None:
            # In place on a view: the node is the grad_fn of the whole that the view is a part of.
            self._saves(node)
            self.made.setdefault(node.node, [output.tensor for output in event.outputs])
        given = event.inputs[0].tensor if event.is_view and event.inputs else None
        counter = None if given is None else self._apart.get(given)
        for output in event.outputs:
            if counter is not None:
                self._apart[output.tensor] = counter
            # A view that was changed in place got its own node before.
            tracked = node is not None and output.requires_grad
            self._tensor(output, event.seq, self._rebased.get(output.tensor, node.node) if tracked and node else None)
        self._rebased.clear()

    def _tensor(self, info: ev.TensorInfo, seq: int, grad_fn: int | None) -> None:
        self.values.setdefault(info.tensor, Series()).push(seq, info.value)
        self.grad_fns.setdefault(info.tensor, Series()).push(seq, grad_fn)
        self._version(info.tensor, info.storage, seq, info.version)

    def _saves(self, node: ev.NodeInfo) -> None:
        for saved in node.saved:
            self.savers.setdefault(saved.storage, {})[node.node, saved.slot] = saved

    def _counter(self, tensor: int | None, storage: int) -> tuple[str, int]:
        apart = None if tensor is None else self._apart.get(tensor)
        return ("storage", storage) if apart is None else ("tensor", apart)

    def _version(self, tensor: int, storage: int, seq: int, version: int) -> None:
        series = self._versions.setdefault(self._counter(tensor, storage), Series())
        if not series.entries or series.entries[-1] != version:
            series.push(seq, version)
