"""Elementwise powers, roots and reciprocals."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.transforms.transform_tensor import TransformTensor
from backscope.ops.core.arguments.number_casts import check_number
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, V, primitives, xp
from backscope.ops.core.elementwise import NUMBERS, elementwise, plain
from backscope.ops.core.low_precision import in_blocks, wide
from backscope.ops.core.namespace import export, write_out
from backscope.ops.pointwise.arithmetic import conj, is_complex, like, promoted
from backscope.runtime.given import Value
from backscope.tensor.dtype import complex128 as complex128_dtype, default, dtype, float64
from backscope.tensor.strides import arranged
from backscope.tensor.tensor import Tensor


@elementwise(
    promotes=True,
    grad_fn="PowBackward0",
    exported=False,
    symbol="xⁿ",
    latex={"self": r"g \cdot n \cdot \text{self}^{\,n-1}"},
    summary={"self": "multiplies the incoming {g} by {exponent} × {self}^({exponent} − 1)"},
)
class pow_scalar:
    """self ** exponent for a number as exponent."""

    def forward(self: A, exponent: Value) -> A:
        return power(self, exponent)

    def low(self: A, exponent: Value) -> A:
        if exponent in (3, -2) and self.dtype != np.float16:
            return self * self * self if exponent == 3 else like(1, self) / (self * self)
        return power(wide(self), float(like(exponent, self))).astype(self.dtype)

    def grad_self(g: V, self: V, exponent: V) -> V:
        if exponent == 0:
            return xp.zeros_like(g)
        if self.__class__ is not np.ndarray and isinstance(self, Tensor):
            if not isinstance(exponent, complex):
                exponent = float(exponent)
            return g * conj(exponent * xp.pow_scalar(self, exponent - 1))
        if exponent == 1:
            repeated = g.__class__ is np.ndarray and 0 in g.strides
            return arranged(g.copy("K"), [g, self]) if repeated else g
        return g * conj(exponent * (self if exponent == 2 else xp.pow_scalar(self, exponent - 1)))


def power(base: A, exponent: Value) -> A:
    """base ** exponent in the type of base, quick for squares, cubes and roots."""
    if exponent == 2:
        return base * base
    if exponent == 3:
        return base * base * base
    if exponent == 0.5:
        return np.sqrt(base)
    if exponent == 1:
        return base.copy("K")
    kind = base.dtype.kind
    if kind in "iu" and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if exponent == -1:
        return like(1, base) / base
    if kind in "iu":
        check_number(exponent, dtype.table[base.dtype])
    return _raised(base, like(exponent, base)) if exponent != 0 else np.power(base, like(exponent, base))


def _raised(base: A, exponent: A) -> A:
    """Compute base ** exponent; for a complex base of 0, exp(exponent × ln 0)."""
    found = np.power(base, exponent)
    if found.dtype.kind != "c" or not np.any(base == 0):
        return found
    out, zero, exponent = np.array(found), np.broadcast_to(base == 0, found.shape), np.asarray(exponent)
    gone = np.where(exponent.imag < 0, 0j, complex(0, -0.0))
    limit = np.where(
        exponent.real > 0, gone, np.where(exponent.real < 0, complex(np.inf, np.nan), np.nan + 1j * np.nan)
    )
    out[zero] = np.broadcast_to(limit, found.shape)[zero]
    return out[()]


def _whole_power(base: A, exponent: A) -> A:
    """Powers of integers: with a negative exponent 0, but for bases of 1 and -1."""
    below = exponent < 0
    if not np.any(below):
        return np.power(base, exponent)
    turned = np.where(exponent % 2 == 0, 1, base)
    inverse = np.where(np.abs(base) == 1, turned, 0)
    return np.where(below, inverse, np.power(base, np.where(below, 0, exponent))).astype(base.dtype)[()]


@elementwise(
    grad_fn="PowBackward1",
    exported=False,
    symbol="xʸ",
    latex={"self": r"g \cdot y \cdot \text{self}^{\,y-1}", "exponent": r"g \cdot \text{result} \cdot \ln \text{self}"},
    summary={
        "self": "multiplies the incoming {g} by {exponent} × {self}^({exponent} − 1)",
        "exponent": "multiplies the incoming {g} by {result} × ln {self}",
    },
)
class pow_tensor:
    """self ** exponent for two tensors."""

    def forward(self: A, exponent: A) -> A:
        return _whole_power(self, exponent) if self.dtype.kind in "iu" else _raised(self, exponent)

    def grad_self(g: V, self: V, exponent: V) -> V:
        return xp.where(exponent == 0, xp.zeros_like(self), g * conj(exponent * self ** (exponent - 1)))

    def grad_exponent(g: V, self: V, exponent: V, result: V) -> V:
        skip = (self == 0) & _not_negative(exponent)
        return g * xp.where(skip, xp.zeros_like(result), conj(result * xp.log(_as_result(self, result))))


def _not_negative(exponent: V) -> V:
    """Return True for exponents with which the power of 0 does not depend on the exponent."""
    return (exponent.imag == 0) & (exponent.real >= 0) if is_complex(exponent) else exponent >= 0


def _as_result(value: V, result: V) -> V:
    """Convert a value to the dtype of the result: negative numbers have complex logarithms only."""
    if not is_complex(result) or is_complex(value):
        return value
    return value.to(result._dtype) if isinstance(value, Tensor) else value.astype(result.dtype)  # type: ignore[attr-defined]


@elementwise(
    grad_fn="PowBackward2",
    exported=False,
    symbol="aˣ",
    latex={"exponent": r"g \cdot \text{result} \cdot \ln \text{self}"},
    summary={"exponent": "multiplies the incoming {g} by {result} × ln {self}"},
)
class pow_base:
    """self ** exponent for a number as base."""

    def forward(exponent: A, self: Value) -> A:
        base = like(self, exponent)
        power = _whole_power(base, exponent) if base.dtype.kind in "iu" else _raised(base, exponent)
        return row_major(power)

    def grad_exponent(g: V, exponent: V, self: V, result: V) -> V:
        if self == 0:
            least = complex("-inf") if is_complex(exponent) else float("-inf")
            return g * xp.where(_not_negative(exponent), xp.zeros_like(g), conj(result * least))
        factor = np.log(self) if isinstance(self, complex) or self > 0 else float("nan")
        if is_complex(exponent) and not isinstance(self, complex):
            factor = np.log(complex(self))
        return g * conj(result * factor.item() if isinstance(factor, np.generic) else result * factor)


def power_of(base: Value, exponent: Value) -> Value:
    """Compute base ** exponent with the op for the operands' kinds; NotImplemented for operands of other types."""
    base, exponent = plain(base), plain(exponent)
    if isinstance(exponent, NUMBERS) and isinstance(base, Tensor):
        exponent = int(exponent) if exponent.__class__ is bool else exponent
        return primitives["pow_scalar"].call(promoted(base, exponent), exponent)
    if isinstance(base, NUMBERS) and isinstance(exponent, Tensor):
        base = int(base) if base.__class__ is bool else base
        return primitives["pow_base"].call(promoted(exponent, base), base)
    if not isinstance(base, Tensor) or not isinstance(exponent, Tensor):
        return NotImplemented
    return primitives["pow_tensor"].call(base, exponent)


