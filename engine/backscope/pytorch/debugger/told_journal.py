"""A journal that also gives each moment to the debugger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.recorder.journal import Journal


class ToldJournal(Journal):
    """Calls `told` with each moment right after it was recorded, or nothing where `told` is None."""

    __slots__ = ("told",)

    # Any: the arguments of the function that makes the moment's events.
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.told: Callable[[tuple[Any, ...]], None] | None = None

    # Any: a moment, as the journal has it.
    def add(self, *moment: Any) -> None:
        """Record a moment; drain if a batch is full."""
        super().add(*moment)
        if self.told is not None:
            self.told(moment)
