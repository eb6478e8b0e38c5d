"""The results of programs: the events of a run, and the breaches of a hostile program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Run:
    """The events of one program's run, as a client received them."""

    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def printed(self) -> str:
        return "".join(event["text"] for event in self.events if event["kind"] == "output_printed")

    @property
    def error(self) -> dict[str, Any] | None:
        """Return the error of a limit that ended the run; None if no limit did."""
        return next((e for e in reversed(self.events) if e["kind"] == "error_raised" and e["stage"] == "limit"), None)

    @property
    def ending(self) -> str:
        """Return ok, error, stopped, or the type of the limit's error."""
        status: str = self.events[-1]["status"] if self.events[-1]["kind"] == "program_finished" else "no end"
        return str(self.error["type"]) if status == "limit" and self.error is not None else status


@dataclass
class Attack:
    """The result of a hostile program: how its run ended, and in `breaches` all that the sandbox must prevent."""

    name: str
    ending: str = "not run"
    message: str = ""
    printed: str = ""
    seconds: float = 0.0
    breaches: list[str] = field(default_factory=list)
