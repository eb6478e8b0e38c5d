"""The calls of modules and the rounds of loops that events are in."""

from __future__ import annotations

from typing import NamedTuple

from backscope.caption.series import Series
from backscope.protocol import events as ev


class ModuleCall(NamedTuple):
    """A call of a module, and the one around it."""

    event: ev.ModuleEntered
    outer: ModuleCall | None


class LoopRun:
    """A run of a loop: `steps` and `passes` where an optimizer stepped or a backward pass began in its own body."""

    __slots__ = ("outer", "passes", "rounds", "steps", "text", "total")

    def __init__(self, text: str, outer: LoopRun | None) -> None:
        self.text = text
        self.outer = outer
        self.rounds: Series[int] = Series()
        self.total: int | None = None
        self.steps = False
        self.passes = False


class Round(NamedTuple):
    """A round of a loop by its number."""

    run: LoopRun
    number: int


class ModuleCalls:
    """Follows the events, and has the state at any moment of the past."""

    def __init__(self) -> None:
        self._calls: dict[int, ModuleCall] = {}
        self._loops: dict[int, LoopRun] = {}
        self._entered: Series[ModuleCall | None] = Series()
        self._running: Series[LoopRun | None] = Series()

    def add(self, event: ev.Event) -> None:
        """Add the next event."""
        match event:
            case ev.ModuleEntered():
                outer = self._entered.entries[-1] if self._entered.entries else None
                call = self._calls[event.call] = ModuleCall(event, outer)
                self._entered.push(event.seq, call)
            case ev.ModuleLeft():
                left = self._calls.get(event.call)
                self._entered.push(event.seq, None if left is None else left.outer)
            case ev.RoundStarted():
                run = self._loops.get(event.loop)
                if run is None:
                    around = None if event.outer is None else self._loops.get(event.outer)
                    run = self._loops[event.loop] = LoopRun(event.text, around)
                run.rounds.push(event.seq, event.round)
                self._running.push(event.seq, run)
            case ev.LoopFinished():
                over = self._loops.get(event.loop)
                if over is not None:
                    over.total = event.rounds
                    self._running.push(event.seq, over.outer)
            case ev.OptimizerStepped() | ev.BackwardStarted():
                now = self._running.entries[-1] if self._running.entries else None
                if now is not None and isinstance(event, ev.OptimizerStepped):
                    now.steps = True
                elif now is not None:
                    now.passes = True

    def call_at(self, seq: int) -> ModuleCall | None:
        """Return the innermost call of a module that is running after event `seq`."""
        return self._entered.at(seq)

    def rounds_at(self, seq: int) -> list[Round]:
        """Return the rounds of the loops that are running after event `seq`, outermost first."""
        found: list[Round] = []
        run = self._running.at(seq)
        while run is not None:
            number = run.rounds.at(seq)
            if number is not None:
                found.insert(0, Round(run, number))
            run = run.outer
        return found


def step_of(rounds: list[Round]) -> Round | None:
    """Return the round that counts as the program's step.

    That of the innermost loop in which an optimizer steps, else in which a backward pass begins, else the innermost.
    """
    for counts in (lambda one: one.run.steps, lambda one: one.run.passes, lambda one: True):
        if found := next(filter(counts, reversed(rounds)), None):
            return found
    return None
