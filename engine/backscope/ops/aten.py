"""torch.ops.aten: the ops by PyTorch's internal names, with their overloads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from backscope.ops.declaration import primitives
from backscope.ops.dispatch import apply
from backscope.ops.namespace import aten_functions, bind, functional, linalg, torch_functions
from backscope.tensor import Tensor

_overloads: dict[str, list[str]] = json.loads(Path(__file__).with_name("overloads.json").read_text("utf-8"))


def find(name: str) -> Callable[..., Any] | None:
    """What computes the op of an internal name: a function, a method, or a declared op by itself."""
    from backscope.ops.fourier import fft

    if name in aten_functions:
        return aten_functions[name]
    for space, prefix in ((torch_functions, ""), (linalg, "linalg_"), (fft, "fft_"), (functional, "")):
        found = space.get(name.removeprefix(prefix)) if name.startswith(prefix) else None
        if found is not None:
            return found
    method: Callable[..., Any] | None = getattr(Tensor, name, None)
    if callable(method):
        return method
    return _applied(name) if name in primitives and not primitives[name].elementwise else None


def _applied(name: str) -> Callable[..., Any]:
    op = primitives[name]

    def call(*args: Any, **kwargs: Any) -> Any:
        given = bind(op, f"aten::{name}", args, kwargs)
        return apply(op, *[tuple(a) if isinstance(a, list) and not op.listed else a for a in given])

    return call


def names() -> list[str]:
    """The internal names that Backscope has."""
    return sorted(n for n in {*aten_functions, *torch_functions, *primitives, *_overloads} if find(n) is not None)


def _call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if "self" in kwargs:
        args = (kwargs.pop("self"), *args)
    return function(*args, **kwargs)


class OpOverload:
    """One overload of an op."""

    def __init__(self, packet: OpOverloadPacket, overload: str) -> None:
        self.overloadpacket = packet
        self._overloadname = overload
        self.__name__ = self.__qualname__ = f"{packet.__name__}.{overload}"
        self.__module__ = "torch._ops.aten"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Compute it."""
        return self.overloadpacket(*args, **kwargs)

    def __str__(self) -> str:
        return f"{self.overloadpacket}.{self._overloadname}"

    def __repr__(self) -> str:
        packet = self.overloadpacket
        return f"<OpOverload(op='{packet}', overload='{self._overloadname}')>"


class OpOverloadPacket:
    """All overloads of an op: called with the arguments of any."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.__name__ = self.__qualname__ = name
        self._function = function
        self._made: dict[str, OpOverload] = {}

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Compute the overload that fits the arguments."""
        return _call(self._function, args, kwargs)

    def overloads(self) -> list[str]:
        """The names of the overloads."""
        return list(_overloads.get(self.__name__, ("default",)))

    def __getattr__(self, name: str) -> OpOverload:
        if name.startswith("__") or name not in self.overloads():
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{name}'")
        return self._made.setdefault(name, OpOverload(self, name))

    def __str__(self) -> str:
        return f"aten.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


packets: dict[str, OpOverloadPacket] = {}
"""The ops that were asked for by their internal names."""


def packet(name: str) -> OpOverloadPacket | None:
    """The op of an internal name; None where Backscope lacks it."""
    if name not in packets:
        function = find(name)
        if function is None or (name not in _overloads and name not in aten_functions):
            return None
        packets[name] = OpOverloadPacket(name, function)
    return packets[name]
