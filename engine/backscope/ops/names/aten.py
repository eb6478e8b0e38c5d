"""torch.ops.aten: the ops by PyTorch's internal names, with their overloads."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backscope.ops.core.declaration import primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import aten_functions, bind, functional, linalg, torch_functions
from backscope.runtime.aten_names import ATEN_NAMES
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor
from backscope.torch_dispatch.mode_stack import stack

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

schemas: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("overloads.json").read_text("utf-8"))
"""The parameters of each overload of the ops by their internal names, as PyTorch's schemas write them."""


def find(name: str) -> Callable[..., Any] | None:
    """Return what computes the op of an internal name: a function, a method, or a declared op."""
    from backscope.ops.fft.fourier import fft

    if name in aten_functions:
        return aten_functions[name]
    for space, prefix in ((torch_functions, ""), (linalg, "linalg_"), (fft, "fft_"), (functional, "")):
        found = space.get(name.removeprefix(prefix)) if name.startswith(prefix) else None
        if found is not None:
            return found
    method: Callable[..., Any] | None = getattr(Tensor, name, None)
    if callable(method):
        return method
    declared = ATEN_NAMES.get(name, name)
    return _applied(primitives[declared], name) if declared in primitives else None


def _applied(op: Op, name: str) -> Callable[..., Any]:
    from backscope.torch_dispatch.aten_call import declared_arguments

    run = op.slow if op.elementwise else partial(apply, op)

    def call(*args: Any, **kwargs: Any) -> Any:
        if name in schemas:
            kwargs = declared_arguments(op, name, args, kwargs)
            args = ()
        given = bind(op, f"aten::{op.name}", args, kwargs)
        return run(*[tuple(a) if isinstance(a, list) and not op.listed else a for a in given])

    return call


def names() -> list[str]:
    """The internal names that Backscope has."""
    return sorted(n for n in {*aten_functions, *torch_functions, *primitives, *schemas} if find(n) is not None)


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
        self.__module__ = f"torch._ops.{packet._space}"
        self.namespace = packet._space
        self._opname = packet.__name__
        self._schema = Schema(self)

    def __call__(self, /, *args: Value, **kwargs: Value) -> Values:
        """Compute it; RuntimeError and TypeError as for the functions of torch."""
        if stack.call is not None:
            from backscope.torch_dispatch.interception import called

            return called(self, args, kwargs)
        return self.overloadpacket(*args, **kwargs)

    def name(self) -> str:
        """The name that PyTorch registers it by."""
        found = f"{self.namespace}::{self._opname}"
        return found if self._overloadname == "default" else f"{found}.{self._overloadname}"

    def __str__(self) -> str:
        return f"{self.overloadpacket}.{self._overloadname}"

    def __repr__(self) -> str:
        packet = self.overloadpacket
        return f"<OpOverload(op='{packet}', overload='{self._overloadname}')>"


class Schema:
    """The signature of an overload as PyTorch's internal ops have it."""

    def __init__(self, op: OpOverload) -> None:
        self.name = f"{op.namespace}::{op._opname}"
        self.overload_name = "" if op._overloadname == "default" else op._overloadname
        self.is_mutable = op._opname.endswith("_") and not op._opname.startswith("__")
        self._parameters = schemas.get(op._opname, {}).get(op._overloadname, "")

    def __str__(self) -> str:
        dot = "." if self.overload_name else ""
        return f"{self.name}{dot}{self.overload_name}({self._parameters})"

    __repr__ = __str__


class OpOverloadPacket:
    """All overloads of an op: called with the arguments of any."""

    def __init__(self, name: str, function: Callable[..., Any], space: str = "aten") -> None:
        self.__name__ = self.__qualname__ = name
        self._space = space
        self._qualified_op_name = f"{space}::{name}"
        self._function = function
        self._made: dict[str, OpOverload] = {}

    def __call__(self, /, *args: Value, **kwargs: Value) -> Values:
        """Compute the overload that fits the arguments."""
        return _call(self._function, args, kwargs)

    def overloads(self) -> list[str]:
        """The names of the overloads."""
        return list(schemas.get(self.__name__, ("default",)))

    def __getattr__(self, name: str) -> OpOverload:
        if name.startswith("__") or name not in self.overloads():
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{name}'")
        return self._made.setdefault(name, OpOverload(self, name))

    def __str__(self) -> str:
        return f"{self._space}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


OpOverload.__module__ = OpOverloadPacket.__module__ = "torch._ops"

packets: dict[str, OpOverloadPacket] = {}
"""The ops that programs have used by their internal names."""


def packet(name: str) -> OpOverloadPacket | None:
    """Return the op of an internal name; None where Backscope does not have it."""
    if name not in packets:
        function = find(name)
        if function is None or (name not in schemas and name not in aten_functions):
            return None
        packets[name] = OpOverloadPacket(name, function)
    return packets[name]
