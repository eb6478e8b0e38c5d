"""The backward passes that are under way."""

from __future__ import annotations

from typing import Any


class Passes:
    """What the moments within a backward pass refer to.

    `calls` has the numbers of the calls of backward() and autograd.grad(), the innermost last, `running` the nodes that
    run, `line` where the innermost call was made.  `sent` has the copies of small gradients that the node recorded last
    has sent, where these wait as they are.
    """

    __slots__ = ("calls", "line", "outer", "running", "sent")

    def __init__(self) -> None:
        self.calls: list[int] = []
        self.running: list[Any] = []
        self.outer: list[tuple[int, Any]] = []
        self.line: Any = None
        self.sent: dict[int, Any] = {}

    @property
    def call(self) -> int | None:
        """The number of the innermost call, None outside of any."""
        return self.calls[-1] if self.calls else None

    @property
    def node(self) -> Any:
        """The node that runs, None where none does."""
        return self.running[-1] if self.running else None
