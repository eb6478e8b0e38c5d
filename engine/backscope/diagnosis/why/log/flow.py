"""Follows values, in the graph and outside of it: what was computed from what, and where the history was cut."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from backscope.diagnosis.why.log.facts import PassFacts, TensorFacts, until
from backscope.diagnosis.why.log.tape import Tape
from backscope.protocol import events as ev
from backscope.protocol.op_names import name_of

NO_HISTORY = re.compile(r"^element \d+ of tensors does not require grad")
"""The engine's message where a pass starts from a tensor without a history."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_SHAPE_ALONE = re.compile(r"^new_|_like$")
"""Ops whose result has the shape of their argument and nothing of its numbers."""
LARGEST_WALK = 200_000
"""The most tensors that a search visits."""


class Cut(NamedTuple):
    """A place where a value was passed on without its history: `source` had one, `result` has none.

    `kind` is "detach", "data", "parameter", "copied" (into a leaf, in place), "assigned" (to the .data of a leaf),
    "no_grad", "inference", "function", "dtype", "checkpoint", "number" or "underivable".
    """

    kind: str
    line: int | None
    op: str
    source: int
    result: int
    seq: int


def descendants(tape: Tape, starts: Iterable[int], seq: int) -> set[int]:
    """Return the tensors that were computed from `starts`, recorded or not, and `starts` themselves."""
    found = set(starts)
    waiting = list(found)
    shared: set[int] = set()

    def add(tensor: int) -> None:
        if tensor not in found:
            found.add(tensor)
            waiting.append(tensor)

    while waiting and len(found) < LARGEST_WALK:
        facts = tape.tensors.get(waiting.pop())
        if facts is None:
            continue
        for op in until(facts.used, seq):
            for info in op.outputs:
                add(info.tensor)
        storage = facts.info.storage
        if storage in shared:
            continue
        shared.add(storage)
        changed = bool(tape.written.get(storage))
        for other in tape.storages[storage]:
            if changed or isinstance(tape.tensors[other].made, ev.TensorCreated):
                add(other)
    return found


def reached(tape: Tape, roots: Iterable[int], alive_at: int | None = None) -> set[int]:
    """Return the nodes that gradients from `roots` can reach, with the roots; at a moment, those that existed then."""

    def counts(number: int) -> bool:
        return alive_at is None or (number in tape.nodes and tape.nodes[number].alive(alive_at))

    found = {root for root in roots if counts(root)}
    waiting = list(found)
    while waiting:
        facts = tape.nodes.get(waiting.pop())
        for below in () if facts is None else facts.below:
            if below not in found and counts(below):
                found.add(below)
                waiting.append(below)
    return found


def first_cut(tape: Tape, roots: Iterable[int], seq: int, within: set[int] | None = None) -> Cut | None:
    """Return the first place on the path back from `roots` where a value has no history though its source had one.

    `within` are the tensors that the path may lead through; None for all.
    """
    waiting = deque((root, seq) for root in roots)
    seen = {root for root, _ in waiting}
    while waiting and len(seen) < LARGEST_WALK:
        tensor, when = waiting.popleft()
        facts = tape.tensors.get(tensor)
        if facts is None:
            continue
        if (written := _written(tape, facts, when, within)) is not None:
            return written
        source = tape.source(tensor)
        if source is not None and (within is None or source in within):
            copied = _copied(tape, facts, source, within)
            if copied is not None:
                return copied
            if tape.tensors[source].requires_grad(facts.made.seq) and not facts.requires_grad(facts.made.seq):
                made = facts.made
                return Cut("data", made.line, made.origin, source, tensor, made.seq)
            if source not in seen:
                seen.add(source)
                waiting.append((source, when))
        own = {op.seq for op in facts.written}
        for op in reversed(tape.makers(tensor, when)):
            if _SHAPE_ALONE.search(op.op):
                continue
            given = [a.tensor for a in op.inputs if a.tensor is not None and (within is None or a.tensor in within)]
            if op.in_place and op.seq not in own:
                # The change was made through another tensor over the same memory, as `x.data.mul_(2)` does.
                given = [one for one in given if tape.tensors[one].info.storage != facts.info.storage]
            if op.node is None and tape.mode(op.seq) == "function" and facts.requires_grad(when):
                continue  # The custom Function around the op gave the value a history.
            # A view of a leaf that no_grad() made is another leaf, and requires grad too.
            leaf = not op.in_place and facts.grad_fn(op.seq) is None
            if op.node is None and (leaf or not facts.requires_grad(op.seq)):
                for one in given:
                    known = tape.tensors.get(one)
                    if one != tensor and known is not None and known.requires_grad(op.seq):
                        return Cut(_kind(tape, op), op.line, name_of(op.op, op.inputs), one, tensor, op.seq)
            for one in given:
                if one not in seen:
                    seen.add(one)
                    waiting.append((one, op.seq))
    return None


