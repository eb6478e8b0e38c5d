"""Records a program's beginning and end, its output, its warnings and its errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backscope.diagnosis.user_frame import Frames
from backscope.recorder import narration as say
from backscope.recorder.journal import Journal
from backscope.recorder.program_listener import ProgramListener
from backscope.recorder.user_code import UserCode
from backscope.runtime import passive

if TYPE_CHECKING:
    from backscope.autograd.node import Node
    from backscope.protocol.event_parts import Diagnosis


class ProgramEvents(ProgramListener):
    """Records the moments whose methods it overrides."""

    __slots__ = ("code", "journal")

    def __init__(self, journal: Journal, code: UserCode) -> None:
        self.journal = journal
        self.code = code

    def program_started(self, filename: str, source: str, seed: int, versions: dict[str, str]) -> None:
        """Record that the program is about to run."""
        self.journal.add(say.program_started, None, filename, source, seed, versions)

    def source_added(self, path: str, name: str, source: str) -> None:
        """Record that a further file takes part in the program, by the path that its code has."""
        self.journal.add(say.source_added, None, self.code.others.add(path, name), name, source)

    def printed(self, stream: str, text: str) -> None:
        """Record text that the program wrote."""
        self.journal.add(say.output_printed, self.code.line(), stream, text)

    def warned(self, category: str, message: str, line: int | None) -> None:
        """Record a warning."""
        self.journal.add(say.warning_raised, line, category, message)

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
        """Record an exception that was raised or caught, with the node it is about and its diagnosis."""
        number = None if node is None or node.token is None else node.token.node
        self.journal.add(say.error_raised, line, stage, kind, message, column, trace, number, why)

    def program_finished(self, status: str) -> None:
        """Record that the program has run."""
        self.journal.add(say.program_finished, None, status)


def text_of(error: BaseException, *, shown: bool = False) -> str:
    """Return an exception's text; unless Python has `shown` it already, without running the program's code for it."""
    try:
        return str(error) if shown or passive.has_plain_text(error) else passive.text_of_error(error)
    except BaseException:  # noqa: BLE001 - the text of what it was made with may be the program's
        return "(its text could not be made)"
