"""The types in signatures: their names in PyTorch's errors, and the values that they accept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from backscope.runtime.given import Value
from backscope.tensor.device import device
from backscope.tensor.dtype import dtype
from backscope.tensor.tensor import Tensor

_HEAP_TYPE = 1 << 9


def type_name(value: Value) -> str:
    """Return the name of a value's type as C code prints it: with its module for types written in C."""
    kind = type(value)
    module = kind.__module__
    if kind.__name__ in ("Tensor", "Parameter") or module == "builtins":
        return kind.__name__
    if module.startswith("backscope"):
        return f"torch.{kind.__name__}" if kind.__name__ in ("layout", "memory_format") else kind.__name__
    if module in ("torch", "torch._C") or not kind.__flags__ & _HEAP_TYPE:
        return f"{module}.{kind.__name__}"
    return kind.__name__


def _index(value: Value) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, Tensor):
        return not value._data.shape and value._dtype.category < 2
    return hasattr(value, "__index__")


def _integer(value: Value) -> bool:
    if isinstance(value, Tensor):
        return not value._data.shape and value._dtype.category == 1 and not value._requires_grad
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _number(value: Value) -> bool:
    if isinstance(value, Tensor):
        return not value._data.shape and not value._requires_grad
    return isinstance(value, (int, float, np.number, np.bool_))


def _scalar(value: Value) -> bool:
    return isinstance(value, complex) or _number(value)


def _plain_number(value: Value) -> bool:
    return isinstance(value, (int, float, complex, np.number, np.bool_))


def _truth(value: Value) -> bool:
    if isinstance(value, Tensor):
        return not value._data.shape and value._dtype.category == 0 and not value._requires_grad
    return isinstance(value, bool)


def _numbers(value: Value) -> bool:
    return isinstance(value, (tuple, list)) and (not value or _scalar(value[0]))


def _scalars(value: Value) -> bool:
    return isinstance(value, (tuple, list)) and all(_plain_number(v) for v in value)


def _named(name: str) -> Callable[[Any], bool]:
    return lambda value: type(value).__name__ == name


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of parameters, with its name in errors."""

    name: str
    fits: Callable[[Any], bool]

    def accepts(self, value: Value, size: int, numbers: bool, position: int) -> bool:
        """Return True when a value fits; `size` lets a list be one number, `numbers` a tensor.

        Raises: TypeError for a list with something other than tensors in it, naming the argument's `position`.
        """
        if self.name == "tuple of ints":
            if isinstance(value, (tuple, list)):
                return not value or _index(value[0])
            return size > 0 and _index(value)
        if self.name == "tuple of Tensors":
            if not isinstance(value, (tuple, list)):
                return False
            for i, v in enumerate(value):
                if not isinstance(v, Tensor) and not (v is None and self.fits(v)):
                    raise TypeError(f"expected Tensor as element {i} in argument {position}, but got {type_name(v)}")
            return True
        return self.fits(value) or (numbers and self.name == "Tensor" and _plain_number(value))

    def wrong_element(self, value: Value) -> int | None:
        """Return the position of the first element of a list of numbers that is not a number."""
        if self.name != "tuple of ints" or not isinstance(value, (tuple, list)):
            return None
        for i, v in enumerate(value):
            if not (isinstance(v, Tensor) or hasattr(v, "__index__")):
                return i
        return None


def _a(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _data_type(value: Value) -> bool:
    return isinstance(value, dtype) or value in (bool, int, float, complex)


def _place(value: Value) -> bool:
    return isinstance(value, (device, str)) or _integer(value)


_INTS = Kind("tuple of ints", _index)
_TEXT = Kind("str", _a(str))

_KINDS = {
    "Tensor": Kind("Tensor", _a(Tensor)),
    "Scalar": Kind("Number", _scalar),
    "int64_t": Kind("int", _integer),
    "SymInt": Kind("int", _index),
    "double": Kind("float", _number),
    "bool": Kind("bool", _truth),
    "TensorList": Kind("tuple of Tensors", _a(Tensor)),
    "c10::List<::std::optional<Tensor>>": Kind("tuple of Tensors", lambda value: value is None),
    "IntArrayRef": _INTS,
    "SymIntArrayRef": _INTS,
    "ArrayRef<double>": Kind("tuple of floats", _numbers),
    "ScalarList": Kind("tuple of Scalars", _scalars),
    "Generator": Kind("torch.Generator", _named("Generator")),
    "ScalarType": Kind("torch.dtype", _data_type),
    "Layout": Kind("torch.layout", _named("layout")),
    "MemoryFormat": Kind("torch.memory_format", _named("memory_format")),
    "Device": Kind("torch.device", _place),
    "c10::string_view": _TEXT,
    "std::string": _TEXT,
    "PyObject*": Kind("object", lambda value: True),
    "DimnameList": Kind("tuple of names", _a(tuple, list)),
    "Dimname": Kind("name", _a(str)),
    "Storage": Kind("torch.Storage", _named("UntypedStorage")),
}


def kind_of(written: str) -> Kind:
    """Return the kind that a signature writes, without size and question mark."""
    return _KINDS[written]
