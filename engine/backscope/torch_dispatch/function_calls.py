"""Dispatch of functions and methods that are no declared ops: reading an element, printing, searching.

They are wrapped when a program first uses a mode or class with a __torch_dispatch__.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from backscope.ops.names.aten import packet, schemas
from backscope.runtime.process import process_wide
from backscope.tensor.tensor import Tensor
from backscope.torch_dispatch.aten_call import by_names
from backscope.torch_dispatch.interception import hand_over, intercepted, undispatched

_METHODS = {"detach": "detach", "item": "_local_scalar_dense"}
_FUNCTIONS = (
    "all", "any", "argmax", "argmin", "bincount", "bucketize", "equal", "histc", "isin", "multinomial", "nonzero",
    "searchsorted",
)  # fmt: skip
"""Functions with one kernel in PyTorch that Backscope computes in Python functions."""

_kept: set[tuple[Any, str]] = set()


def wrap() -> None:
    """Dispatch these functions to modes and subclasses until the process is reset to its state at the start."""
    module: Any = importlib.import_module("backscope.torch")
    for name, internal in _METHODS.items():
        _replace(Tensor, name, _method(internal, getattr(Tensor, name)))
    _replace(Tensor, "__repr__", _unseen(Tensor.__repr__))
    foreach = [name for name in schemas if name.startswith("_foreach_")]
    for name in (*_FUNCTIONS, *foreach):
        for holder in (module, Tensor):
            if name in vars(holder) and name in schemas:
                _replace(holder, name, _function(name, getattr(holder, name)))


def _replace(holder: Any, name: str, function: Callable[..., Any]) -> None:
    if (holder, name) not in _kept:
        _kept.add((holder, name))
        process_wide(holder, name)
    setattr(holder, name, function)


def _method(internal: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        if args or kwargs or not intercepted((self,)):
            return method(self, *args, **kwargs)

        def compute() -> Any:
            with undispatched(enabled=True):
                return method(self)

        return hand_over(_overload(internal), (self,), {}, compute)

    return call


def _unseen(represent: Callable[..., str]) -> Callable[..., str]:
    @functools.wraps(represent)
    def call(self: Tensor, **options: Any) -> str:
        with undispatched(enabled=False):
            return represent(self, **options)

    return call


def _function(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not intercepted((*args, *kwargs.values())):
            return function(*args, **kwargs)

        def compute() -> Any:
            with undispatched(enabled=True):
                return function(*args, **kwargs)

        found = by_names(name, args, kwargs)
        return compute() if found is None else hand_over(*found, compute)

    return call


def _overload(internal: str) -> Any:
    return packet(internal).default  # type: ignore[union-attr]
