"""Mistakes in a lesson: the error for one, and a collection of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

MOST_FAULTS = 100
"""The most mistakes that are collected in one file."""


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
