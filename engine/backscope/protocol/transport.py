"""The interface by which commands reach the debugger and answers leave it, and one with a list of commands."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from backscope.protocol.commands import Order, Reply


class Transport(Protocol):
    """The source of commands and the receiver of answers."""

    def pending(self) -> bool:
        """Return whether next_command() would return at once; called while the program runs."""

    def next_command(self) -> Order | None:
        """Wait for the next command; None when no more can come, and then the program runs to its end."""

    def answer(self, answer: Reply) -> None:
        """Send an answer."""

    def evaluating(self) -> AbstractContextManager[None]:
        """Return a context for evaluating an expression of the user's, in which a KeyboardInterrupt may be raised."""


class Script:
    """Commands that are known beforehand: those `before` the program begins, then one after the other at its stops.

    `answers` collects the answers.
    """

    def __init__(self, before: Iterable[Order], then: Iterable[Order] = ()) -> None:
        self.answers: list[Reply] = []
        self._before = list(before)
        self._then = iter(list(then))

    def pending(self) -> bool:
        """Return whether there is a command for before the program begins."""
        return bool(self._before)

    def next_command(self) -> Order | None:
        """Return the next command."""
        return self._before.pop(0) if self._before else next(self._then, None)

    def answer(self, answer: Reply) -> None:
        """Append an answer to `answers`."""
        self.answers.append(answer)

    def evaluating(self) -> AbstractContextManager[None]:
        """Return a context without an effect: nothing interrupts an evaluation here."""
        return nullcontext()