@export("pow")
def _pow(input: Value, exponent: Value, *, out: Value = None) -> Any:  # noqa: A002
    """input to the power of exponent, numbers or tensors."""
    found = power_of(input, exponent)
    return found if out is None else write_out(out, found, "pow")


@export(function=False)
def pow_(self: Tensor, exponent: Value) -> Value:
    """self to the power of exponent, in place."""
    exponent = plain(exponent)
    return primitives["pow_scalar" if isinstance(exponent, NUMBERS) else "pow_tensor"].call_in_place(self, exponent)


@export()
def square(input: Tensor) -> Value:  # noqa: A002
    """input to the power of 2."""
    return power_of(input, 2)


@export(function=False)
def square_(self: Tensor) -> Value:
    """self to the power of 2, in place."""
    if self.__class__ is TransformTensor and self.batched:
        from backscope.func.batching import by_example

        return by_example(self, lambda: pow_(self, 2))
    return pow_(self, 2)


def cast_tensor(value: Value, kind: dtype) -> Value:
    """Convert a Tensor to another dtype; numbers are returned unchanged."""
    return value.to(kind) if isinstance(value, Tensor) else value  # type: ignore[attr-defined]


@export()
def float_power(input: Value, exponent: Value) -> Value:  # noqa: A002
    """input to the power of exponent in float64 or complex128."""
    kind = complex128_dtype if is_complex(input) or is_complex(exponent) else float64
    base, power = (cast_tensor(v, kind) for v in (input, exponent))
    if isinstance(power, NUMBERS) and not isinstance(power, complex):
        power = float(power)
    before, default.floating = default.floating, float64
    try:
        return power_of(base, power)
    finally:
        default.floating = before


@export(function=False)
def float_power_(self: Tensor, exponent: Value) -> Value:
    """self to the power of exponent, in place; RuntimeError where self is of a narrower type than the result."""
    kind = complex128_dtype if is_complex(self) or is_complex(exponent) else float64
    if self._dtype is not kind:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self._dtype.type_name} but the operation's result requires "
            f"dtype {kind.type_name}"
        )
    return pow_(self, cast_tensor(exponent, kind))


@elementwise(
    compute=np.sqrt,
    result="float",
    symbol="√",
    latex={"self": r"\frac{g}{2\, \text{result}}"},
    summary={"self": "divides the incoming {g} by twice the saved result {result}"},
)
class sqrt:
    """The square root."""

    def forward(self: A) -> A:
        return np.sqrt(self)

    def grad_self(g: V, result: V) -> V:
        return g / conj(result * 2)


@elementwise(
    result="float",
    symbol="1/√",
    latex={"self": r"-\tfrac12\, g \cdot \text{result}^3"},
    summary={"self": "multiplies the incoming {g} by −½ × the saved result {result} cubed"},
)
class rsqrt:
    """One over the square root."""

    def forward(self: A) -> A:
        return like(1, self) / np.sqrt(self)

    def low(self: A) -> A:
        exact = wide(self)
        once = (1 / np.sqrt(exact)).astype(self.dtype)
        return in_blocks(np.asarray(once), np.asarray(like(1, self) / np.sqrt(self)))[()]

    def grad_self(g: V, result: V) -> V:
        return -0.5 * g * conj(result**3)


@elementwise(
    result="float",
    symbol="1/x",
    latex={"self": r"-g \cdot \text{result}^2"},
    summary={"self": "multiplies the incoming {g} by −1 × the saved result {result} squared"},
)
class reciprocal:
    """One over self."""

    def forward(self: A) -> A:
        return like(1, self) / self

    def grad_self(g: V, result: V) -> V:
        return -g * conj(result * result)
