"""Indexes the log of a run by the subjects of its events: tensors, nodes, passes, memory and names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from backscope.diagnosis.why.budget import step
from backscope.diagnosis.why.log.facts import NodeFacts, PassFacts, TensorFacts, is_dropped, is_odd
from backscope.diagnosis.why.log.repeats import Repeats
from backscope.diagnosis.why.log.scope import Scope, Scopes
from backscope.protocol import events as ev
from backscope.protocol.file_lines import ProgramFiles


class Index:
    """An index over the events of one run; it grows event by event.

    `seq` is the number of the last event.  Events come in their order, each once.

    Raises: ValueError for an event out of order.
    """

    def __init__(self, events: Iterable[ev.Event] = ()) -> None:
        self.seq = -1
        self.tensors: dict[int, TensorFacts] = {}
        self.nodes: dict[int, NodeFacts] = {}
        self.passes: dict[int, PassFacts] = {}
        self.storages: dict[int, list[int]] = {}
        """The tensors that live in each storage."""
        self.parameters: dict[int, int] = {}
        """The first Parameter in each storage."""
        self.mutations: dict[int, list[ev.TensorMutated]] = {}
        """The in-place changes of each storage."""
        self.changes: dict[tuple[int, int], list[ev.TensorMutated]] = {}
        """The in-place changes of each storage and tensor."""
        self.written: dict[int, list[ev.OpApplied]] = {}
        """The in-place ops on each storage."""
        self.written_odd: dict[int, list[ev.OpApplied]] = {}
        """The in-place ops on each storage that had a NaN or an infinity in their results."""
        self.changed_odd: dict[tuple[int, int], list[ev.TensorMutated]] = {}
        """The changes of each storage and tensor that were not an op's and left a NaN or an infinity."""
        self.bound: dict[str, list[ev.TensorNamed]] = {}
        """The tensors that each variable was bound to."""
        self.scopes = Scopes()
        self.files = ProgramFiles()
        """The lines of the program."""
        self._line: int | None = None
        self.entered: list[tuple[int, Scope]] = []
        """The function that the program was in, and since which event, by the lines of its events."""
        self.modes: list[ev.GradModeChanged] = []
        self.rounds: list[ev.RoundStarted] = []
        self.outer: dict[int, int | None] = {}
        """By loop, the loop around it."""
        self.loops_over: dict[int, ev.LoopFinished] = {}
        self.errors: list[ev.ErrorRaised] = []
        self.warnings: list[ev.WarningRaised] = []
        self.checkpoints: dict[int, tuple[ev.CheckpointEntered, list[ev.CheckpointLeft]]] = {}
        self.kept_results: set[int] = set()
        """The tensors that the policies of selective checkpoints kept."""
        self.recomputations: list[ev.RecomputationStarted] = []
        self._repeats = Repeats()
        self.repeats = self._repeats.found
        self.modules: list[ev.ModuleDescribed] = []
        self.calls: list[ev.ModuleEntered] = []
        self.hooks: list[ev.HookRegistered] = []
        self.module_hooks: list[ev.ModuleHookRegistered] = []
        self.hooks_removed: list[ev.HookRemoved] = []
        self.hook_runs: list[ev.HookRan] = []
        self.over: int | None = None
        """When the program finished."""
        self.steps: list[ev.OptimizerStepped] = []
        self.odd: list[Any] = []
        """The events with a NaN or an infinity in them, of ops and passes."""
        self.grad_of: dict[int, int] = {}
        """By a tensor that is a `.grad`, its leaf."""
        self.results: dict[int, list[ev.GradientCaptured]] = {}
        """The gradients that autograd.grad() returned, by leaf."""
        self.result_of: dict[int, ev.GradientCaptured] = {}
        """The gradients that autograd.grad() returned, by the tensor that was made for each."""
        self.storage_bytes: dict[int, int] = {}
        self.begun: dict[int, int] = {}
        """By the seq of an in-place op, that of the first change of memory that belongs to it."""
        self.op_of: dict[int, ev.OpApplied] = {}
        """By the seq of a change of memory, the in-place op that it belongs to."""
        self._changing: dict[tuple[int, int], int] = {}
        self.by_hand: dict[int, ev.ValueChanged] = {}
        self.assignments: list[ev.ValueChanged] = []
        """The user's assignments in the debugger, by the seq of the change of memory that each caused."""
        self.cache: dict[tuple[str, int], Any] = {}
        """Results of searches for a moment, by name; see moment_cache.py."""
        self._hand: ev.ValueChanged | None = None
        self._made_last = (-1, -1)
        self._open: list[int] = []
        self._take: dict[type, Callable[[Any], None]] = {
            ev.TensorCreated: self._created,
            ev.TensorNamed: self._named,
            ev.TensorKept: self._kept,
            ev.TensorMutated: self._mutated,
            ev.RequiresGradChanged: self._tracking,
            ev.TensorReleased: self._released,
            ev.NodeCreated: self._node,
            ev.NodeReleased: self._node_released,
            ev.OpApplied: self._op,
            ev.ModuleDescribed: self.modules.append,
            ev.ModuleEntered: self.calls.append,
            ev.RoundStarted: self._round,
            ev.LoopFinished: self._loop_over,
            ev.GradModeChanged: self.modes.append,
            ev.GraphRebased: self._rebased,
            ev.BackwardStarted: self._pass,
            ev.ProgramStarted: self._started,
            ev.SourceAdded: self._file_added,
            ev.NodeStarted: self._ran,
            ev.GradientSent: self._sent,
            ev.HookRegistered: self._hung,
            ev.ModuleHookRegistered: self.module_hooks.append,
            ev.HookRemoved: self.hooks_removed.append,
            ev.HookRan: self._hooked,
            ev.CheckpointEntered: self._checkpoint,
            ev.CheckpointLeft: self._checkpoint_left,
            ev.RecomputationStarted: self._recomputed,
            ev.RecomputationFinished: self._repeats.end,
            ev.BufferFreed: self._freed,
            ev.SavedTensorPacked: self._packed,
            ev.GradAccumulated: self._accumulated,
            ev.GradientCaptured: self._captured,
            ev.GradCleared: self._cleared,
            ev.BackwardFinished: self._pass_over,
            ev.OptimizerStepped: self.steps.append,
            ev.ProgramFinished: self._over,
            ev.ValueChanged: self._changed_by_hand,
            ev.Resumed: self._gone_on,
            ev.WarningRaised: self.warnings.append,
            ev.ErrorRaised: self.errors.append,
        }
        self.extend(events)

    def extend(self, events: Iterable[ev.Event]) -> None:
        """Add the events that follow."""
        for event in events:
            self.add(event)

    def add(self, event: ev.Event) -> None:
        """Add the event that follows."""
        step()
        if event.seq <= self.seq:
            raise ValueError(f"Event {event.seq} comes after event {self.seq}: a tape takes each once, in order.")
        self.seq = event.seq
        event = self.files.read(event)
        self.cache.clear()
        line = event.line
        if line is not None and line != self._line:
            self._line = line
            scope = self.scopes.of(line)
            if not self.entered or self.entered[-1][1] != scope:
                self.entered.append((event.seq, scope))
        take = self._take.get(event.__class__)
        if take is not None:
            take(event)

    def _tensor(self, made: Any, info: ev.TensorInfo) -> TensorFacts:
        facts = self.tensors[info.tensor] = TensorFacts(info.tensor, made, info)
        self.storages.setdefault(info.storage, []).append(info.tensor)
        if isinstance(made, ev.TensorCreated) and made.origin == "Parameter":
            self.parameters.setdefault(info.storage, info.tensor)
        if info.value.nbytes > self.storage_bytes.get(info.storage, -1):
            self.storage_bytes[info.storage] = info.value.nbytes
        return facts

    def _started(self, event: ev.ProgramStarted) -> None:
        self.scopes.add(event.source or "")

    def _file_added(self, event: ev.SourceAdded) -> None:
        self.scopes.add(event.source or "", event.file or 0)

    def _created(self, event: ev.TensorCreated) -> None:
        self._tensor(event, event.info)
        self._made_last = event.seq, event.info.tensor

    def _named(self, event: ev.TensorNamed) -> None:
        facts = self.tensors.get(event.tensor)
        if facts is not None:
            facts.names.append(event)
        self.bound.setdefault(event.name, []).append(event)

    def _kept(self, event: ev.TensorKept) -> None:
        facts = self.tensors.get(event.tensor)
        if facts is not None:
            facts.kept.append(event)

    def _changed_by_hand(self, event: ev.ValueChanged) -> None:
        self._hand = event
        self.assignments.append(event)

    def _gone_on(self, event: ev.Resumed) -> None:
        self._hand = None

    def _mutated(self, event: ev.TensorMutated) -> None:
        if self._hand is not None:
            self.by_hand[event.seq] = self._hand
        self.mutations.setdefault(event.storage, []).append(event)
        self.changes.setdefault((event.storage, event.tensor), []).append(event)
        if event.through is not None:
            return
        self._changing[event.storage, event.tensor] = event.seq
        if is_odd(event.value):
            self.odd.append(event)
            self.changed_odd.setdefault((event.storage, event.tensor), []).append(event)

    def _tracking(self, event: ev.RequiresGradChanged) -> None:
        facts = self.tensors.get(event.tensor)
        if facts is not None:
            facts.tracking.append((event.seq, event.requires_grad, event.line))

    def _released(self, event: ev.TensorReleased) -> None:
        facts = self.tensors.get(event.tensor)
        if facts is not None and facts.released is None:
            facts.released = event.seq

    def _node(self, event: ev.NodeCreated) -> None:
        facts = self.nodes[event.node] = NodeFacts(event.node, event.name, event.seq, event.line)
        facts.leaf = event.tensor
        if event.tensor is not None and event.tensor in self.tensors:
            self.tensors[event.tensor].accumulate.append((event.seq, event.node))

    def _node_released(self, event: ev.NodeReleased) -> None:
        facts = self.nodes.get(event.node)
        if facts is not None and facts.released is None:
            facts.released = event.seq

    def _op(self, event: ev.OpApplied) -> None:
        self._repeats.op(event)
        node = None
        if event.node is not None:
            number = event.node.node
            node = self.nodes.get(number)
            if node is None:
                node = self.nodes[number] = NodeFacts(number, event.node.name, event.seq, event.line)
            node.info, node.op = event.node, event
        for given in event.inputs:
            if given.tensor is not None:
                facts = self.tensors.get(given.tensor)
                if facts is not None and (not facts.used or facts.used[-1] is not event):
                    facts.used.append(event)
        odd = False
        for info in event.outputs:
            known = self.tensors.get(info.tensor)
            facts = self._tensor(event, info) if known is None else known
            facts.written.append(event)
            if known is not None:
                if facts.tracking[-1][1] != info.requires_grad:
                    facts.tracking.append((event.seq, info.requires_grad, event.line))
                if not event.in_place:
                    facts.info = info
            if node is not None and not info.is_leaf:
                node.outputs.append(info.tensor)
                facts.history.append((event.seq, node.number))
            if event.in_place:
                begun = self._changing.pop((info.storage, info.tensor), None)
                if begun is not None:
                    self.begun[event.seq], self.op_of[begun] = begun, event
                    odd_changes = self.changed_odd.get((info.storage, info.tensor))
                    if odd_changes and odd_changes[-1].seq == begun:
                        odd_changes.pop()
                self.written.setdefault(info.storage, []).append(event)
                if is_odd(info.value):
                    self.written_odd.setdefault(info.storage, []).append(event)
            elif is_odd(info.value):
                odd = True
        if odd:
            self.odd.append(event)

    def _rebased(self, event: ev.GraphRebased) -> None:
        number = event.node.node
        node = self.nodes.get(number)
        if node is None:
            node = self.nodes[number] = NodeFacts(number, event.node.name, event.seq, event.line)
        if node.info is None:
            node.info = event.node
        node.outputs.append(event.tensor)
        facts = self.tensors.get(event.tensor)
        if facts is not None:
            facts.history.append((event.seq, number))
            if not facts.tracking[-1][1]:
                facts.tracking.append((event.seq, True, event.line))

    def _round(self, event: ev.RoundStarted) -> None:
        self.rounds.append(event)
        self.outer[event.loop] = event.outer

    def _loop_over(self, event: ev.LoopFinished) -> None:
        self.loops_over[event.loop] = event

    def _pass(self, event: ev.BackwardStarted) -> None:
        self.passes[event.call] = PassFacts(event)
        self._open.append(event.call)

    def _pass_over(self, event: ev.BackwardFinished) -> None:
        found = self.passes.get(event.call)
        if found is not None:
            found.finished = event
        if event.call in self._open:
            self._open.remove(event.call)

    def _ran(self, event: ev.NodeStarted) -> None:
        facts = self.nodes.get(event.node)
        if facts is not None:
            facts.runs.append(event)

    def _sent(self, event: ev.GradientSent) -> None:
        facts = self.nodes.get(event.node)
        if facts is not None:
            facts.sent.append(event)
        facts = self.nodes.get(event.to_node)
        if facts is not None:
            facts.arrived.append(event)
        if is_odd(event.value):
            self.odd.append(event)

    def _hung(self, event: ev.HookRegistered) -> None:
        self.hooks.append(event)
        facts = None if event.tensor is None else self.tensors.get(event.tensor)
        if facts is not None:
            facts.hooks.append(event)

    def _hooked(self, event: ev.HookRan) -> None:
        self.hook_runs.append(event)
        facts = None if event.node is None else self.nodes.get(event.node)
        if facts is not None:
            facts.hooks.append(event)

    def _checkpoint(self, event: ev.CheckpointEntered) -> None:
        self.checkpoints[event.checkpoint] = event, []
        self._repeats.entered(event)

    def _checkpoint_left(self, event: ev.CheckpointLeft) -> None:
        found = self.checkpoints.get(event.checkpoint)
        self._repeats.left(event)
        if found is not None:
            found[1].append(event)
            self.kept_results.update(event.kept)

    def _packed(self, event: ev.SavedTensorPacked) -> None:
        facts = self.nodes.get(event.node)
        if facts is not None and is_dropped(event):
            facts.dropped = {*facts.dropped, event.slot}

    def _recomputed(self, event: ev.RecomputationStarted) -> None:
        self.recomputations.append(event)
        entered = self.checkpoints.get(event.checkpoint)
        if entered is not None and not entered[0].reentrant:
            self._repeats.begin(entered[0])
        found = None if event.call is None else self.passes.get(event.call)
        if found is not None:
            found.recomputed.append(event)

    def _freed(self, event: ev.BufferFreed) -> None:
        facts = self.nodes.get(event.node)
        if facts is not None:
            facts.freed.append(event)

    def _accumulated(self, event: ev.GradAccumulated) -> None:
        facts = self.tensors.get(event.tensor)
        if facts is not None:
            facts.grads.append(event)
            self.grad_of[event.grad] = event.tensor

    def _captured(self, event: ev.GradientCaptured) -> None:
        facts = None if event.tensor is None else self.tensors.get(event.tensor)
        if event.into == "result":
            if facts is not None:
                self.results.setdefault(facts.number, []).append(event)
            seq, made = self._made_last
            if seq == event.seq - 1:
                self.result_of[made] = event
        elif facts is not None:
            facts.grads.append(event)

    def _over(self, event: ev.ProgramFinished) -> None:
        self.over = event.seq

    def _cleared(self, event: ev.GradCleared) -> None:
        facts = self.tensors.get(event.tensor)
        if facts is not None:
            facts.grads.append(event)
