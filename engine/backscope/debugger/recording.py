"""What the debugger needs of a recorder: the engine's, or that of programs on PyTorch."""

from __future__ import annotations

from typing import Protocol

from backscope.recorder.journal import Journal
from backscope.recorder.user_code import UserCode


class Recording(Protocol):
    """Writes events as the program runs."""

    @property
    def journal(self) -> Journal:
        """The moments that are not written yet, and the number of events."""

    @property
    def code(self) -> UserCode:
        """Finds the user's frames."""

    def drain(self) -> None:
        """Write the events of all moments so far."""
