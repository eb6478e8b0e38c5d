"""Reads a tensor's slots without calling a `__getattribute__` or `__setattr__` that the program's subclass defines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.autograd.node import Node
    from backscope.autograd.views.view_history import View
    from backscope.recorder.identity import Token
    from backscope.runtime.given import Array
    from backscope.tensor.version_counter import Version


def _slot(name: str) -> Any:
    return Tensor.__dict__[name]


data_of: Callable[[Tensor], Array] = _slot("_data").__get__
token_of: Callable[[Tensor], Token | None] = _slot("_token").__get__
set_token: Callable[[Tensor, Token], None] = _slot("_token").__set__
grad_of: Callable[[Tensor], Tensor | None] = _slot("_grad").__get__
grad_fn_of: Callable[[Tensor], Node | None] = _slot("_grad_fn").__get__
requires_grad_of: Callable[[Tensor], bool] = _slot("_requires_grad").__get__
view_of: Callable[[Tensor], View | None] = _slot("_view").__get__
shared_of: Callable[[Tensor], Version | None] = _slot("_shared").__get__


def version_of(tensor: Tensor) -> int:
    """Return a tensor's version; it is 0 while the tensor has no version counter."""
    shared = shared_of(tensor)
    return 0 if shared is None else shared[0]


def base_of(tensor: Tensor) -> Tensor | None:
    """Return the base of a view, None for a tensor that is no view."""
    view = view_of(tensor)
    return None if view is None else view.base
