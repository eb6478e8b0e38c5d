"""The state of a run at one moment, after the last event of the moment, for its caption."""

from __future__ import annotations

from collections.abc import Iterator

from backscope.caption.run import Run
from backscope.diagnosis.why.log.facts import NodeFacts, last, until
from backscope.protocol import events as ev


class State:
    """The state after event `seq`."""

    def __init__(self, run: Run, seq: int) -> None:
        self.run = run
        self.tape = run.tape
        self.seq = seq

    def variable(self, tensor: int) -> str | None:
        """Return the first name of a tensor's variables: `for p in params` does not rename the parameters.

        An attribute, such as `self.w`, counts only until another variable is bound to the tensor.
        """
        facts = self.tape.tensors.get(tensor)
        names = [] if facts is None else until(facts.names, self.seq)
        return next((one.name for one in names if not one.name.startswith("self.")), names[0].name if names else None)

    def value(self, tensor: int) -> ev.Summary | None:
        """Return the value of a tensor; None before it was made."""
        series = self.run.values.get(tensor)
        return None if series is None else series.at(self.seq)

    def maker(self, tensor: int) -> ev.OpApplied | None:
        """Return the op that made a tensor; None if a function created it, or an in-place op was its first event."""
        facts = self.tape.tensors.get(tensor)
        made = None if facts is None else facts.made
        return made if isinstance(made, ev.OpApplied) and not made.in_place else None

    def origin(self, tensor: int) -> str | None:
        """Return the creation function or op that made a tensor."""
        facts = self.tape.tensors.get(tensor)
        if facts is None:
            return None
        return facts.made.origin if isinstance(facts.made, ev.TensorCreated) else facts.made.op

    def requires_grad(self, tensor: int) -> bool:
        """Return True if a tensor requires grad."""
        facts = self.tape.tensors.get(tensor)
        return facts is not None and facts.made.seq <= self.seq and facts.requires_grad(self.seq)

    def node(self, node: int | None) -> NodeFacts | None:
        """Return the facts of a node, None for one that is not known."""
        return None if node is None else self.tape.nodes.get(node)

    def live(self, node: int) -> list[ev.SavedTensor]:
        """Return the saved tensors of a node that are neither freed nor left to a checkpoint."""
        facts = self.tape.nodes.get(node)
        return facts.kept(self.seq) if facts is not None and facts.alive(self.seq) else []

    def keeps_nan(self, node: int) -> bool:
        """Return True if a node saved a NaN, which the forward pass made."""
        facts = self.tape.nodes.get(node)
        saved = facts.info.saved if facts is not None and facts.info is not None else []
        held = (self.value(one.tensor) for one in saved if one.tensor is not None)
        return any(value is not None and value.nan_count > 0 for value in held)

    def stale(self, storage: int) -> Iterator[tuple[NodeFacts, ev.SavedTensor]]:
        """Yield the live saved tensors of a storage that changed since; those that hooks packed are left out."""
        for (node, slot), saved in self.run.savers.get(storage, {}).items():
            facts = self.tape.nodes.get(node)
            if facts is None or (node, slot) in self.run.packs or saved not in self.live(node):
                continue
            version = self.run.version(saved.tensor, storage, self.seq)
            if version is not None and version != saved.version:
                yield facts, saved

    def contributions(self, event: ev.GradientSent) -> list[ev.GradientSent]:
        """Return the gradients that arrived at the receiver of one that is sent, in order, itself the last."""
        facts = self.tape.nodes.get(event.to_node)
        parts: list[ev.GradientSent] = []
        known: set[tuple[int, int]] = set()
        for one in reversed([] if facts is None else until(facts.arrived, event.seq)):
            if one.call != event.call:
                break
            if one.output_nr != event.output_nr or (one.node, one.input_nr) in known:
                continue
            known.add((one.node, one.input_nr))
            parts.insert(0, one)
            if one.total is None:
                break
        return parts

    def call(self) -> ev.BackwardStarted | None:
        """Return the innermost backward pass that has not ended, else the last one, None before the first."""
        passes = reversed(self.tape.passes.values())
        begun = found = next((one for one in passes if one.started.seq <= self.seq), None)
        while found is not None and found.over(self.seq) and found.started.parent is not None:
            found = self.tape.passes.get(found.started.parent)
        found = found or begun
        return None if found is None else found.started

    def recomputation(self) -> ev.RecomputationStarted | None:
        """Return the recomputation that has not ended."""
        return self.run.recomputations.at(self.seq)

    def checkpoint(self, checkpoint: int) -> ev.CheckpointEntered | None:
        """Return the checkpoint with this number."""
        found = self.tape.checkpoints.get(checkpoint)
        return None if found is None else found[0]

    def landed(self, tensor: int, call: int) -> ev.Summary | None:
        """Return what a backward pass left in a leaf's `.grad`; None if something else has changed it since."""
        facts = self.tape.tensors[tensor]
        if not facts.grads:
            return None
        grads = [one for one in facts.grads if isinstance(one, (ev.GradAccumulated, ev.GradCleared))]
        event = last(grads, self.seq)
        if not isinstance(event, ev.GradAccumulated) or event.call != call:
            return None
        changed = self.tape.grad_changed(tensor, self.seq)
        return event.after if changed is None or changed.seq < event.seq else None
