"""Records the program's hooks: those that it registers on tensors, and each time that one runs."""

from __future__ import annotations

import sys
import weakref
from functools import update_wrapper
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

from backscope.pytorch.context import Context, guarded
from backscope.pytorch.identities import Identities, grad_fn_of
from backscope.pytorch.patches import Patches
from backscope.recorder import narration as say
from backscope.runtime.passive import callable_name

_TORCH = str(Path(torch.__file__).parent)
_OWN = str(Path(__file__).parent)
_PASSING = (f"{_TORCH}/_tensor.py", f"{_TORCH}/overrides.py", f"{_TORCH}/utils/_contextlib.py")


def is_of_torch() -> bool:
    """Return True where PyTorch's own code makes the call that is being handled."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((_OWN, *_PASSING)):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(_TORCH)


class Hooks:
    """Puts in the place of each hook one that calls it and records it; the hooks themselves are put back at the end."""

    def __init__(self, context: Context, identities: Identities) -> None:
        self.context = context
        self.identities = identities
        self._registered: dict[int, tuple[str, str, int | None, int | None]] = {}
        self._places: list[tuple[Any, int]] = []
        """The dict of each hook, by a weak reference, and its key."""

    def install(self, patches: Patches) -> None:
        """Follow the removal of hooks."""
        patches.later(self._put_back)
        remove = RemovableHandle.remove

        def removed(handle: Any) -> None:
            remove(handle)
            if self.context.listens():
                self._removed(handle)

        patches.replace(RemovableHandle, "remove", removed)

    # Any: arguments and results of register_hook.
    def register(self, func: Any, where: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Register a hook on a tensor."""
        t = args[0]
        hook = args[1] if len(args) > 1 else kwargs.get("hook")
        told = None if is_of_torch() else self._told(t, hook, where)
        if told is None:
            return func(*args, **kwargs)
        handle = func(t, told)
        self._registering(t, hook, where, handle)
        return handle

    @guarded
    def _told(self, t: torch.Tensor, hook: Any, where: str) -> Any:
        """Return a hook that calls this one and records it; None for what is none."""
        if not callable(hook):
            return None
        self.context.resolve()
        self.context.look()
        name = callable_name(hook)
        ref = weakref.ref(t)
        line = self.context.location()
        number = self.identities.token(t, line).tensor
        with self.context.quiet:
            node = grad_fn_of(t)
        at = None if node is None else self.identities.node_id(node, line)
        del t, node

        def called(gradient: Any) -> Any:
            if not self.context.listens():
                return hook(gradient)
            before = self._before(where, gradient)
            with self.context.ops_seen.in_program():
                returned = hook(gradient)
            self._ran(where, name, number, at, ref, before, returned)
            self.context.stop_point()
            return returned

        called.recorded_hook = hook  # type: ignore[attr-defined]
        return update_wrapper(called, hook, updated=())

    @guarded
    def _before(self, where: str, gradient: Any) -> Any:
        self.context.settle()
        with self.context.quiet:
            value = gradient if where == "tensor" else gradient.grad
        return self.identities.values.of(value)

    @guarded
    def _ran(self, where: str, name: str, number: int, at: int | None, ref: Any, before: Any, returned: Any) -> None:
        context = self.context
        context.resolve()
        leaf = ref()
        node = at if at is not None or leaf is None else self.identities.leaves.get(number)
        tensor = number if at is None else None
        after = self.identities.values.of(returned)
        line = context.location()
        context.add(say.hook_ran, line, context.passes.call, where, name, None, tensor, node, before, after)

    @guarded
    def _registering(self, t: torch.Tensor, hook: Any, where: str, handle: Any) -> None:
        line = self.context.location()
        number = self.identities.token(t, line).tensor
        with self.context.quiet:
            at = grad_fn_of(t)
            node = None if at is None else self.identities.node_id(at, line)
        entry = where, callable_name(hook), number, node
        self._registered[handle.id] = entry
        self.context.add(say.hook_registered, line, *entry)
        self.put_back_later(handle)

    def put_back_later(self, handle: RemovableHandle) -> None:
        """Put the program's hook in its own place when the recording ends."""
        self._places.append((handle.hooks_dict_ref, handle.id))

    def _put_back(self) -> None:
        """Put the program's hooks back that are still registered."""
        for hooks, number in self._places:
            held = hooks()
            hook = None if held is None else getattr(held.get(number), "recorded_hook", None)
            if held is not None and hook is not None:
                held[number] = hook

    @guarded
    def _removed(self, handle: Any) -> None:
        entry = self._registered.pop(handle.id, None)
        if entry is not None:
            self.context.add(say.hook_removed, self.context.location(), *entry)
