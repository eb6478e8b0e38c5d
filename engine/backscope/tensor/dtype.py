"""Data types, their names, and PyTorch's promotion rules (which differ from numpy's)."""

from __future__ import annotations

from typing import Any, ClassVar, Final

import ml_dtypes
import numpy as np

from backscope.runtime.given import Array, Dtype, Value
from backscope.runtime.process import process_wide
from backscope.runtime.warning import silence_numpy
from backscope.tensor.serialization import pickled_as

# PyTorch never warns about overflow or 0/0; setting this once costs nothing per op.  Other threads have numpy's own
# setting: there the filter passes over what the engine computes, in its modules, generated code and numpy's functions.
np.seterr(all="ignore")
silence_numpy(r"(backscope|numpy)\.|<string>$")

BOOL, INTEGER, FLOATING, COMPLEX = range(4)


class dtype:  # noqa: N801 - PyTorch's own name
    """A torch.dtype: `np` is numpy's counterpart, `category` orders bool < integer < floating < complex.

    `wide` marks the floating point types that numpy computes in as PyTorch does.  `scalars` and `arrays` are Python
    numbers that were operands beside numpy scalars and arrays of the type, see constants.py.
    """

    __slots__ = (
        "arrays",
        "category",
        "is_complex",
        "is_floating_point",
        "is_signed",
        "itemsize",
        "name",
        "np",
        "scalar",
        "scalars",
        "type_name",
        "wide",
    )

    table: ClassVar[dict[np.dtype[Any], dtype]] = {}
    by_name: ClassVar[dict[str, dtype]] = {}

    def __init__(self, name: str, np_type: Dtype, category: int, type_name: str) -> None:
        self.name = name
        self.np: np.dtype[Any] = np.dtype(np_type)
        self.scalar: Any = self.np.type
        self.category = category
        self.is_floating_point = category == FLOATING
        self.is_complex = category == COMPLEX
        self.is_signed = name not in ("bool", "uint8", "uint16", "uint32", "uint64")
        self.itemsize = self.np.itemsize
        self.type_name = type_name
        self.wide = name in ("float32", "float64")
        self.scalars: dict[Any, Any] = {}
        self.arrays: dict[Any, Any] = {}
        dtype.table[self.np] = self
        dtype.by_name[name] = self

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return dtype_named, (self.name,)

    @property
    def real(self) -> dtype:
        """The type of the real part, `torch.complex64.to_real()` in PyTorch."""
        return {complex64: float32, complex128: float64}.get(self, self)

    def to_real(self) -> dtype:
        """The corresponding real type."""
        return self.real

    def to_complex(self) -> dtype:
        """The corresponding complex type; RuntimeError for integers."""
        if self.category < FLOATING or self in STORED_ONLY:
            raise RuntimeError(f"Unknown Complex ScalarType for {self.type_name}")
        return {float32: complex64, float64: complex128}.get(self, complex64 if not self.is_complex else self)

    @property
    def abbr(self) -> str:
        """The short name: a letter and the bits of an element."""
        letter = {"bfloat": "bf", "bool": "b"}.get(self.name.rstrip("0123456789"), self.name[0])
        return f"{letter}{8 * self.itemsize}"


dtype.__module__ = "torch"


@pickled_as("_dtype")
def dtype_named(name: str) -> dtype:
    return dtype.by_name[name]


bool_ = dtype("bool", np.bool_, BOOL, "Bool")
uint8 = dtype("uint8", np.uint8, INTEGER, "Byte")
int8 = dtype("int8", np.int8, INTEGER, "Char")
int16 = dtype("int16", np.int16, INTEGER, "Short")
int32 = dtype("int32", np.int32, INTEGER, "Int")
int64 = dtype("int64", np.int64, INTEGER, "Long")
uint16 = dtype("uint16", np.uint16, INTEGER, "UInt16")
uint32 = dtype("uint32", np.uint32, INTEGER, "UInt32")
uint64 = dtype("uint64", np.uint64, INTEGER, "UInt64")
float16 = dtype("float16", np.float16, FLOATING, "Half")
bfloat16 = dtype("bfloat16", ml_dtypes.bfloat16, FLOATING, "BFloat16")
float32 = dtype("float32", np.float32, FLOATING, "Float")
float64 = dtype("float64", np.float64, FLOATING, "Double")
complex64 = dtype("complex64", np.complex64, COMPLEX, "ComplexFloat")
complex128 = dtype("complex128", np.complex128, COMPLEX, "ComplexDouble")

