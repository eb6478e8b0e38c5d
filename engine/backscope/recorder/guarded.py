"""Keeps errors of the recorder away from the program that it records."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from backscope.recorder.journal import Journal


class Journaling(Protocol):
    """A part of the recorder."""

    @property
    def journal(self) -> Journal:
        """The journal that it adds moments to."""


S = TypeVar("S", bound=Journaling)
P = ParamSpec("P")
R = TypeVar("R")


def guarded(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Decorate a method that records a moment: if it raises, the moment is lost, and the program continues.

    The method returns None then.  Those that are called most often have a `try` of their own, which saves a call.
    """

    @wraps(method)
    def record(self: S, *given: P.args, **named: P.kwargs) -> R:
        try:
            return method(self, *given, **named)
        except Exception as error:
            self.journal.lost(error)
            return None  # type: ignore[return-value] # Callers pass it to methods that are guarded.

    return record  # type: ignore[return-value] # It takes the same arguments, by position or by name.
