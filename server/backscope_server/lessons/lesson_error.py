"""Mistakes in a lesson: the error for one, a collection of them, and the words of their messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TypeVar

T = TypeVar("T")

MOST_FAULTS = 100
"""The most mistakes that are collected in one file."""
_LONGEST = 80
_MOST_NAMES = 20


class LessonError(ValueError):
    """The error for a mistake at `line` of a lesson's file, 1 for the first; the text says what to do."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class TooManyFaults(Exception):
    """The error that ends the reading of a file with more mistakes than are collected."""


class Faults:
    """The mistakes that are found while a lesson is read; the reading goes on after each."""

    def __init__(self) -> None:
        self.found: list[LessonError] = []

    def add(self, line: int, message: str) -> None:
        """Add a mistake.

        Raises: TooManyFaults.
        """
        self._add(LessonError(line, message))

    def attempt(self, make: Callable[[], T]) -> T | None:
        """Return what a function makes; add the LessonError that it raises and return None instead.

        Raises: TooManyFaults.
        """
        try:
            return make()
        except LessonError as fault:
            self._add(fault)
            return None

    def _add(self, fault: LessonError) -> None:
        if len(self.found) == MOST_FAULTS:
            raise TooManyFaults
        self.found.append(fault)


def meant(wrong: str, known: Iterable[str]) -> str | None:
    """Return the known name that an unknown one is most like, None where it is like none."""
    return next(iter(get_close_matches(wrong[:_LONGEST], list(known), 1)), None)


def one_of(wrong: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the name that was probably meant, and known ones."""
    names = list(known)
    if not names:
        return "There is none."
    guess = meant(wrong, names)
    start = f"Did you mean {guess}? " if guess is not None else ""
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{start}There {'is' if len(names) == 1 else 'are'}: {', '.join(names[:_MOST_NAMES])}{more}."


def quoted(text: str) -> str:
    """Return a text in quotation marks for a message, a long one shortened."""
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
