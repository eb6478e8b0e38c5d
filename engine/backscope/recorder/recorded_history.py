"""What a recording knows of the past, for the diagnosis of an error."""

from __future__ import annotations

from typing import Any

from backscope.recorder.journal import Journal
from backscope.recorder.memory_changes import MemoryChanges
from backscope.recorder.module_calls import ModuleCalls
from backscope.recorder.names import Names
from backscope.recorder.passes import Passes
from backscope.recorder.user_code import UserCode
from backscope.tensor.tensor import Tensor


class RecordedHistory:
    """Answers what diagnosis.recorded_run.RecordedRun asks for."""

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

    @property
    def names(self) -> dict[int, str]:
        """What the program calls its tensors, by their number."""
        return self.tensor_names.by_tensor

    @property
    def running(self) -> list[Any]:
        """The nodes whose backward runs, the innermost last."""
        return self.passes.running

    def path_of(self, module: Any) -> str:
        """The path by which the program reaches a module."""
        return self.modules.path_of(module)

    def saved_in(self, node: Any, slot: str) -> tuple[int | None, int | None]:
        """The tensor that a node saved in a slot and its storage, as they were told."""
        self.journal.drain()
        told = self.journal.narrator.saved.get(node.token.node, ()) if node.token is not None else ()
        return next(((tensor, storage) for name, tensor, storage, _ in told if name == slot), (None, None))

    def made_at(self, node: Any) -> int | None:
        """The line whose op made a node."""
        return self.journal.narrator.lines.line(node.token.line) if node.token is not None else None

    def freed_at(self, node: Any) -> int | None:
        """The line of the backward pass that freed a node's saved tensors."""
        return self.journal.narrator.lines.line(node.token.freed) if node.token is not None else None

    def changed_at(self, storage: int | None) -> int | None:
        """The line that last changed a storage in place."""
        return None if storage is None else self.journal.narrator.lines.line(self.changes.changed_at.get(storage))

    def stepped(self, storage: int | None) -> str | None:
        """The optimizer whose step was the last change of a storage, None for any other change."""
        return None if storage is None else self.changes.stepped.get(storage)

    def born_at(self, tensor: Tensor) -> int | None:
        """The line that made a tensor."""
        return self.journal.narrator.lines.line(tensor._token.line) if tensor._token is not None else None