float8_e4m3fn = dtype("float8_e4m3fn", ml_dtypes.float8_e4m3fn, FLOATING, "Float8_e4m3fn")
float8_e4m3fnuz = dtype("float8_e4m3fnuz", ml_dtypes.float8_e4m3fnuz, FLOATING, "Float8_e4m3fnuz")
float8_e5m2 = dtype("float8_e5m2", ml_dtypes.float8_e5m2, FLOATING, "Float8_e5m2")
float8_e5m2fnuz = dtype("float8_e5m2fnuz", ml_dtypes.float8_e5m2fnuz, FLOATING, "Float8_e5m2fnuz")

STORED_ONLY: Final = frozenset({float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz})
"""Types that values are kept in and converted from, but that PyTorch has no arithmetic for."""
FOREIGN: Final = STORED_ONLY | {bfloat16}
"""Types that numpy does not have of its own."""
LOW_PRECISION: Final = frozenset({float16, bfloat16})


class _Default:
    """The floating point type of new tensors."""

    __slots__ = ("complex", "floating")

    def __init__(self) -> None:
        self.floating = float32
        self.complex = complex64


default = process_wide(_Default(), "floating", "complex")


def get_default_dtype() -> dtype:
    """The floating point type that Python floats become."""
    return default.floating


def set_default_dtype(d: Dtype) -> None:
    """Set the floating point type that Python floats become; TypeError for any other type."""
    if not isinstance(d, dtype) or not d.is_floating_point:
        start = "" if isinstance(d, dtype) else "invalid dtype object: "
        raise TypeError(start + "only floating-point types are supported as the default type")
    default.floating = d
    default.complex = complex128 if d is float64 else complex64


def of_number(value: Value) -> dtype:
    """The type that a Python number has as a tensor."""
    if isinstance(value, (bool, np.bool_)):
        return bool_
    if isinstance(value, (int, np.integer)):
        return int64 if value < 1 << 63 else uint64
    if isinstance(value, (complex, np.complexfloating)):
        return default.complex
    return default.floating


_INTEGER_ORDER = (uint8, int8, int16, int32, int64)
_WIDE_UNSIGNED = frozenset({uint16, uint32, uint64})


def _promote(a: dtype, b: dtype) -> dtype:
    if {a, b} & STORED_ONLY:
        raise RuntimeError(
            f"Promotion for Float8 Types is not supported, attempted to promote {a.type_name} and {b.type_name}"
        )
    if {a, b} & _WIDE_UNSIGNED and FLOATING not in (a.category, b.category):
        raise RuntimeError(
            "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
            f"{a.type_name} and {b.type_name}"
        )
    if a.category < b.category:
        a, b = b, a
    if a.category != b.category:
        if a is complex64 and b is float64:
            return complex128
        return a
    if a.category == FLOATING:
        if {a, b} == {float16, bfloat16}:
            return float32
        return a if (a.itemsize, a is bfloat16) >= (b.itemsize, b is bfloat16) else b
    if a.category == COMPLEX:
        return complex128
    if uint8 in (a, b):
        other = b if a is uint8 else a
        return int16 if other is int8 else other
    return max(a, b, key=_INTEGER_ORDER.index)


_promotions: dict[tuple[dtype, dtype], dtype] = {}


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest type that both can be converted to."""
    if type1 is type2:
        return type1
    found = _promotions.get((type1, type2))
    if found is None:
        found = _promotions[type1, type2] = _promote(type1, type2)
    return found


def result_type(dimensioned: dtype | None, zero_dim: dtype | None, number: dtype | None) -> dtype:
    """The common type of operands by PyTorch's three tiers: tensors with dims, 0-d tensors, Python numbers.

    A lower tier only counts when its category is higher than that of the tiers above it.
    """
    result = dimensioned
    for tier in (zero_dim, number):
        if tier is None:
            continue
        if result is None:
            result = tier
        elif tier.category > result.category:
            if tier.category == COMPLEX and result.category == FLOATING:
                result = result.to_complex()
            else:
                result = promote_types(result, tier) if result is bool_ or tier in STORED_ONLY else tier
    assert result is not None
    return result


def cast(value: Value, to: dtype) -> Array:
    """A raw value (array or numpy scalar) in another type; the value itself where it has that type."""
    if value.dtype is to.np or value.dtype == to.np:
        return value
    if value.dtype.kind == "c" and not to.is_complex:
        value = value.real if to is not bool_ else value != 0
    if isinstance(value, np.ndarray):
        return value.astype(to.np)
    if to in FOREIGN or value.dtype.kind == "V" or value.dtype == float8_e5m2.np:
        return np.asarray(value).astype(to.np)[()]
    return value.astype(to.np)


C_NAMES = {
    "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "int64": "long int",
    "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char", "bool": "bool",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>", "uint16": "short unsigned int",
    "uint32": "unsigned int", "uint64": "long unsigned int",
}  # fmt: skip
"""The C++ types that PyTorch's error texts name, by the name of the dtype."""
