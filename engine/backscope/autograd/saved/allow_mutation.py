"""allow_mutation_on_saved_tensors: saved tensors are cloned before something changes them in place."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator, MutableMapping
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.saved.saved_hooks import pop, push
from backscope.ops.core.writing import watchers
from backscope.runtime.given import Value
from backscope.runtime.listening import hub
from backscope.runtime.process import process_wide
from backscope.tensor.tensor import Tensor

OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally "
    "recorded."
)


class _Handle:
    """The object that a node keeps in place of a tensor that it saved."""


class SavedClones:
    """The tensors that nodes have saved in the context, by their handles, and the clones of those that were changed.

    A tensor's key is its identity, address and version; `sid_to_tid` maps address and version alone to the saved
    tensors that lie in that memory.
    """

    enabled = False

    def __init__(self) -> None:
        self.cloned: MutableMapping[_Handle, Tensor] = WeakKeyDictionary()
        self.original: MutableMapping[_Handle, Tensor] = WeakKeyDictionary()
        self.tid_to_weakhandle: MutableMapping[tuple[int, int, int], _Handle] = WeakValueDictionary()
        self.sid_to_tid: dict[tuple[int, int], set[tuple[int, int, int]]] = defaultdict(set)

    def clear(self) -> None:
        """Forget everything."""
        for known in (self.cloned, self.original, self.tid_to_weakhandle, self.sid_to_tid):
            known.clear()

    def pack(self, tensor: Tensor) -> _Handle:
        """Keep a tensor that a node saves, and return its handle."""
        where = (tensor.data_ptr(), tensor._version)
        which = (id(tensor), *where)
        self.sid_to_tid[where].add(which)
        handle = self.tid_to_weakhandle.get(which)
        if handle is None:
            handle = self.tid_to_weakhandle[which] = _Handle()
            self.original[handle] = tensor
        return handle

    def unpack(self, handle: _Handle) -> Tensor:
        """Return the tensor as it was when it was saved; AssertionError outside of the context."""
        if not SavedClones.enabled:
            raise AssertionError(OUTSIDE)
        found = self.cloned.get(handle)
        if found is None:
            found = self.original.get(handle)
        if found is None:
            raise AssertionError(OUTSIDE)
        return found

    def before_change(self, tensor: Tensor) -> None:
        """Clone the saved tensors that lie in memory that is about to be changed."""
        for which in self.sid_to_tid.get((tensor.data_ptr(), tensor._version), ()):
            handle = self.tid_to_weakhandle.get(which)
            if handle is None or handle in self.cloned:
                continue
            self.cloned[handle] = _copy(self.original[handle])
            del self.original[handle]


def _copy(tensor: Value) -> Any:
    recording, listener = mode.enabled, hub.listener
    mode.enabled, hub.listener = False, None
    try:
        return tensor.clone()
    finally:
        mode.enabled, hub.listener = recording, listener


process_wide(SavedClones, "enabled")
SavedClones.__module__, SavedClones.__name__ = "torch.autograd.graph", "_AllowMutationOnSavedContext"


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[SavedClones]:
    """Inside, saved tensors may be changed in place: they are cloned before; forward and backward must both be inside.

    Yields the saved tensors and their clones.  RuntimeError where such contexts are nested.
    """
    clones = SavedClones()
    push(clones.pack, clones.unpack)
    watchers.append(clones.before_change)
    try:
        if SavedClones.enabled:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        SavedClones.enabled = True
        yield clones
    finally:
        clones.clear()
        SavedClones.enabled = False
        watchers.pop()
        pop()
