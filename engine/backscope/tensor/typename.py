"""torch.typename: the names of types in PyTorch's errors."""

from __future__ import annotations

from types import FunctionType

from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor


def typename(value: Value) -> str:
    """`torch.FloatTensor` for a tensor, else the full name of a class or of an object's class."""
    if isinstance(value, Tensor):
        return f"torch.{value._dtype.type_name}Tensor"
    owner = value if hasattr(value, "__qualname__") else value.__class__
    module = getattr(value, "__module__", "") or ""
    if module in ("builtins", "__builtin__"):
        module = ""
    name = owner.__qualname__ if hasattr(value, "__qualname__") else owner.__name__
    return f"{module}.{name}" if module else str(name)


_HEAP_TYPE = 1 << 9


def c_name(kind: type) -> str:
    """The name of a class as C code knows it: with the module where the class is written in C itself."""
    if kind.__flags__ & _HEAP_TYPE or kind.__module__ == "builtins":
        return kind.__name__
    return f"{kind.__module__}.{kind.__name__}"


def belongs(home: str, *classes: type) -> None:
    """Set the module of classes, and of what they inherit from private bases, to PyTorch's."""
    for each in classes:
        each.__module__ = home
    for each in classes:
        for base in each.__mro__[1:]:
            if base.__name__.startswith("_") and not base.__module__.startswith("torch"):
                _adopt(each, base)


def _adopt(owner: type, base: type) -> None:
    """Give a class copies of the functions of a base, which errors then name after the class."""
    for name, function in vars(base).items():
        if isinstance(function, FunctionType) and getattr(owner, name) is function:
            code, space, defaults = function.__code__, function.__globals__, function.__defaults__
            own = FunctionType(code, space, name, defaults, function.__closure__)
            own.__kwdefaults__, own.__doc__ = function.__kwdefaults__, function.__doc__
            own.__qualname__ = f"{owner.__qualname__}.{name}"
            own.__annotations__ = function.__annotations__
            setattr(owner, name, own)
