"""torch.typename: how PyTorch's errors name what they were given."""

from __future__ import annotations

from typing import Any

from backscope.tensor import Tensor


def typename(value: Any) -> str:
    """`torch.FloatTensor` for a tensor, else the full name of a class or of an object's class."""
    if isinstance(value, Tensor):
        return f"torch.{value._dtype.type_name}Tensor"
    owner = value if hasattr(value, "__qualname__") else value.__class__
    module = getattr(value, "__module__", "") or ""
    if module in ("builtins", "__builtin__"):
        module = ""
    name = owner.__qualname__ if hasattr(value, "__qualname__") else owner.__name__
    return f"{module}.{name}" if module else str(name)


def belongs(home: str, *classes: type) -> None:
    """Let classes say that they live where PyTorch has them."""
    for each in classes:
        each.__module__ = home
