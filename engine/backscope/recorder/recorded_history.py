"""The recorded past of a run, for the diagnosis of an error."""

from __future__ import annotations

from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from backscope.recorder.journal import Journal
from backscope.recorder.memory_changes import MemoryChanges
from backscope.recorder.module_calls import ModuleCalls
from backscope.recorder.names import Names
from backscope.recorder.passes import Passes
from backscope.recorder.tensor_slots import token_of
from backscope.recorder.user_code import UserCode
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.autograd.node import Node


class RecordedHistory:
    """Implements diagnosis.recorded_run.RecordedRun: where tensors and nodes came from, and what became of them."""

    __slots__ = ("changes", "code", "journal", "modules", "passes", "tensor_names")

    def __init__(
        self,
        journal: Journal,
        code: UserCode,
        passes: Passes,
        names: Names,
        changes: MemoryChanges,
        modules: ModuleCalls,
    ) -> None:
        self.journal = journal
        self.code = code
        self.passes = passes
        self.tensor_names = names
        self.changes = changes
        self.modules = modules

    @property
    def user_globals(self) -> dict[str, Any] | None:
        """The global variables of the program, None where they are not known."""
        return self.code.user_globals

    def owns(self, frame: FrameType) -> bool:
        """Return True for a frame of the program's code."""
        return self.code.owns(frame)

    def line_at(self, code: CodeType, line: int | None) -> int | None:
        """Return a line of the program's code as events have it."""
        return self.code.line_at(code, line)

    @property
    def names(self) -> dict[int, str]:
        """The names of the program's tensors, by their number."""
        return self.tensor_names.by_tensor

    @property
    def running(self) -> list[Node]:
        """The nodes whose backward runs, the innermost last."""
        return self.passes.running

    def path_of(self, module: object) -> str:
        """Return the path by which the program reaches a module."""
        return self.modules.path_of(module)

    def saved_in(self, node: Node, slot: str) -> tuple[int | None, int | None]:
        """Return the tensor that a node saved in a slot and its storage, as events have them."""
        self.journal.drain()
        saved = self.journal.narrator.saved.get(node.token.node, ()) if node.token is not None else ()
        return next(((tensor, storage) for name, tensor, storage, _ in saved if name == slot), (None, None))

    def made_at(self, node: Node) -> int | None:
        """Return the line whose op made a node."""
        return self.journal.narrator.lines.line(node.token.line) if node.token is not None else None

    def freed_at(self, node: Node) -> int | None:
        """Return the line of the backward pass that freed a node's saved tensors."""
        return self.journal.narrator.lines.line(node.token.freed) if node.token is not None else None

    def changed_at(self, storage: int | None) -> int | None:
        """Return the line that last changed a storage in place."""
        return None if storage is None else self.journal.narrator.lines.line(self.changes.changed_at.get(storage))

    def stepped(self, storage: int | None) -> str | None:
        """Return the optimizer whose step last changed a storage, None if something else did."""
        return None if storage is None else self.changes.stepped.get(storage)

    def born_at(self, tensor: Tensor) -> int | None:
        """Return the line that made a tensor."""
        token = token_of(tensor)
        return None if token is None else self.journal.narrator.lines.line(token.line)