def _written(tape: Tape, facts: TensorFacts, when: int, within: set[int] | None) -> Cut | None:
    """Return the last op that wrote a value with a history into a leaf unrecorded, as copy_() under no_grad() does."""
    if facts.grad_fn(when) is not None or not facts.requires_grad(when):
        return None
    for op in reversed(tape.makers(facts.number, when)):
        through = all(info.tensor != facts.number for info in op.outputs)
        if not op.in_place or (op.node is not None and not through):
            continue
        for given in op.inputs:
            source = None if given.tensor is None else tape.tensors.get(given.tensor)
            if source is None or source.info.storage == facts.info.storage:
                continue
            if (within is None or source.number in within) and source.requires_grad(op.seq):
                kind = "copied" if op.op == "copy_" or through else _kind(tape, op)
                return Cut(kind, op.line, name_of(op.op, op.inputs), source.number, facts.number, op.seq)
    return None


def _copied(tape: Tape, facts: TensorFacts, source: int, within: set[int] | None) -> Cut | None:
    """Return a Parameter made of a value with a history, or a copy of another Parameter, as deepcopy() makes it."""
    made = facts.made
    if made.origin != "Parameter" or not facts.requires_grad(made.seq):
        return None
    if tape.tensors[source].requires_grad(made.seq):
        return Cut("parameter", made.line, made.origin, source, facts.number, made.seq)
    inner = first_cut(tape, [source], made.seq, within)
    if inner is None or inner.line != made.line:
        return None
    return Cut("parameter", made.line, made.origin, inner.source, facts.number, made.seq)


def leaves(tape: Tape, roots: Iterable[int], seq: int) -> list[TensorFacts]:
    """Return the data and parameters that `roots` were computed from."""
    waiting, found = deque(roots), []
    seen = set(waiting)
    while waiting and len(seen) < LARGEST_WALK:
        facts = tape.tensors.get(waiting.popleft())
        if facts is None:
            continue
        before = [a.tensor for op in tape.makers(facts.number, seq) for a in op.inputs if a.tensor is not None]
        if isinstance(facts.made, ev.TensorCreated):
            found.append(facts)
        for one in before:
            if one not in seen:
                seen.add(one)
                waiting.append(one)
    return found


def unrecorded_gradient(tape: Tape, roots: Iterable[int], seq: int, tensor: int) -> tuple[int, PassFacts] | None:
    """Return a gradient without a history that `roots` were computed from, and its pass, which involved `tensor`.

    Values that parameters got from gradients in earlier rounds do not count.
    """
    waiting = deque(roots)
    seen = set(waiting)
    while waiting and len(seen) < LARGEST_WALK:
        facts = tape.tensors.get(waiting.popleft())
        if facts is None or (facts.requires_grad(seq) and facts.grad_fn(seq) is None):
            continue
        made = facts.made
        if isinstance(made, ev.TensorCreated) and made.origin in ("grad", "gradient") and not facts.history:
            earlier = [one for one in tape.passes.values() if one.started.seq < made.seq]
            started = earlier[-1].started if earlier else None
            recorded = started is None or started.create_graph
            if started is not None and not recorded and set(started.roots) & descendants(tape, [tensor], started.seq):
                return facts.number, earlier[-1]
        for op in tape.makers(facts.number, seq):
            if op.op.startswith("_amp_"):
                continue  # The scale of a GradScaler: whether gradients were finite is no term of the loss.
            for given in op.inputs:
                if given.tensor is not None and given.tensor not in seen:
                    seen.add(given.tensor)
                    waiting.append(given.tensor)
    return None


def as_number(tape: Tape, roots: Iterable[int], seq: int, sources: set[int]) -> Cut | None:
    """Return where an ancestor of `roots` used a number, or a tensor made of numbers, equal to one of `sources`.

    item(), tolist(), float() and numpy() pass values on like this; each of several numbers may have another source.
    """
    known: dict[tuple[object, ...], int] = {}
    # Among tensors with equal values, one with a history comes before those that were detached from it.
    for one in sorted(sources, key=lambda one: not tape.tensors[one].requires_grad(seq)):
        values = tape.tensors[one].info.value.values
        if 0 < len(values) <= 256 and any(v not in (0, 1) for v in values):
            known.setdefault(_flat(values), one)
    waiting = deque(roots)
    seen = set(waiting)
    while waiting and len(seen) < LARGEST_WALK:
        tensor = waiting.popleft()
        facts = tape.tensors.get(tensor)
        if facts is None:
            continue
        assigned = _assigned(tape, facts, seq, sources)
        if assigned is not None:
            return assigned
        made = facts.made
        if isinstance(made, ev.TensorCreated) and tape.source(tensor) is None and _of_numbers(tape, made, facts):
            source = known.get(_flat(made.info.value.values))
            if source is None:
                source = _gathered(tape, made, known)
            if source is None:
                source = _mentioned(tape, made, sources)
            if source is not None and source != tensor and tape.tensors[source].made.seq < made.seq:
                kind = "parameter" if made.origin == "alias" else "number"
                return Cut(kind, made.line, made.origin, source, tensor, made.seq)
        for op in reversed(tape.makers(tensor, seq)):
            for given in op.inputs:
                if given.tensor is not None:
                    if given.tensor not in seen:
                        seen.add(given.tensor)
                        waiting.append(given.tensor)
                    continue
                source = known.get(_number(given.text or ""))
                if source is not None and tape.tensors[source].made.seq < op.seq:
                    return Cut("number", op.line, name_of(op.op, op.inputs), source, tensor, op.seq)
    return None


