"""The error for a lesson that is not written as it has to be, or does not hold when its programs run."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class LessonError(ValueError):
    """What is wrong in a lesson, at `line` of its file, 1 for the first, and what to do."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def one_of(wrong: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the name that was probably meant, and all known ones."""
    names = list(known)
    if not names:
        return "There is none."
    meant = get_close_matches(wrong, names, 1)
    guess = f"Did you mean {meant[0]}? " if meant else ""
    return f"{guess}There {'is' if len(names) == 1 else 'are'}: {', '.join(names)}."
