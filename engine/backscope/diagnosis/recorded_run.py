"""The facts about a run that the diagnosis of an error needs; the recorder provides them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from backscope.diagnosis.user_frame import OwnCode
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.autograd.node import Node


class RecordedRun(OwnCode, Protocol):
    """A run as far as it was recorded: where its tensors and nodes came from, and what happened to them."""

    @property
    def user_globals(self) -> dict[str, Any] | None:
        """The global variables of the program, or None where they are not known."""

    @property
    def names(self) -> dict[int, str]:
        """The program's names of its tensors, by identity."""

    @property
    def running(self) -> list[Any]:
        """The nodes that run backward, the innermost last."""

    def born_at(self, tensor: Tensor) -> int | None:
        """Return the line that made a tensor."""

    def made_at(self, node: Node) -> int | None:
        """Return the line with the op that made a node."""

    def freed_at(self, node: Node) -> int | None:
        """Return the line with the pass that freed the saved tensors of a node."""

    def changed_at(self, storage: int | None) -> int | None:
        """Return the line that last changed a storage in place."""

    def stepped(self, storage: int | None) -> str | None:
        """Return the optimizer with the step that last changed a storage."""

    def saved_in(self, node: Node, slot: str) -> tuple[int | None, int | None]:
        """Return the identities of the tensor that a node saved in a slot and of its storage."""

    def path_of(self, module: object) -> str:
        """Return the path by which the program reaches a module."""
