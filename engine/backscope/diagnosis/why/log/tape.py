"""Queries on the log of a run: its tensors, nodes, passes, memory and names at any moment.

Every query is about a moment, so that one tape is enough for the whole run while it grows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from backscope.diagnosis.why.budget import step
from backscope.diagnosis.why.log.event_index import Index
from backscope.diagnosis.why.log.facts import PassFacts, TensorFacts, by_seq, is_odd, last, until
from backscope.diagnosis.why.log.scope import Scope
from backscope.protocol import events as ev
from backscope.protocol.op_names import name_of
from backscope.runtime.spelling import spellings


class Tape(Index):
    """The index over the events of one run and its queries; events of another run belong on another tape."""

    def name(self, tensor: int, seq: int) -> str:
        """Return the program's name of a tensor at a moment; "the result of mul at line 4" where no variable has it."""
        facts = self.tensors.get(tensor)
        if facts is None:
            return f"tensor {tensor}"
        names = until(facts.names, seq)
        if names:
            # A leaf keeps the name that it was made under, whatever parameter names it has in functions.
            own = [n.name for n in names if not n.name.startswith("self.")] if facts.info.requires_grad else []
            return own[0] if own and not facts.history else names[-1].name
        owner = self.grad_of.get(tensor)
        if owner is not None:
            return f"{self.name(owner, seq)}.grad"
        made = facts.written[0] if facts.written else facts.made
        where = "" if made.line is None else f" at line {made.line}"
        if isinstance(made, ev.OpApplied):
            return f"the result of {name_of(made.op, made.inputs)}{where}"
        origin = "a backward pass" if made.origin in ("grad", "gradient") else made.origin
        return f"the tensor made by {origin}{where}"

    def source_line(self, line: int | None) -> str:
        """Return the text of a line of the program."""
        return self.files.text(line).strip()

    def find(self, name: str, seq: int) -> int | None:
        """Return the tensor that a variable was bound to at a moment; for `w.grad` that of `w`."""
        for known in spellings(name):
            found = self._in_reach(until(self.bound.get(known, []), seq), seq)
            if found:
                return found[-1].tensor
        return None

    def others_called(self, name: str, tensor: int, seq: int) -> list[ev.TensorNamed]:
        """Return the bindings of a variable to other tensors, in the functions that bound it to this one."""
        bound = until(self.bound.get(name, []), seq)
        functions = {self.scopes.of(one.line) for one in bound if one.tensor == tensor}
        return [one for one in bound if one.tensor != tensor and self.scopes.of(one.line) in functions]

    def _in_reach(self, bound: list[ev.TensorNamed], seq: int) -> list[ev.TensorNamed]:
        """Return the bindings of a variable that count at a moment: those in the innermost function around it.

        After the run those of the module come first; where no function around has any, all count.
        """
        place = bisect_right(self.entered, seq, key=itemgetter(0))
        here: Scope = self.entered[place - 1][1] if place else ()
        around = [here[:depth] for depth in range(len(here), -1, -1)]
        if self.over is not None and self.over <= seq:
            around.insert(0, ())
        for scope in around:
            if found := [one for one in bound if self.scopes.of(one.line) == scope]:
                return found
        return bound

    def mode(self, seq: int) -> str:
        """Return the grad mode at a moment: "grad", "no_grad", "inference" or "function"."""
        mode = last(self.modes, seq)
        return "grad" if mode is None else mode.mode

    def value(self, tensor: int, seq: int) -> ev.Summary | None:
        """Return the summary of a tensor's value at a moment, or None where it is not known."""
        facts = self.tensors.get(tensor)
        if facts is None:
            return None
        changed = last(self.changes.get((facts.info.storage, tensor), []), seq)
        return facts.info.value if changed is None else changed.value

    def before(self, op: ev.OpApplied) -> int:
        """Return the last moment before an op and before its changes of memory."""
        return self.begun.get(op.seq, op.seq) - 1

    def settled(self, tensor: int, seq: int) -> int:
        """Return `seq`, or the moment of the in-place op that had already changed the tensor's memory by then."""
        facts = self.tensors[tensor]
        changed = last(self.changes.get((facts.info.storage, tensor), []), seq)
        if changed is not None and changed.through is not None:
            changed = last(self.changes.get((facts.info.storage, changed.through), []), changed.seq)
        op = None if changed is None else self.op_of.get(changed.seq)
        return seq if op is None else max(seq, op.seq)

    def passes_until(self, seq: int, api: str | None = None) -> list[PassFacts]:
        """Return the passes that had begun by a moment, in order; those of one api, where one is given."""
        step()
        return [p for p in self.passes.values() if p.started.seq <= seq and api in (None, p.started.api)]

    def line_of_pass(self, call: int) -> int | None:
        """Return the line that called backward()."""
        found = self.passes.get(call)
        return None if found is None else found.started.line

    def accumulated(self, tensor: int, seq: int) -> list[ev.GradAccumulated | ev.GradientCaptured]:
        """Return the gradients that a tensor's `.grad` consists of at a moment: those since it was last empty."""
        found: list[Any] = []
        for event in until(self.tensors[tensor].grads, seq):
            if isinstance(event, ev.GradCleared):
                found = []
            elif isinstance(event, ev.GradAccumulated) and (event.before is None or self._emptied(event)):
                found = [event]
            else:
                found.append(event)
        return found

    def _emptied(self, event: ev.GradAccumulated) -> bool:
        """Return whether the program had zeroed the `.grad` in place, as by zero_(), before a gradient was added."""
        before, grad = event.before, self.tensors.get(event.grad)
        if before is None or grad is None or before.norm != 0 or before.nan_count:
            return False
        changed = last(self.mutations.get(grad.info.storage, []), event.seq - 1)
        return changed is not None and changed.value.norm == 0

    def grad(self, tensor: int, seq: int) -> ev.Summary | None:
        """Return the summary of a tensor's `.grad` at a moment, or None where it is None."""
        event = last(self.tensors[tensor].grads, seq)
        if event is None or (isinstance(event, ev.GradCleared) and event.value is None):
            return None
        value = event.after if isinstance(event, ev.GradAccumulated) else event.value
        changed = self.grad_changed(tensor, seq)
        return value if changed is None else changed.value

    def grad_changed(self, tensor: int, seq: int) -> ev.TensorMutated | None:
        """Return the in-place change of a `.grad` since the last gradient arrived, e.g. by zero_()."""
        event = last(self.tensors[tensor].grads, seq)
        if event is None:
            return None
        changed = last(self.grad_mutations(tensor, seq), seq)
        return changed if changed is not None and changed.seq > event.seq else None

    def grad_mutations(self, tensor: int, seq: int) -> list[ev.TensorMutated]:
        """Return the in-place changes of the tensor that is a `.grad` at a moment."""
        held = next((e.grad for e in reversed(until(self.tensors[tensor].grads, seq)) if hasattr(e, "grad")), None)
        facts = None if held is None else self.tensors.get(held)
        return [] if facts is None else list(until(self.mutations.get(facts.info.storage, []), seq))

    def makers(self, tensor: int, seq: int) -> list[ev.OpApplied]:
        """Return the ops that made a tensor's value at a moment: its own, and in-place ones on its memory."""
        facts = self.tensors[tensor]
        own = until(facts.written, seq)
        known = {op.seq for op in own}
        return [*own, *(op for op in self._later(facts, self.written, seq) if op.seq not in known)]

    def odd_maker(self, tensor: int, seq: int) -> ev.OpApplied | None:
        """Return the first op of makers() that had a NaN or an infinity in its results."""
        facts = self.tensors[tensor]
        own = (op for op in until(facts.written, seq) if any(is_odd(i.value) for i in op.outputs))
        return next(own, None) or next(iter(self._later(facts, self.written_odd, seq)), None)

    def _later(self, facts: TensorFacts, of: dict[int, list[ev.OpApplied]], seq: int) -> list[ev.OpApplied]:
        """Return the in-place ops on a tensor's memory since it was made."""
        found = until(of.get(facts.info.storage, []), seq)
        return found[bisect_right(found, facts.made.seq, key=by_seq) :] if found else found

    def with_history(self, seq: int) -> Iterator[TensorFacts]:
        """Yield the tensors with a grad_fn that the program had at a moment."""
        for facts in self.tensors.values():
            if facts.history and facts.alive(seq) and facts.grad_fn(seq) is not None:
                yield facts

    def source(self, tensor: int) -> int | None:
        """Return the tensor that an alias such as `x.data` shares its memory with: the Parameter, or the first one."""
        facts = self.tensors[tensor]
        if not isinstance(facts.made, ev.TensorCreated):
            return None
        step()
        first = self.storages[facts.info.storage][0]  # They are in the order in which they were made.
        if facts.made.origin == "data":
            first = self.parameters.get(facts.info.storage, first)
        return first if first != tensor and self.tensors[first].made.seq < facts.made.seq else None
