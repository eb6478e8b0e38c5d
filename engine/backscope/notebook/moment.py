"""The moment of a recording that a reader is at: what happened there, and what was known by then."""

from __future__ import annotations

from collections.abc import Sequence

from backscope.caption.caption import sentence
from backscope.caption.run import Run
from backscope.caption.state import State
from backscope.diagnosis.why import NotAsked
from backscope.program.explanation import explain
from backscope.protocol import events as ev


class Moment:
    """One step of a recording.

    `step` counts from 1, 0 is before the first; `seq` is that of its last event, -1 before the first.
    """

    def __init__(self, run: Run, step: int) -> None:
        self._run = run
        self._moment = run.moments[step - 1] if step > 0 else None
        self.step = step
        self.seq = -1 if self._moment is None else self._moment.last

    @property
    def event(self) -> ev.Event | None:
        """The event that the step is about, as backscope.protocol.events has it; None before the first."""
        return None if self._moment is None else self._moment.main

    @property
    def events(self) -> Sequence[ev.Event]:
        """All events of the step."""
        return () if self._moment is None else self._run.inside(self._moment)

    @property
    def line(self) -> int | None:
        """The line of the program, from 1 on."""
        return None if self._moment is None else self._moment.main.line

    @property
    def sentence(self) -> str:
        """What happens, as the page says it."""
        return "" if self._moment is None else sentence(self._run, self._moment)

    def value(self, name: str) -> ev.Summary:
        """Return what a variable's tensor, such as "w", held then: its shape, norm and first elements.

        Raises: ValueError where no tensor had that name by then.
        """
        tensor = self._run.tape.find(name, self.seq)
        value = None if tensor is None else State(self._run, self.seq).value(tensor)
        if value is None:
            raise ValueError(f"No variable {name} had a tensor by step {self.step}.")
        return value

    def why(self, about: str | None = None) -> str:
        """Explain the .grad of a variable, by its name, as of then; without an argument, what had gone wrong.

        Raises: ValueError where no tensor had that name by then.
        """
        try:
            return explain(self._run.tape, self.seq, about)
        except NotAsked as refused:
            raise ValueError(str(refused)) from None

    def __repr__(self) -> str:
        where = "" if self.line is None else f", line {self.line}"
        return f"<Moment {self.step}{where}: {self.sentence}>" if self.step else "<Moment before the first step>"
