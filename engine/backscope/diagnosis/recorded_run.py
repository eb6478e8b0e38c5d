"""What a diagnosis needs to know of the run in which an error happened; the recorder provides it."""

from __future__ import annotations

from typing import Any, Protocol

from backscope.tensor.tensor import Tensor


class RecordedRun(Protocol):
    """A run as far as it was recorded: where its tensors and nodes came from, and what became of them."""

    @property
    def user_globals(self) -> dict[str, Any] | None:
        """The global variables of the program, None where they are not known."""

    @property
    def names(self) -> dict[int, str]:
        """What the program calls its tensors, by their number."""

    @property
    def running(self) -> list[Any]:
        """The nodes whose backward runs, the innermost last."""

    def born_at(self, tensor: Tensor) -> int | None:
        """The line that made a tensor."""

    def made_at(self, node: Any) -> int | None:
        """The line whose op made a node."""

    def freed_at(self, node: Any) -> int | None:
        """The line whose pass freed the saved tensors of a node."""

    def changed_at(self, storage: int | None) -> int | None:
        """The line that last changed a memory in place."""

    def stepped(self, storage: int | None) -> str | None:
        """The optimizer whose step last changed a memory."""

    def saved_in(self, node: Any, slot: str) -> tuple[int | None, int | None]:
        """The tensor that a node saved in a slot, and its memory."""

    def path_of(self, module: Any) -> str:
        """The path by which the program reaches a module."""
