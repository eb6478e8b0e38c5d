"""The backward passes that a thread is running, and stack space for passes inside one another."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backscope.autograd.modes.grad_mode import mode
from backscope.runtime.given import Value

if TYPE_CHECKING:
    from backscope.autograd.task import Task

DEPTH = 20
"""The number of passes inside one another that share a thread's stack."""
LIMIT = 5000
"""The number of passes that may run inside one another."""


class _Running(threading.local):
    """The graph tasks of this thread, innermost last."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []


running = _Running()


def with_room(function: Callable[..., None], *args: Value) -> None:
    """Call a function that runs a graph task, in a new thread where too many passes run on this one's stack."""
    depth = len(running.tasks)
    if not depth or depth % DEPTH:
        function(*args)
        return
    if depth >= LIMIT:
        raise RecursionError(f"{depth} backward passes run inside one another")
    tasks, state = running.tasks, dict(vars(mode))
    raised: list[BaseException] = []

    def run() -> None:
        running.tasks = tasks
        vars(mode).update(state)
        try:
            function(*args)
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # No more threads may be started.
        with _deeper():
            function(*args)
        return
    thread.join()
    if raised:
        raise raised[0]


@contextlib.contextmanager
def _deeper() -> Any:
    """Raise Python's recursion limit for as long as the context lasts."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + 1000)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
