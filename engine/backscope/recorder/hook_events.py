"""Recording hooks: which are registered and removed, and what they do."""

from __future__ import annotations

from typing import Any

from backscope.autograd.node import AccumulateGrad
from backscope.recorder import narration as say
from backscope.recorder.guarded import guarded
from backscope.recorder.identities import Identities
from backscope.recorder.journal import Journal
from backscope.recorder.module_calls import ModuleCalls
from backscope.recorder.passes import Passes
from backscope.recorder.pending_values import PendingValues
from backscope.recorder.user_code import UserCode
from backscope.runtime.listener import Listener
from backscope.runtime.passive import is_module, own_dict
from backscope.tensor.tensor import Tensor


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
    def hook_registered(self, where: str, hook: str, tensor: Tensor | None, node: Any) -> None:
        """The user hung a hook on a tensor (`node` is its grad_fn, None for a leaf) or on a node."""
        self._hung(say.hook_registered, where, hook, tensor, node)

    @guarded
    def hook_removed(self, where: str, hook: str, tensor: Tensor | None, node: Any) -> None:
        """The user took a hook away that hook_registered told of."""
        self._hung(say.hook_removed, where, hook, tensor, node)

    def _hung(self, build: Any, where: str, hook: str, tensor: Tensor | None, node: Any) -> None:
        line = self.code.line()
        on = None if tensor is None else self.identities.token(tensor, line, "tensor").tensor
        self.journal.add(build, line, where, hook, on, None if node is None else self.identities.node_id(node, line))

    @guarded
    def module_hook_registered(self, where: str, hook: str, module: Any) -> None:
        """The user hung a hook on a module."""
        line = self.code.line()
        own = (own_dict(module).get("_parameters") or {}).values()
        parameters = [self.identities.token(p, line, "leaf").tensor for p in own if isinstance(p, Tensor)]
        self.journal.add(say.module_hook_registered, line, where, hook, self.modules.path_of(module), parameters)

    @guarded
    def hook_ran(self, where: str, node: Any, hook: str, before: Any, after: Any, owner: Any = None) -> None:
        """A user's hook saw a gradient, or in a module's forward pass a value; `node` is None where there is none.

        `owner` is the module whose hook it is, or the name of the optimizer.
        """
        line = self.code.line()
        self.passes.sent = {}
        tensor = self.identities.token(node.variable, None, "leaf").tensor if isinstance(node, AccumulateGrad) else None
        if where.startswith("module forward") and isinstance(before, Tensor):
            tensor = self.identities.token(before, line, "tensor").tensor
        elif where.startswith("module") and node is None and self.passes.running:
            node = self.passes.running[-1]
        self.journal.add(
            say.hook_ran,
            line,
            self.passes.calls[-1] if self.passes.calls else None,
            where,
            hook,
            self.modules.path_of(owner) if is_module(owner) else owner,
            tensor,
            None if node is None else self.identities.node_id(node, None),
            None if not isinstance(before, Tensor) else self.values.value(before._data),
            None if not isinstance(after, Tensor) else self.values.value(after._data),
        )
