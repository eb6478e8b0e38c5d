"""`hub`, which has the listener of the engine: one recorder at most, for which each op or write checks once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from backscope.runtime.listener import Keeper, Listener, PassDebugger

Error = TypeVar("Error", bound=BaseException)
P = ParamSpec("P")
R = TypeVar("R")


class _Hub:
    """Without a `listener`, which is None then, an op costs one check.

    `keeper` holds values by reference, and is called before their memory is written to, also while ops are not
    recorded; None where none are held.  `debugger` may stop a backward pass between its nodes; None without one.
    `refused` is called with errors as they are made, in runs whose `except` blocks are not instrumented.
    `handlers` counts the calls of `__torch_dispatch__` and `__torch_function__` that are under way.
    """

    __slots__ = ("debugger", "handlers", "keeper", "listener", "refused")

    def __init__(self) -> None:
        self.listener: Listener | None = None
        self.keeper: Keeper | None = None
        self.debugger: PassDebugger | None = None
        self.handlers = 0
        self.refused: Callable[[BaseException], None] | None = None


hub = _Hub()


def refusal(error: Error) -> Error:
    """Pass an error that the engine is about to raise to `hub.refused`; return the error."""
    if hub.refused is not None:
        hub.refused(error)
    return error


def refusing(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function off the hot paths: errors that it raises are given to `hub.refused`."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            refusal(error)
            raise

    return call
