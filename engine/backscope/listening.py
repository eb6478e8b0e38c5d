"""Who listens to the engine: one recorder at most, asked for with one check per op or write."""

from __future__ import annotations

from typing import Any


class _Hub:
    """`listener` is None where nobody listens, and then nothing is paid but the check.

    `keeper` holds values by reference, and is told before their memory is written to; None where none are held.  It is
    there also while ops go untold.  `debugger` may stop a backward pass between its nodes; None where there is none.
    """

    __slots__ = ("debugger", "keeper", "listener")

    def __init__(self) -> None:
        self.listener: Any = None
        self.keeper: Any = None
        self.debugger: Any = None


hub = _Hub()
