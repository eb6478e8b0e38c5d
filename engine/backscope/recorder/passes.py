"""The backward passes that have begun and not ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backscope.recorder.narration.code_location import Location

if TYPE_CHECKING:
    from backscope.autograd.node import Node
    from backscope.runtime.given import Array


class Passes:
    """The state of backward passes that the moments within them refer to.

    `calls` has the numbers of the calls of backward() and autograd.grad(), the innermost last; `running` the nodes that
    run; `line` the place of the innermost call; `outer` how many nodes ran around each call, and the line before it.
    `sent` has copies of the small gradients that the node recorded last has sent, by the array's id, for as long as
    these are sure to be unchanged.
    """

    __slots__ = ("calls", "line", "outer", "running", "sent")

    def __init__(self) -> None:
        self.calls: list[int] = []
        self.running: list[Node] = []
        self.outer: list[tuple[int, Location]] = []
        self.line: Location = None
        self.sent: dict[int, Array] = {}

    @property
    def call(self) -> int | None:
        """The number of the innermost call, None outside of any."""
        return self.calls[-1] if self.calls else None

    @property
    def node(self) -> Node | None:
        """The node that runs, None if none does."""
        return self.running[-1] if self.running else None
