"""Finds moments by their names in the recording of a program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from backscope.caption import Run
from backscope.diagnosis.why.answer import many
from backscope.moments.moment_name import FORM_OF, MomentName, parse
from backscope.protocol import events as ev
from backscope.runtime.known_names import one_of
from backscope.runtime.spelling import spellings

Occurrence: TypeAlias = tuple[str, int, int]
"""One event that a moment can name: its name, and the seqs of its first and last event."""

_MOST_NAMES = 12


@dataclass(frozen=True)
class Place:
    """A moment in the recording of a program: step number `step`, from 0, whose last event is `seq`.

    Values are read after the event `read_seq`, which is earlier where functions have returned at the end of the step.
    """

    step: int
    seq: int
    read_seq: int


class NotFound(LookupError):
    """The error for a moment or a node that a recording does not have; the text says which ones it has."""


def find(run: Run, text: str) -> Place:
    """Return the place of a moment in a recording.

    Raises: NotFound; NotAName.
    """
    name = parse(text)
    if name.kind == "start":
        return place(run, 0)
    if name.kind == "end":
        return place(run, len(run.moments) - 1)
    first, last = _occurrence(run, name, text)
    step = step_of(run, name.when, first, last)
    if step < 0:
        raise NotFound(f"There is no step before {_written(name)}: it is the first of the run.")
    return place(run, step)


def place(run: Run, step: int) -> Place:
    """Return the place of a step.

    Raises: NotFound where the run has no steps.
    """
    if not 0 <= step < len(run.moments):
        raise NotFound("The program does nothing that can be seen: no tensor, no op, no print.")
    moment = run.moments[step]
    return Place(step=step, seq=moment.last, read_seq=run.within(moment))


def step_of(run: Run, when: str, first: int, last: int) -> int:
    """Return the step before, at or after an event that has the seqs `first` to `last`; -1 before the first step."""
    return run.index(last) if when == "after" else run.index(first) - (when == "before")


def occurrences(run: Run, kind: str) -> Iterator[Occurrence]:
    """Yield the events of a kind that a moment can name, in the order of the run."""
    return _KINDS[kind](run)


def tensors_called(run: Run, variable: str) -> set[int]:
    """Return the tensors that a variable was bound to in the run."""
    return {one.tensor for known in spellings(variable) for one in run.tape.bound.get(known, [])}


def _occurrence(run: Run, name: MomentName, text: str) -> tuple[int, int]:
    ranges = _ranges(run, name)
    found = [
        (label, first, last)
        for label, first, last in occurrences(run, name.kind)
        if all(any(begin <= first <= end for begin, end in within) for within in ranges)
    ]
    labels = Counter(label for label, _, _ in found)
    wanted = [(first, last) for label, first, last in found if label in (name.name, *spellings(name.name))]
    if name.number <= len(wanted):
        return wanted[name.number - 1]
    where = _scope(name)
    if wanted:
        times = "once" if len(wanted) == 1 else f"{len(wanted)} times"
        raise NotFound(f"There is no moment {text!r}: {_event(name)} happens {times}{where}.")
    if not labels:
        raise NotFound(f"There is no moment {text!r}: nothing of that kind happens{where}.")
    most = dict(labels.most_common(_MOST_NAMES))
    listed = [
        f"{_event(name, label)} ({count} times)" if count > 1 else _event(name, label) for label, count in most.items()
    ]
    if name.kind == "line":
        known = f"the lines with steps{where} are {', '.join(_in_order(labels))}, counted from the program's first"
        raise NotFound(f"There is no moment {text!r}: {known}.")
    guess = one_of(name.name, most).split("There ")[0]
    raise NotFound(f"There is no moment {text!r}. {guess}The run has{where}: {', '.join(listed)}.")


def _in_order(labels: Counter[str]) -> list[str]:
    return [str(line) for line in sorted(map(int, labels))]


def _event(name: MomentName, label: str | None = None) -> str:
    """Return an event without its number, as it is written; with `label`, that of the same kind with another name."""
    return FORM_OF[name.kind].named(label or name.name)


def _written(name: MomentName) -> str:
    return f"{_event(name)} #{name.number}{_scope(name)}"


def _scope(name: MomentName) -> str:
    passes = "" if name.in_pass is None else f" in pass {name.in_pass}"
    return passes + ("" if name.in_round is None else f" in round {name.in_round}")


def _ranges(run: Run, name: MomentName) -> list[list[tuple[int, int]]]:
    """Return the seqs that each scope of a moment covers.

    Raises: NotFound where the run has no such pass or round.
    """
    found: list[list[tuple[int, int]]] = []
    if name.in_pass is not None:
        passes = [(first, last) for _, first, last in _passes(run)]
        if name.in_pass > len(passes):
            raise NotFound(
                f"There is no pass {name.in_pass}: the run has {many(len(passes), 'backward pass', 'backward passes')}."
            )
        found.append([passes[name.in_pass - 1]])
    if name.in_round is not None:
        rounds = [one for one in _rounds(run) if one[0] == name.in_round]
        if not rounds:
            most = max((number for number, _, _ in _rounds(run)), default=0)
            loops = f"no loop of the run has more than {most}" if most else "the run has no loop with events in it"
            raise NotFound(f"There is no round {name.in_round}: {loops}.")
        found.append([(first, last) for _, first, last in rounds])
    return found


def _rounds(run: Run) -> Iterator[tuple[int, int, int]]:
    """Yield the rounds of the loops that are in no other loop: their numbers and their seqs."""
    under_way: dict[int, tuple[int, int]] = {}
    for event in run.events:
        if isinstance(event, ev.RoundStarted) and event.outer is None:
            if event.loop in under_way:
                yield (*under_way[event.loop], event.seq - 1)
            under_way[event.loop] = event.round, event.seq
        elif isinstance(event, ev.LoopFinished) and event.loop in under_way:
            yield (*under_way.pop(event.loop), event.seq)
    for number, first in under_way.values():
        yield number, first, len(run.events) - 1


def _passes(run: Run) -> Iterator[Occurrence]:
    ends = {one.call: one.seq for one in run.events if isinstance(one, ev.BackwardFinished)}
    for event in run.events:
        if isinstance(event, ev.BackwardStarted):
            yield "", event.seq, ends.get(event.call, len(run.events) - 1)


def _nodes(run: Run) -> Iterator[Occurrence]:
    ends: dict[tuple[int, int], list[int]] = {}
    for event in run.events:
        if isinstance(event, ev.NodeFinished):
            ends.setdefault((event.call, event.node), []).append(event.seq)
    for event in run.events:
        if isinstance(event, ev.NodeStarted):
            finished = next((seq for seq in ends.get((event.call, event.node), []) if seq > event.seq), event.seq)
            yield run.tape.nodes[event.node].name, event.seq, finished


def _named(run: Run, tensor: int) -> Iterator[str]:
    """Yield the variables that a tensor was bound to in the run."""
    facts = run.tape.tensors.get(tensor)
    yield from dict.fromkeys(one.name for one in facts.names) if facts is not None else ()


def _receiving(run: Run) -> Iterator[Occurrence]:
    receivers: dict[int, list[int]] = {}
    for tensor, facts in run.tape.tensors.items():
        for node in {node for _, node in [*facts.history, *facts.accumulate] if node is not None}:
            receivers.setdefault(node, []).append(tensor)
    for event in run.events:
        if isinstance(event, ev.GradientSent):
            for tensor in receivers.get(event.to_node, []):
                for name in _named(run, tensor):
                    yield name, event.seq, event.seq


def _accumulating(run: Run) -> Iterator[Occurrence]:
    for event in run.events:
        if isinstance(event, ev.GradAccumulated):
            for name in _named(run, event.tensor):
                yield name, event.seq, event.seq


def _clearing(run: Run) -> Iterator[Occurrence]:
    for event in run.events:
        cleared = event.tensor if isinstance(event, ev.GradCleared) else None
        if isinstance(event, ev.TensorMutated) and event.op == "zero_":
            cleared = run.tape.grad_of.get(event.tensor)
        for name in _named(run, cleared) if cleared is not None else ():
            yield name, event.seq, event.seq


def _changing(run: Run) -> Iterator[Occurrence]:
    steps: set[tuple[str, int]] = set()
    for event in run.events:
        changed = [event.tensor] if isinstance(event, ev.TensorMutated) else []
        if isinstance(event, ev.OptimizerStepped):
            changed = [update.tensor for update in event.updates]
        for tensor in changed:
            for name in _named(run, tensor):
                if (name, run.index(event.seq)) not in steps:
                    steps.add((name, run.index(event.seq)))
                    yield name, event.seq, event.seq


def _lines(run: Run) -> Iterator[Occurrence]:
    """Yield the visits of lines: steps in a row that are at one line, each round by itself."""
    visit: tuple[int, int, int] | None = None
    for moment in run.moments:
        line = moment.main.line
        begins = any(isinstance(event, ev.RoundStarted) for event in run.inside(moment))
        if visit is not None and not begins and line in (visit[0], None):
            visit = visit[0], visit[1], moment.last
            continue
        if visit is not None:
            yield str(visit[0]), visit[1], visit[2]
        visit = None if line is None else (line, moment.last, moment.last)
    if visit is not None:
        yield str(visit[0]), visit[1], visit[2]


def _errors(run: Run) -> Iterator[Occurrence]:
    for moment in run.moments:
        if isinstance(moment.main, ev.ErrorRaised):
            yield "", moment.last, moment.last


def _each(kind: type[ev.Event], name: Callable[[ev.Event], str]) -> Callable[[Run], Iterator[Occurrence]]:
    def found(run: Run) -> Iterator[Occurrence]:
        for event in run.events:
            if isinstance(event, kind):
                yield name(event), event.seq, event.seq

    return found


_KINDS: dict[str, Callable[[Run], Iterator[Occurrence]]] = {
    "error": _errors,
    "line": _lines,
    "op": _each(ev.OpApplied, lambda event: getattr(event, "op", "")),
    "set": _each(ev.TensorNamed, lambda event: getattr(event, "name", "")),
    "changes": _changing,
    "pass": _passes,
    "node": _nodes,
    "receives": _receiving,
    "accumulates": _accumulating,
    "cleared": _clearing,
    "optimizer": _each(ev.OptimizerStepped, lambda _: ""),
    "hook": _each(ev.HookRan, lambda event: getattr(event, "hook", "")),
    "print": _each(ev.OutputPrinted, lambda _: ""),
}
"""How the events of each kind are found, with the name that a moment gives them."""
