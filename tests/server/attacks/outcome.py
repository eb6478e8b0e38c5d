"""How runs of programs ended, and what hostile ones did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Run:
    """One program's run as a client saw it."""

    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def printed(self) -> str:
        return "".join(event["text"] for event in self.events if event["kind"] == "output_printed")

    @property
    def error(self) -> dict[str, Any] | None:
        """The error that the server says ended it."""
        return next((e for e in reversed(self.events) if e["kind"] == "error_raised" and e["stage"] == "limit"), None)

    @property
    def ending(self) -> str:
        """ok, error, stopped, or the type of the limit's error."""
        status: str = self.events[-1]["status"] if self.events[-1]["kind"] == "program_finished" else "no end"
        return str(self.error["type"]) if status == "limit" and self.error is not None else status


@dataclass
class Attack:
    """What a hostile program did: how its run ended, and everything that it should not have managed."""

    name: str
    ending: str = "not run"
    message: str = ""
    printed: str = ""
    seconds: float = 0.0
    breaches: list[str] = field(default_factory=list)