def _of_numbers(tape: Tape, made: ev.TensorCreated, facts: TensorFacts) -> bool:
    """Return whether a tensor may be made of other tensors' values; a leaf that requires grad only by some calls."""
    return not facts.tracking[0][1] or _copies(tape, made)


def _copies(tape: Tape, made: ev.TensorCreated) -> bool:
    """Return whether a tensor was made by a call that takes values: torch.tensor(), from_numpy() or deepcopy()."""
    if made.origin == "alias":
        return "deepcopy(" in tape.source_line(made.line)
    return made.origin in ("tensor", "as_tensor", "from_numpy")


def _mentioned(tape: Tape, made: ev.TensorCreated, sources: set[int]) -> int | None:
    """Return the last of some tensors named in the line that makes another one by torch.tensor() or a similar call."""
    if not _copies(tape, made):
        return None
    words = set(_WORD.findall(tape.source_line(made.line)))
    named = [
        one.tensor
        for name in words
        for one in until(tape.bound.get(name, []), made.seq)
        if one.tensor in sources and tape.tensors[one.tensor].requires_grad(made.seq)
    ]
    return max(named, default=None)


def _assigned(tape: Tape, facts: TensorFacts, seq: int, sources: set[int]) -> Cut | None:
    """Return the last assignment of the value of one of `sources` to the `.data` of a leaf."""
    for change in reversed(until(tape.changes.get((facts.info.storage, facts.number), []), seq)):
        if change.op != "data" or change.through is not None:
            continue
        same = [
            one
            for one in sources
            if one != facts.number
            and tape.tensors[one].made.seq < change.seq
            and tape.tensors[one].requires_grad(change.seq)
            and _alike(tape.tensors[one].info.value, change.value)
        ]
        if same:
            own = [one for one in same if tape.tensors[one].made.line == change.line]
            return Cut("assigned", change.line, ".data", max(own or same), facts.number, change.seq)
    return None


def _alike(one: ev.Summary, other: ev.Summary) -> bool:
    """Return whether two summaries are equal."""
    return (one.shape, one.values, one.norm, one.min, one.max) == (
        other.shape,
        other.values,
        other.norm,
        other.min,
        other.max,
    )


def _gathered(tape: Tape, made: ev.TensorCreated, known: dict[tuple[object, ...], int]) -> int | None:
    """Return the first of the one-element tensors that a tensor's elements equal; None where one equals none."""
    elements = _flat(made.info.value.values)
    if all(one == int(one) for one in elements if isinstance(one, float) and math.isfinite(one)):
        return None  # Whole numbers are mostly literals of the program.
    sources = [known.get((one,)) for one in elements]
    if any(one is None or tape.tensors[one].made.seq > made.seq for one in sources):
        return None
    return sources[0]


def _flat(values: list[ev.Element]) -> tuple[object, ...]:
    """Return elements rounded to 32 bits for comparison, as item() gives more digits than the log has."""
    return tuple(tuple(v) if isinstance(v, list) else v if isinstance(v, str) else _single(v) for v in values)


def _single(value: float) -> float:
    try:
        with np.errstate(over="ignore"):
            return float(np.float32(value))
    except OverflowError:
        return math.inf


def _number(text: str) -> tuple[object, ...]:
    """Parse a float; None for a whole number, which item() does not return and which is mostly a literal."""
    if text.lstrip("-").isdigit():
        return ()
    try:
        return (_single(float(text)),)
    except ValueError:
        return ()


def _kind(tape: Tape, op: ev.OpApplied) -> str:
    """Return why an op was not recorded though its inputs had a history."""
    for entered, left in tape.checkpoints.values():
        over = any(one.seq > op.seq for one in left) or not left
        if entered.reentrant and entered.seq < op.seq and over:
            return "checkpoint"
    if op.op in ("detach", "detach_"):
        return "detach"
    mode = tape.mode(op.seq)
    if mode in ("no_grad", "inference", "function"):
        return mode
    kinds = {info.value.dtype.rpartition(".")[2] for info in op.outputs}
    if not any(kind.startswith(("float", "bfloat", "complex")) for kind in kinds):
        return "dtype"
    return "underivable"
