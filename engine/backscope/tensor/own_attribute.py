"""Attributes of the program's that are called like a slot of Tensor's, as the `_data` that a wrapper keeps."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor

SLOTS = frozenset(
    {"_accumulator", "_data", "_dtype", "_extra", "_output_nr", "_requires_grad", "_shared", "_token", "_view"}
)
"""The slots that are no attributes of PyTorch's tensors."""


class OwnAttribute:
    """Keeps a program's attribute `name` apart from the engine's slot of that name, by the caller's module."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.slot = Tensor.__dict__[name]

    # Any: attributes of tensors have all sorts of types.
    def __get__(self, tensor: Value, owner: type | None = None) -> Any:
        if tensor is None:
            return self
        if _is_engine():
            return self.slot.__get__(tensor)
        try:
            return tensor.__dict__[self.name]
        except KeyError:
            raise AttributeError(f"{type(tensor).__name__!r} object has no attribute {self.name!r}") from None

    def __set__(self, tensor: Value, value: Value) -> None:
        if _is_engine():
            self.slot.__set__(tensor, value)
        else:
            tensor.__dict__[self.name] = value

    def __delete__(self, tensor: Value) -> None:
        if _is_engine():
            self.slot.__delete__(tensor)
        elif tensor.__dict__.pop(self.name, self) is self:
            raise AttributeError(f"{type(tensor).__name__!r} object has no attribute {self.name!r}")


def keep_apart(cls: type) -> None:
    """Give a subclass its own attributes of the slots' names that its methods use: others cost it nothing."""
    for member in list(vars(cls).values()):
        function = getattr(member, "__func__", member)
        if type(function) is FunctionType:
            for code in _codes(function.__code__):
                for name in SLOTS.intersection(code.co_names):
                    if name not in vars(cls):
                        setattr(cls, name, OwnAttribute(name))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if type(inner) is CodeType:
            yield from _codes(inner)


def _is_engine() -> bool:
    """Return True if the caller is the engine; code that it compiles for single ops has no module name."""
    home = sys._getframe(2).f_globals.get("__name__", "backscope")
    return str(home).partition(".")[0] == "backscope"
