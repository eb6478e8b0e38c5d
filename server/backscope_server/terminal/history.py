"""What has happened so far, as moments: the steps that a reader takes in as one, each a few neighbouring events."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import overload

from backscope.diagnosis.why import Tape
from backscope.protocol import events as ev

_BEGIN = (
    ev.RequiresGradChanged, ev.BackwardStarted, ev.GradCleared, ev.OptimizerStepped, ev.NodeStarted,
    ev.CheckpointEntered, ev.RecomputationStarted, ev.RecomputationFinished, ev.ValueChanged,
)  # fmt: skip
_BEGIN_BETWEEN_NODES = (
    ev.HookRegistered, ev.HookRemoved, ev.HookRan, ev.SavedTensorUnpacked, ev.GradientCaptured, ev.OutputPrinted,
    ev.WarningRaised,
)  # fmt: skip
_WAIT = (
    ev.NodeCreated, ev.GraphRebased, ev.GradModeChanged, ev.ModuleDescribed, ev.ModuleEntered, ev.TransformEntered,
    ev.RoundStarted, ev.FunctionEntered, ev.TensorMutated,
)  # fmt: skip
"""What belongs to the moment that follows."""


class Moment:
    """One step: the events `first` to `last`, of which `main` made it."""

    __slots__ = ("first", "last", "main")

    def __init__(self, first: int, main: ev.Event) -> None:
        self.first = first
        self.last = main.seq
        self.main = main


class Encoded(Sequence[bytes]):
    """Events as they travel, each encoded when it is asked for: they are kept once."""

    def __init__(self, events: list[ev.Event]) -> None:
        self._events = events

    def __len__(self) -> int:
        return len(self._events)

    @overload
    def __getitem__(self, at: int) -> bytes: ...

    @overload
    def __getitem__(self, at: slice) -> list[bytes]: ...

    def __getitem__(self, at: int | slice) -> bytes | list[bytes]:
        """A line, or a list of lines."""
        found = self._events[at]
        return [ev.encode(event) for event in found] if isinstance(found, list) else ev.encode(found)


class History:
    """The events of a run as they come, an index over them, and its moments."""

    def __init__(self) -> None:
        self.events: list[ev.Event] = []
        self.lines = Encoded(self.events)
        self.tape = Tape()
        self.moments: list[Moment] = []
        self.calls: list[int] = []
        self._running: int | None = None
        self._recomputing = False
        self._waiting = 0
        self._error: tuple[str, str] | None = None

    def take(self, event: ev.Event) -> None:
        """The next event."""
        self.events.append(event)
        self.tape.extend((event,))
        place = self._place(event)
        self._follow(event)
        if place == "waits":
            return
        if place == "begins":
            self.moments.append(Moment(self._waiting, event))
        elif self.moments:
            last = self.moments[-1]
            last.last = event.seq
            if isinstance(event, ev.GradAccumulated) and isinstance(last.main, ev.NodeStarted):
                last.main = event
        self._waiting = event.seq + 1

    @property
    def complete(self) -> bool:
        """Whether the program has told that it is over."""
        return bool(self.events) and isinstance(self.events[-1], ev.ProgramFinished)

    def inside(self, moment: Moment) -> list[ev.Event]:
        """The events of a moment."""
        return self.events[moment.first : moment.last + 1]

    def within(self, moment: Moment) -> int:
        """The last event of a moment before functions were left and tensors went: its variables were there yet."""
        told = self.inside(moment)
        while len(told) > 1 and isinstance(told[-1], (ev.FunctionLeft, ev.TensorReleased)):
            told.pop()
        return told[-1].seq

    def index(self, seq: int) -> int:
        """The number of the moment that an event belongs to, -1 before the first."""
        return bisect_right(self.moments, seq, key=lambda moment: moment.first) - 1

    def line_of(self, moment: Moment) -> int | None:
        """The line of a moment: of a node that runs, the one that made it."""
        if moment.main.line is not None:
            return moment.main.line
        facts = self.tape.nodes.get(getattr(moment.main, "node", None) or -1)
        return None if facts is None else facts.line

    def line_at(self, seq: int) -> int | None:
        """The line of an event."""
        number = self.index(seq)
        line = self.events[seq].line
        return self.line_of(self.moments[number]) if line is None and number >= 0 else line

    def _place(self, event: ev.Event) -> str:
        idle = self._running is None
        if isinstance(event, _BEGIN):
            return "begins"
        if isinstance(event, ev.HookRegistered) and event.where.startswith("module"):
            return "joins"
        if isinstance(event, _BEGIN_BETWEEN_NODES):
            return "begins" if idle else "joins"
        if isinstance(event, ev.TensorCreated):
            return "begins" if idle and not self.calls else "joins"
        if isinstance(event, ev.OpApplied):
            free = self._recomputing or (idle and (not self.calls or event.node is not None))
            return "begins" if free else "joins"
        if isinstance(event, ev.GradAccumulated):
            return "joins" if self._running == event.node else "begins"
        if isinstance(event, ev.BackwardFinished):
            return "joins" if event.failed else "begins"
        if isinstance(event, ev.ErrorRaised):
            return "joins" if self._error == (event.type, event.message) else "begins"
        if isinstance(event, ev.TensorMutated) and self.moments:
            after_step = isinstance(self.moments[-1].main, ev.OptimizerStepped)
            return "joins" if after_step or not idle else "waits"
        return "waits" if isinstance(event, _WAIT) and idle else "joins"

    def _follow(self, event: ev.Event) -> None:
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
        if isinstance(event, ev.ErrorRaised):
            self._error = event.type, event.message
        elif isinstance(event, (ev.OpApplied, ev.BackwardStarted)):
            self._error = None
