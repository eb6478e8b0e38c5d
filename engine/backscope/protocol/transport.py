"""How commands reach the debugger and answers leave it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from backscope.protocol.commands import Order, Reply


class Transport(Protocol):
    """Where commands come from and answers go."""

    def pending(self) -> bool:
        """Whether next_command() would return at once; asked while the program runs."""

    def next_command(self) -> Order | None:
        """The next command, waited for; None when there will be no more, and then the program runs to its end."""

    def answer(self, answer: Reply) -> None:
        """Send an answer."""

    def evaluating(self) -> AbstractContextManager[None]:
        """While an expression of the user's is evaluated: a KeyboardInterrupt may end that, and nothing else."""


class Script:
    """Commands that are known beforehand: those `before` the program begins, then one after the other at its stops.

    `answers` has what was answered.
    """

    def __init__(self, before: Iterable[Order], then: Iterable[Order] = ()) -> None:
        self.answers: list[Reply] = []
        self._before = list(before)
        self._then = iter(list(then))

    def pending(self) -> bool:
        """Whether something is to be done before the program begins."""
        return bool(self._before)

    def next_command(self) -> Order | None:
        """The next command."""
        return self._before.pop(0) if self._before else next(self._then, None)

    def answer(self, answer: Reply) -> None:
        """Keep an answer."""
        self.answers.append(answer)

    def evaluating(self) -> AbstractContextManager[None]:
        """An evaluation cannot be interrupted here."""
        return nullcontext()
