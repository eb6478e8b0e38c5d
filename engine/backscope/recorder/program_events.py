"""Recording what a program does beside computing: what it prints, its warnings and errors, its beginning and end."""

from __future__ import annotations

from typing import Any

from backscope.diagnosis.user_frame import Frames
from backscope.recorder import narration as say
from backscope.recorder.journal import Journal
from backscope.recorder.program_listener import ProgramListener
from backscope.recorder.user_code import UserCode
from backscope.runtime import passive


class ProgramEvents(ProgramListener):
    """Records the moments whose methods it overrides.

    `reported` is the error that was recorded last.
    """

    __slots__ = ("code", "journal", "reported")

    def __init__(self, journal: Journal, code: UserCode) -> None:
        self.journal = journal
        self.code = code
        self.reported: BaseException | None = None

    def program_started(self, *moment: Any) -> None:
        """A run begins."""
        self.journal.add(say.program_started, None, *moment)

    def printed(self, stream: str, text: str) -> None:
        """The program wrote text."""
        self.journal.add(say.output_printed, self.code.line(), stream, text)

    def warned(self, category: str, message: str, line: int | None) -> None:
        """A warning was given."""
        self.journal.add(say.warning_raised, line, category, message)

    def failed(
        self,
        stage: str,
        kind: str,
        message: str,
        line: int | None,
        column: int | None,
        trace: Frames,
        node: Any,
        why: Any,
    ) -> None:
        """An exception was raised or caught."""
        number = None if node is None or node.token is None else node.token.node
        self.journal.add(say.error_raised, line, stage, kind, message, column, trace, number, why)

    def program_finished(self, status: str) -> None:
        """A run is over."""
        self.journal.add(say.program_finished, None, status)


def text_of(error: BaseException, *, shown: bool = False) -> str:
    """An exception's text; where Python has not `shown` it, without running what the program does for it."""
    try:
        return str(error) if shown or passive.has_plain_text(error) else passive.text_of_error(error)
    except BaseException:  # noqa: BLE001 - the text of what it was made with may be the program's
        return "(its text could not be made)"
