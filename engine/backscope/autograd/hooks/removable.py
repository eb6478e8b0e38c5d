"""The handle that registering a hook returns."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, MutableMapping
from typing import Any


class RemovableHandle:
    """`remove()` removes a hook; a context manager, which removes it at the end, too.

    `extra_dict`, one dict or several, holds further entries under the hook's id, which are removed with it.
    """

    id: int
    next_id: int = 0

    def __init__(
        self,
        hooks_dict: MutableMapping[int, Any],
        *,
        extra_dict: MutableMapping[int, Any] | Iterable[MutableMapping[int, Any]] | None = None,
    ) -> None:
        self.hooks_dict_ref: Any = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        self.on_removal: Callable[[], None] | None = None
        self.extra_dict_ref: tuple[Any, ...] = ()
        if isinstance(extra_dict, dict):
            self.extra_dict_ref = (weakref.ref(extra_dict),)
        elif isinstance(extra_dict, Iterable):
            self.extra_dict_ref = tuple([weakref.ref(d) for d in extra_dict])

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        hooks = self.hooks_dict_ref()
        if hooks is not None and hooks.pop(self.id, None) is not None and self.on_removal is not None:
            self.on_removal()
        for ref in self.extra_dict_ref:
            found = ref()
            if found is not None:
                found.pop(self.id, None)

    def __getstate__(self) -> tuple[Any, ...]:
        if not self.extra_dict_ref:
            return self.hooks_dict_ref(), self.id
        return self.hooks_dict_ref(), self.id, tuple([ref() for ref in self.extra_dict_ref])

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        hooks = state[0]
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        self.id = state[1]
        self.on_removal = None
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)
        extra = state[2] if len(state) > 2 and state[2] is not None else ()
        self.extra_dict_ref = tuple([weakref.ref(OrderedDict() if d is None else d) for d in extra])

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


RemovableHandle.__module__ = "torch.utils.hooks"
