"""Records calls of modules."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch.nn.modules import module as torch_module

from backscope.pytorch.compiling import Compiling
from backscope.pytorch.context import Context, guarded
from backscope.pytorch.identities import Identities
from backscope.pytorch.patches import Patches
from backscope.recorder import narration as say
from backscope.recorder.names import Names
from backscope.runtime.passive import class_name


class Modules:
    """Records when modules are called and left; `entered` are the calls that are running: number, module, path."""

    def __init__(self, context: Context, identities: Identities, names: Names, compiling: Compiling) -> None:
        self.context = context
        self.identities = identities
        self.names = names
        self.compiling = compiling
        self.entered: list[tuple[int, Any, str]] = []
        self._described: dict[int, tuple[Any, int]] = {}
        self._times: dict[tuple[int, int], int] = {}

    def install(self, patches: Patches) -> None:
        """Follow the calls of all modules."""
        patches.later(torch_module.register_module_forward_pre_hook(self._call).remove)
        patches.later(torch_module.register_module_forward_hook(self._left, always_call=True).remove)

    # Any: a module's arguments.
    def _call(self, module: Any, args: Any) -> None:
        if self.context.listens():
            self._enter(module)
            self.context.stop_point()

    @guarded
    def _enter(self, module: Any) -> None:
        self.context.resolve()
        self.context.look()
        line = self.context.location()
        if type(module).__name__ == "OptimizedModule":
            self.compiling.say()
        caller, outer, around = self.entered[-1] if self.entered else (None, None, None)
        path = self.names.modules.of(module, outer, around)
        number = self._number(module, path, line)
        call = self.identities.identity()
        key = number, caller or 0
        self._times[key] = times = self._times.get(key, 0) + 1
        self.entered.append((call, module, path))
        self.context.part.depth += self.context.part.has(path)
        self.context.add(say.module_entered, line, call, number, path, caller, times)

    # Any: a module's arguments and results.
    def _left(self, module: Any, args: Any, out: Any) -> None:
        if self.context.listens():
            self._leave(module)
            self.context.stop_point()

    @guarded
    def _leave(self, module: Any) -> None:
        places = [i for i, (_, entered, _) in enumerate(self.entered) if entered is module]
        if not places:
            return
        self.context.resolve()
        self.context.look()
        while len(self.entered) > places[-1]:  # Those inside it raised.
            call, _, path = self.entered.pop()
            self.context.part.depth -= self.context.part.has(path)
            self.context.add(say.module_left, None, call)

    def _number(self, module: Any, path: str, line: Any) -> int:
        """Return a module's number; record one that is called for the first time."""
        known = self._described.get(id(module))
        if known is not None and known[0]() is module:
            return known[1]
        number = self.identities.identity()
        self._described[id(module)] = weakref.ref(module), number
        own = [
            (k, self.identities.token(p, line, "leaf").tensor) for k, p in module._parameters.items() if p is not None
        ]
        for name, parameter in own:
            if parameter not in self.names.by_tensor:  # No recorded variable holds the module.
                self.names.place(parameter, f"{path}.{name}", module)
                self.context.add(say.tensor_named, line, parameter, self.names.by_tensor[parameter])
        with self.context.quiet:
            shown = module.extra_repr() if type(module).extra_repr.__module__.startswith("torch.") else ""
        kind = class_name(type(module))
        self.context.add(say.module_described, line, number, kind, path, str(shown), own)
        return number

    def path_of(self, module: torch.nn.Module) -> str:
        """Return the path of a module."""
        for _, entered, path in reversed(self.entered):
            if entered is module:
                return str(path)
        found: str = self.names.modules.of(module, None, None)
        return found


def is_module(value: object) -> bool:
    """Return True for a torch.nn.Module."""
    return issubclass(type(value), torch.nn.Module)
