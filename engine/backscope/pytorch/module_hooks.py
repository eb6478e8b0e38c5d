"""Records the program's hooks on modules, on the steps of optimizers and on several gradients at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import torch
from torch.autograd import graph

from backscope.pytorch.context import Context, guarded
from backscope.pytorch.hooks import Hooks, is_of_torch
from backscope.pytorch.identities import Identities
from backscope.pytorch.modules import Modules
from backscope.pytorch.patches import Patches
from backscope.recorder import narration as say
from backscope.runtime.passive import callable_name, class_name

_OF_MODULES = {
    "register_forward_pre_hook": "module forward pre",
    "register_forward_hook": "module forward",
    "register_full_backward_pre_hook": "module backward pre",
    "register_full_backward_hook": "module backward",
}
_OF_OPTIMIZERS = {"register_step_pre_hook": "optimizer step pre", "register_step_post_hook": "optimizer step post"}


class OwnerHooks:
    """Puts in the place of each hook one that calls it and records it."""

    def __init__(self, context: Context, identities: Identities, modules: Modules, hooks: Hooks) -> None:
        self.context = context
        self.identities = identities
        self.modules = modules
        self.hooks = hooks

    def install(self, patches: Patches) -> None:
        """Take over the methods by which hooks are registered."""
        for method, where in _OF_MODULES.items():
            self._replace(patches, torch.nn.Module, method, where)
        for method, where in _OF_OPTIMIZERS.items():
            self._replace(patches, torch.optim.Optimizer, method, where)
        plain = graph.register_multi_grad_hook

        def register(tensors: Any, fn: Any, **options: Any) -> Any:
            if not self.context.listens() or not callable(fn) or is_of_torch():
                return plain(tensors, fn, **options)
            self._registered_several(fn)
            with self.context.quiet:  # It makes views of leaves to find their nodes.
                return plain(tensors, self._told("multi grad", fn, None), **options)

        patches.replace(graph, "register_multi_grad_hook", register)

    def _replace(self, patches: Patches, kind: Any, method: str, where: str) -> None:
        plain = vars(kind)[method]

        def register(owner: Any, hook: Any, *args: Any, **options: Any) -> Any:
            if not self.context.listens() or not callable(hook) or is_of_torch():
                return plain(owner, hook, *args, **options)
            handle = plain(owner, self._told(where, hook, owner), *args, **options)
            self._registered(where, hook, owner, handle)
            return handle

        patches.replace(kind, method, update_wrapper(register, plain))

    def _told(self, where: str, hook: Any, owner: Any) -> Callable[..., Any]:
        name = callable_name(hook)

        def called(*args: Any, **kwargs: Any) -> Any:
            if not self.context.listens():
                return hook(*args, **kwargs)
            given = {"module forward": args[2:3], "multi grad": args[:1]}.get(where, args[1:2])
            before = self._value(given)
            with self.context.ops_seen.in_program():
                returned = hook(*args, **kwargs)
            self._ran(where, name, args[0] if owner is not None else None, given, before, returned)
            return returned

        called.recorded_hook = hook  # type: ignore[attr-defined]
        return update_wrapper(called, hook, updated=())

    @guarded
    def _registered(self, where: str, hook: Any, owner: Any, handle: Any) -> None:
        self.hooks.put_back_later(handle)
        if not isinstance(owner, torch.nn.Module):
            return
        self.context.look()
        line = self.context.location()
        parameters = [
            self.identities.token(p, line, "leaf").tensor for p in owner._parameters.values() if p is not None
        ]
        path = self.modules.path_of(owner)
        self.context.add(say.module_hook_registered, line, where, callable_name(hook), path, parameters)

    @guarded
    def _registered_several(self, hook: Any) -> None:
        self.context.look()
        line = self.context.location()
        self.context.add(say.hook_registered, line, "multi grad", callable_name(hook), None, None)

    @guarded
    def _value(self, given: Any) -> Any:
        self.context.settle()
        return self.identities.values.of(_first(given))

    @guarded
    def _ran(self, where: str, name: str, owner: Any, given: Any, before: Any, returned: Any) -> None:
        context = self.context
        context.resolve()
        line = context.location()
        tensor = node = path = None
        first = _first(given)
        if where.startswith("module forward") and first is not None:
            tensor = self.identities.token(first, line).tensor
        elif where.startswith("module"):
            node = context.passes.node
        if isinstance(owner, torch.nn.Module):
            path = self.modules.path_of(owner)
        elif owner is not None:
            path = class_name(type(owner))
        after = self.identities.values.of(_first(returned)) if where.startswith("module") else None
        if where.startswith("optimizer"):
            before = None
        context.add(say.hook_ran, line, context.passes.call, where, name, path, tensor, node, before, after)


# Any: what a hook was given, or returned.
def _first(given: Any) -> torch.Tensor | None:
    """Return the first tensor of some values."""
    while isinstance(given, (tuple, list)):
        given = next((one for one in given if isinstance(one, (torch.Tensor, tuple, list))), None)
    return given if isinstance(given, torch.Tensor) else None
