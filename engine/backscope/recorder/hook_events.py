"""Records hooks: their registration, their removal and each time that one runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backscope.autograd.node import AccumulateGrad
from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.identities import Identities
from backscope.recorder.journal import Journal
from backscope.recorder.module_calls import ModuleCalls
from backscope.recorder.passes import Passes
from backscope.recorder.pending_values import PendingValues
from backscope.recorder.tensor_slots import data_of
from backscope.recorder.user_code import UserCode
from backscope.runtime.listener import Listener
from backscope.runtime.passive import is_a, is_module, own_dict
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.autograd.node import Node


class HookEvents(Listener):
    """Records the moments whose methods it overrides."""

    __slots__ = ("code", "identities", "journal", "modules", "passes", "values")

    def __init__(
        self,
        journal: Journal,
        code: UserCode,
        values: PendingValues,
        identities: Identities,
        passes: Passes,
        modules: ModuleCalls,
    ) -> None:
        self.journal = journal
        self.code = code
        self.values = values
        self.identities = identities
        self.passes = passes
        self.modules = modules

    @guarded
    def hook_registered(self, where: str, hook: str, tensor: Tensor | None, node: Node | None) -> None:
        """Record that the user registered a hook on a tensor (`node` is its grad_fn, None for a leaf) or on a node."""
        self._record(say.hook_registered, where, hook, tensor, node)

    @guarded
    def hook_removed(self, where: str, hook: str, tensor: Tensor | None, node: Node | None) -> None:
        """Record that a hook was removed."""
        self._record(say.hook_removed, where, hook, tensor, node)

    def _record(
        self, build: Callable[..., Any], where: str, hook: str, tensor: Tensor | None, node: Node | None
    ) -> None:
        line = self.code.line()
        on = None if tensor is None else self.identities.token(tensor, line, "tensor").tensor
        self.journal.add(build, line, where, hook, on, None if node is None else self.identities.node_id(node, line))

    @guarded
    def module_hook_registered(self, where: str, hook: str, module: object) -> None:
        """Record that the user registered a hook on a module."""
        line = self.code.line()
        own = (own_dict(module).get("_parameters") or {}).values()
        parameters = [self.identities.token(p, line, "leaf").tensor for p in own if is_a(p, Tensor)]
        self.journal.add(say.module_hook_registered, line, where, hook, self.modules.path_of(module), parameters)

    @guarded
    def hook_ran(
        self, where: str, node: Node | None, hook: str, before: object, after: object, owner: object = None
    ) -> None:
        """Record that a user's hook ran on a gradient or, in a module's forward pass, on a value.

        `node` is None where there is none; `owner` is the module that the hook is on, or the name of the optimizer.
        """
        line = self.code.line()
        self.passes.sent = {}
        tensor = self.identities.token(node.variable, None, "leaf").tensor if isinstance(node, AccumulateGrad) else None
        if where.startswith("module forward") and is_a(before, Tensor):
            tensor = self.identities.token(before, line, "tensor").tensor
        elif where.startswith("module") and node is None and self.passes.running:
            node = self.passes.running[-1]
        self.journal.add(
            say.hook_ran,
            line,
            self.passes.call,
            where,
            hook,
            self.modules.path_of(owner) if is_module(owner) else owner,
            tensor,
            None if node is None else self.identities.node_id(node, None),
            self._captured(before),
            self._captured(after),
        )

    def _captured(self, value: object) -> object:
        """Return the value of a tensor as it is now, None for anything else."""
        return self.values.value(data_of(value)) if is_a(value, Tensor) else None
