"""Divides the events of a run into steps of a few events each, as the page does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from backscope.protocol import events as ev
from backscope.protocol.sentences import tables

_KINDS: dict[str, frozenset[str]] = {name: frozenset(kinds) for name, kinds in tables()["steps"].items()}


def kind_of(event: ev.Event) -> str:
    """Return the kind of an event, such as "op_applied"."""
    return cast(str, event.__struct_config__.tag)


class Moment:
    """One step: the events `first` to `last`; its sentence is about `main`."""

    __slots__ = ("first", "last", "main")

    def __init__(self, first: int, main: ev.Event) -> None:
        self.first = first
        self.last = main.seq
        self.main = main


class Steps:
    """Divides a growing log into moments; complete ones never change."""

    def __init__(self, events: Sequence[ev.Event]) -> None:
        self.all: list[Moment] = []
        self.calls: list[int] = []
        """The backward passes that are running, innermost last."""
        self._events = events
        self._running: int | None = None
        self._recomputing = False
        self._before: type[Any] | None = None
        self._error: tuple[str, str] | None = None
        self._mutated: ev.TensorMutated | None = None
        self._waiting = 0
        self._changing = False
        """True after the user changed a value in a pause: all events up to the next resume are one step."""

    def add(self, event: ev.Event, kind: str) -> None:
        """Add the next event, which the log has already."""
        place = self._place(event, kind)
        self._follow(event)
        last = self.all[-1] if self.all else None
        follows = kind in _KINDS["follows"] and last is not None and last.last < event.seq - 1
        if place == "waits" or follows:
            return
        if place == "joins" and last is not None:
            self._waiting = event.seq + 1
            last.last = event.seq
            if isinstance(event, ev.GradAccumulated) and isinstance(last.main, ev.NodeStarted):
                last.main = event
            if isinstance(event, ev.TangentComputed) and event.op is None and isinstance(last.main, ev.OpApplied):
                last.main = self._first_of(last.first, event)
            return
        if place == "joins" and not isinstance(event, ev.ProgramFinished):
            return
        moment = Moment(self._waiting, event)
        moment.main = self._first_of(moment.first, event)
        self.all.append(moment)
        self._waiting = event.seq + 1

    def _first_of(self, first: int, event: ev.Event) -> ev.Event:
        """Return the first event of a kind in a moment."""
        return next(one for one in self._events[first : event.seq + 1] if type(one) is type(event))

    def _place(self, event: ev.Event, kind: str) -> str:
        idle = self._running is None
        if isinstance(event, ev.ValueChanged):
            return "begins"
        if self._changing and not isinstance(event, ev.ErrorRaised):
            return "joins"
        if kind in _KINDS["begins"]:
            return "begins"
        if kind in _KINDS["begins_between_nodes"]:
            return "begins" if idle else "joins"
        if kind in _KINDS["waits_between_nodes"]:
            return "waits" if idle else "joins"
        if isinstance(event, ev.TensorMutated):
            # `x.data = y` is a step; in `x.data -= y` it is the end of one, and adds nothing to it.
            if event.op == "data" and idle and not _is_same_value(event, self._mutated):
                return "begins"
            return "joins" if not idle or self._before is ev.OptimizerStepped else "waits"
        return "begins" if kind in _KINDS["by_rule"] and self._begins(event, idle) else "joins"

    def _begins(self, event: ev.Event, idle: bool) -> bool:
        match event:
            case ev.HookRegistered():
                # Hooks of modules are registered again on each call.
                return idle and not event.where.startswith("module")
            case ev.TangentComputed():
                # The tangent of an op's result comes right after the op, and one that is given after what takes it.
                return event.op is None and self._before is not ev.OpApplied and idle
            case ev.TensorCreated():
                return idle and not self.calls
            case ev.OpApplied():
                # A checkpoint computes again step by step; what a hook computes belongs to the pass around it.
                return self._recomputing or (idle and (not self.calls or event.node is not None))
            case ev.GradAccumulated():
                return self._running != event.node
            case ev.BackwardFinished():
                return not event.failed
            case ev.ErrorRaised():
                return self._error != (event.type, event.message)
            case ev.ProgramFinished():
                return event.status in ("stopped", "cut")
        return False

    def _follow(self, event: ev.Event) -> None:
        if isinstance(event, ev.ValueChanged):
            self._changing = True
        elif isinstance(event, (ev.Resumed, ev.ProgramFinished)):
            self._changing = False
        if isinstance(event, ev.NodeStarted):
            self._running = event.node
        elif isinstance(event, (ev.NodeFinished, ev.BackwardStarted, ev.BackwardFinished, ev.ErrorRaised)):
            self._running = None
        if isinstance(event, ev.BackwardStarted):
            self.calls.append(event.call)
        elif isinstance(event, ev.BackwardFinished) and event.call in self.calls:
            self.calls.remove(event.call)
        if isinstance(event, ev.RecomputationStarted):
            self._recomputing = True
        elif isinstance(event, ev.RecomputationFinished):
            self._recomputing = False
        if isinstance(event, ev.TensorMutated):
            self._mutated = event
        else:
            self._before = type(event)
        if isinstance(event, ev.ErrorRaised):
            self._error = event.type, event.message
        elif isinstance(event, (ev.OpApplied, ev.BackwardStarted)):
            self._error = None


def _is_same_value(event: ev.TensorMutated, before: ev.TensorMutated | None) -> bool:
    if before is None:
        return False
    return (event.tensor, event.storage, event.value) == (before.tensor, before.storage, before.value)


def why_no_step(step: int, lines: Iterable[bytes]) -> str | None:
    """Return why a recording of these lines has no such step, 1 for the first; None where it has."""
    events: list[ev.Event] = []
    steps = Steps(events)
    for line in lines:
        event = ev.decode(line)
        events.append(event)
        steps.add(event, kind_of(event))
    number = len(steps.all)
    if 0 < step <= number:
        return None
    return f"no step {step}: there {'is 1 step' if number == 1 else f'are {number:,} steps, from 1 on'}"
