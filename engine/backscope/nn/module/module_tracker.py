"""ModuleTracker: the modules that run their forward, or their part of a backward pass, at the moment."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from backscope.autograd.hooks.multi_grad import register_multi_grad_hook
from backscope.autograd.thread import running
from backscope.autograd.transforms.tensor_arguments import tensors_in
from backscope.nn.module.call import register_module_forward_hook, register_module_forward_pre_hook
from backscope.runtime.given import Value, Values


class ModuleTracker:
    """A context in which `parents` has the paths of the modules that run, and "Global"."""

    def __init__(self) -> None:
        self.parents: set[str] = {"Global"}
        self._paths: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
        self._seen: weakref.WeakSet[Any] = weakref.WeakSet()
        self._handles: list[Any] = []
        self._awaited = False

    @property
    def is_bw(self) -> bool:
        """True while a backward pass runs."""
        return bool(running.tasks)

    def _path(self, module: Any) -> str:
        path = self._paths.setdefault(module, type(module).__name__)
        if module not in self._seen:
            self._seen.add(module)
            for name, child in module.named_children():
                self._paths[child] = f"{path}.{name}"
                self._path(child)
        return path

    def _enters(self, path: str) -> Callable[..., None]:
        def enter(*args: Any) -> None:
            if not self._awaited and running.tasks:
                self._awaited = True
                running.tasks[-1].callbacks.append(self._finish_pass)
            self.parents.add(path)

        return enter

    def _leaves(self, path: str) -> Callable[..., None]:
        return lambda *args: self.parents.discard(path)

    def _finish_pass(self) -> None:
        self.parents = {"Global"}
        self._awaited = False

    def _watch(self, values: Values, hook: Callable[..., None]) -> None:
        given = [t for t in tensors_in(values if isinstance(values, tuple) else (values,)) if t.requires_grad]
        if given:
            self._handles.append(register_multi_grad_hook(given, hook))

    def _before(self, module: Any, args: tuple[Any, ...]) -> None:
        path = self._path(module)
        self.parents.add(path)
        self._watch(args, self._leaves(path))

    def _after(self, module: Any, args: tuple[Any, ...], output: Value) -> None:
        path = self._path(module)
        self.parents.discard(path)
        self._watch(output, self._enters(path))

    def __enter__(self) -> ModuleTracker:
        self._handles += [
            register_module_forward_pre_hook(self._before),
            register_module_forward_hook(self._after),
        ]
        return self

    def __exit__(self, *exc: object) -> None:
        while self._handles:
            self._handles.pop().remove()
