"""The debugger's own work in a program on PyTorch."""

from __future__ import annotations

from backscope.debugger.own_work import OwnWork
from backscope.pytorch.context import Context


class TorchOwnWork(OwnWork):
    """Work during which nothing is recorded, nor added to the graph; the program's grad mode is put back."""

    __slots__ = ("_context",)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context

    def away(self) -> None:
        """Have nothing recorded from here on."""
        self._context.quiet.__enter__()

    def back(self) -> None:
        """Have the program recorded as it was."""
        self._context.quiet.__exit__(None, None, None)
