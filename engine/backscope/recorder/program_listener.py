"""The moments of a program's run, which the code that runs it calls, in addition to those of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backscope.diagnosis.user_frame import Frames
from backscope.runtime.listener import Listener

if TYPE_CHECKING:
    from backscope.autograd.node import Node
    from backscope.protocol.event_parts import Diagnosis


class ProgramListener(Listener):
    """Does nothing at any moment; a class that listens derives from it and overrides moments, as with Listener."""

    __slots__ = ()

    def named(self, name: str, value: object, line: int) -> None:
        """Called after a variable of the program was bound."""

    def name_given_up(self, name: str, line: int | None) -> None:
        """Called after a variable that held a module was deleted, or before it is bound to something else."""

    def kept(self, holder: str, container: object, line: int) -> None:
        """Called after a container of the program, which `holder` names, took something in."""

    def printed(self, stream: str, text: str) -> None:
        """Called after the program wrote text."""

    def warned(self, category: str, message: str, line: int | None) -> None:
        """Called after a warning was given."""

    def failed(
        self,
        stage: str,
        kind: str,
        message: str,
        line: int | None,
        column: int | None,
        trace: Frames,
        node: Node | None,
        why: Diagnosis | None,
    ) -> None:
        """Called after an exception was raised or caught."""

    def program_started(self, filename: str, source: str, seed: int, versions: dict[str, str]) -> None:
        """Called before the program runs."""

    def source_added(self, path: str, name: str, source: str) -> None:
        """Called before the first line of a further file of the program runs; `path` is that of its code."""

    def program_finished(self, status: str) -> None:
        """Called after the program has run."""
