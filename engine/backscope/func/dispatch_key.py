"""Dispatch keys: PyTorch's names for the implementations of an op, and the keys that a program excludes."""

from __future__ import annotations

import enum
import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from backscope.autograd.modes.grad_mode import mode
from backscope.runtime.process import process_wide

_BACKENDS = "CPU CUDA HIP XLA MPS IPU XPU HPU VE Lazy MTIA MAIA PrivateUse1 PrivateUse2 PrivateUse3 Meta"
_SINGLE = (
    "Undefined CompositeExplicitAutogradNonFunctional CompositeExplicitAutograd CompositeImplicitAutogradNestedTensor "
    "CompositeImplicitAutograd AutogradNestedTensor AutogradOther Autograd Conjugate ZeroTensor Negative BackendSelect "
    "ADInplaceOrView PythonTLSSnapshot Python FuncTorchDynamicLayerFrontMode FuncTorchDynamicLayerBackMode "
    "FuncTorchBatchedDecomposition FuncTorchBatched FuncTorchVmapMode FuncTorchGradWrapper PythonDispatcher "
    "PreDispatch Functionalize AutocastCPU AutocastMPS AutocastXPU AutocastHPU AutocastIPU AutocastCUDA "
    "AutocastPrivateUse1"
)
_BY_BACKEND = {
    "Dense": "",
    "Quantized": "Quantized",
    "Sparse": "Sparse",
    "SparseCsr": "SparseCsr",
    "NestedTensor": "NestedTensor",
    "AutogradFunctionality": "Autograd",
}

DispatchKey = enum.Enum(  # type: ignore[misc]
    "DispatchKey",
    [*_SINGLE.split(), *[n for kind, p in _BY_BACKEND.items() for n in (kind, *[p + b for b in _BACKENDS.split()])]],
)
DispatchKey.__module__ = "torch._C"
Key = Any

_RECORDING = frozenset((DispatchKey["AutogradCPU"], DispatchKey["AutogradFunctionality"]))


class DispatchKeySet:
    """A set of dispatch keys."""

    __slots__ = ("keys",)

    def __init__(self, keys: Key | Iterable[Key]) -> None:
        self.keys = frozenset((keys,)) if isinstance(keys, DispatchKey) else frozenset(keys)

    def has(self, key: Key) -> bool:
        """Return True when a key is in the set."""
        return key in self.keys

    def add(self, key: Key) -> DispatchKeySet:
        """The set with one more key."""
        return DispatchKeySet(self.keys | {key})

    def remove(self, key: Key) -> DispatchKeySet:
        """The set without a key."""
        return DispatchKeySet(self.keys - {key})

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self.keys | other.keys)

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self.keys & other.keys)

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self.keys - other.keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and self.keys == other.keys

    def __hash__(self) -> int:
        return hash(self.keys)

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(k.name for k in DispatchKey if k in self.keys)})"


class _Excluded(threading.local):
    """The keys excluded in a thread."""

    keys: frozenset[Key] = frozenset()


_excluded = process_wide(_Excluded(), "keys")


def excluded() -> DispatchKeySet:
    """Return the keys excluded in this thread."""
    return DispatchKeySet(_excluded.keys)


@contextmanager
def excluding(keys: DispatchKeySet) -> Iterator[None]:
    """Exclude keys within a context: without those of autograd, ops are not recorded."""
    before, recorded = _excluded.keys, mode.enabled
    _excluded.keys = before | keys.keys
    if _RECORDING & keys.keys:
        mode.enabled = False
    try:
        yield
    finally:
        _excluded.keys = before
        if mode.enabled is not recorded:
            mode.enabled = recorded


def below_autograd() -> AbstractContextManager[None]:
    """Exclude the keys of autograd within a context."""
    return excluding(DispatchKeySet(_RECORDING))
