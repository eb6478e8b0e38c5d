"""Keeps errors of the recording away from the program that is recorded."""

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
        """Where it records moments."""


S = TypeVar("S", bound=Journaling)
P = ParamSpec("P")
R = TypeVar("R")


def guarded(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """A method that the engine calls to tell of a moment: where it fails, the moment is lost and the program goes on.

    It returns None then.  The methods that are called most often do the same by themselves, which costs no call.
    """

    @wraps(method)
    def tell(self: S, *given: P.args, **named: P.kwargs) -> R:
        try:
            return method(self, *given, **named)
        except Exception as error:
            self.journal.lost(error)
            return None  # type: ignore[return-value] # Callers pass it on, to methods that are guarded.

    return tell  # type: ignore[return-value] # It takes the same, whatever it is called with.
