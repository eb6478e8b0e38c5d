"""Elementwise arithmetic: sums, products, powers, rounding, extremes."""

from __future__ import annotations

import operator

import numpy as np

from backscope.ops.declaration import A, V, xp
from backscope.ops.elementwise import elementwise


_REAL = frozenset({np.float32, np.float64, np.float16, int, float, bool, np.int64, np.bool_})


def conj(value: V) -> V:
    """The complex conjugate; the value itself where it is real."""
    if value.__class__ in _REAL or (value.__class__ is np.ndarray and value.dtype.kind != "c"):
        return value
    return xp.conj(value) if is_complex(value) else value


def is_complex(value: V) -> bool:
    """True for a complex value, raw or Tensor or number."""
    kind = getattr(value, "_dtype", None)
    if kind is not None:
        return bool(kind.is_complex)
    return isinstance(value, (complex, np.complexfloating)) or (isinstance(value, np.ndarray) and value.dtype.kind == "c")


@elementwise(compute=operator.add, symbol="+", latex={"self": "g", "other": r"\alpha\, g"},
             summary={"self": "passes the incoming {g} on to {self}", "other": "passes the incoming {g} on to {other}"})  # fmt: skip
class add:
    """self + alpha * other."""

    def forward(self: A, other: A, alpha: float = 1) -> A:
        return self + other if alpha == 1 else self + other * _same(alpha, other)

    def grad_self(g: V) -> V:
        return g

    def grad_other(g: V, alpha: V) -> V:
        return g if alpha == 1 else g * alpha


@elementwise(compute=operator.sub, symbol="−", names=("subtract",), latex={"self": "g", "other": r"-\alpha\, g"},
             summary={"self": "passes the incoming {g} on to {self}", "other": "negates the incoming {g} for {other}"})  # fmt: skip
class sub:
    """self - alpha * other."""

    def forward(self: A, other: A, alpha: float = 1) -> A:
        return self - other if alpha == 1 else self - other * _same(alpha, other)

    def grad_self(g: V) -> V:
        return g

    def grad_other(g: V, alpha: V) -> V:
        return -g if alpha == 1 else g * -alpha


@elementwise(name="rsub", symbol="−", inplace=False, latex={"self": "-g", "other": "g"},
             summary={"self": "negates the incoming {g} for {self}", "other": "passes the incoming {g} on to {other}"})  # fmt: skip
class rsub:
    """other - self, for a number on the left."""

    def forward(self: A, other: A, alpha: float = 1) -> A:
        return other - self if alpha == 1 else other - self * _same(alpha, self)

    def grad_self(g: V, alpha: V) -> V:
        return -g if alpha == 1 else g * -alpha

    def grad_other(g: V) -> V:
        return g


def _same(number: A, like: A) -> A:
    return np.asarray(number).astype(like.dtype)[()]


@elementwise(compute=operator.mul, symbol="×", names=("multiply",), latex={"self": r"g \cdot \text{other}", "other": r"g \cdot \text{self}"},
             summary={"self": "multiplies the incoming {g} by the saved {other}", "other": "multiplies the incoming {g} by the saved {self}"})  # fmt: skip
class mul:
    """self * other."""

    def forward(self: A, other: A) -> A:
        return self * other

    def grad_self(g: V, other: V) -> V:
        return g * conj(other)

    def grad_other(g: V, self: V) -> V:
        return g * conj(self)


@elementwise(result="float", symbol="÷", names=("divide", "true_divide"),
             latex={"self": r"\frac{g}{\text{other}}", "other": r"-g \cdot \frac{\text{self}}{\text{other}^2}"},
             summary={"self": "divides the incoming {g} by the saved {other}",
                      "other": "multiplies the incoming {g} by −{self} / {other}²"})  # fmt: skip
class div:
    """self / other."""

    def forward(self: A, other: A) -> A:
        return self / other if isinstance(other, (np.ndarray, np.generic)) else self / np.asarray(other).astype(self.dtype)[()]

    def grad_self(g: V, other: V) -> V:
        return g / conj(other)

    def grad_other(g: V, self: V, other: V) -> V:
        return -g * conj((self / other) / other)


@elementwise(compute=operator.neg, symbol="−", names=("negative",), latex={"self": "-g"}, summary={"self": "negates the incoming {g}"})
class neg:
    """-self."""

    def forward(self: A) -> A:
        return -self

    def grad_self(g: V) -> V:
        return -g


@elementwise(symbol="xⁿ", grad_fn="PowBackward0", latex={"self": r"g \cdot n\, \text{self}^{\,n-1}"}, name="pow_scalar",
             summary={"self": "multiplies the incoming {g} by {exponent} × {self}^({exponent} − 1)"})  # fmt: skip
class pow_scalar:
    """self ** exponent for a number as exponent."""

    def forward(self: A, exponent: float) -> A:
        return power(self, exponent)

    def grad_self(g: V, self: V, exponent: V) -> V:
        if exponent == 0:
            return xp.zeros_like(g)
        if exponent == 1:
            return g
        return g * conj(exponent * self ** (exponent - 1))


def power(base: A, exponent: A) -> A:
    """base ** exponent in the type of base, quick for a square."""
    if exponent == 2:
        return base * base
    if exponent == 3:
        return base * base * base
    if exponent == 0.5:
        return np.sqrt(base)
    if exponent == -1:
        return np.asarray(1, base.dtype)[()] / base
    if isinstance(exponent, complex) or base.dtype.kind == "c":
        return np.power(base, np.asarray(exponent).astype(np.result_type(base.dtype, np.complex64))[()])
    if base.dtype.kind in "iu" and exponent < 0:
        return np.where(base == 1, 1, np.where(base == -1, 1 - 2 * (int(exponent) % 2), 0)).astype(base.dtype)[()]
    return np.power(base, np.asarray(exponent).astype(base.dtype)[()])


@elementwise(symbol="xʸ", grad_fn="PowBackward1", name="pow_tensor", latex={
    "self": r"g \cdot y\, \text{self}^{\,y-1}", "exponent": r"g \cdot \text{result} \cdot \ln \text{self}"},
    summary={"self": "multiplies the incoming {g} by {exponent} × {self}^({exponent} − 1)",
             "exponent": "multiplies the incoming {g} by the result times ln {self}"})  # fmt: skip
class pow_tensor:
    """self ** exponent for two tensors, or a number as base."""

    def forward(self: A, exponent: A) -> A:
        if self.dtype.kind in "iu" and np.any(exponent < 0):
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        return np.power(self, exponent)

    def grad_self(g: V, self: V, exponent: V) -> V:
        return g * conj(xp.where(exponent == 0, xp.zeros_like(self), exponent * self ** (exponent - 1)))

    def grad_exponent(g: V, self: V, exponent: V, result: V) -> V:
        skip = (exponent == 0) if is_complex(self) or is_complex(exponent) else (self == 0) & (exponent >= 0)
        base = xp.tensor_like(self, result)
        return g * conj(xp.where(skip, xp.zeros_like(result), result * xp.log(base)))


@elementwise(symbol="|x|", names=("absolute",), latex={"self": r"g \cdot \operatorname{sign}(\text{self})"}, name="abs",
             summary={"self": "multiplies the incoming {g} by the sign of {self}"})  # fmt: skip
class abs_:
    """The absolute value."""

    def forward(self: A) -> A:
        return np.abs(self)

    def grad_self(g: V, self: V) -> V:
        return g * xp.sgn(self)


@elementwise(symbol="sign", latex={"self": "0"}, summary={"self": "sends 0: the sign is constant almost everywhere"})
class sign:
    """-1, 0 or 1."""

    def forward(self: A) -> A:
        return np.sign(self)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@elementwise(symbol="sgn", latex={"self": "0"}, summary={"self": "sends 0 for real numbers"})
class sgn:
    """The sign; for complex numbers self / |self|."""

    def forward(self: A) -> A:
        if self.dtype.kind == "c":
            size = np.abs(self)
            return np.where(size == 0, 0, self / np.where(size == 0, 1, size)).astype(self.dtype)[()]
        return np.sign(self)

    def grad_self(g: V, self: V, result: V) -> V:
        if not is_complex(self):
            return xp.zeros_like(g)
        size = xp.abs(self)
        tangent = (g - result * result * conj(g)) / (2 * xp.where(size == 0, xp.ones_like(size), size))
        return xp.where(size == 0, xp.zeros_like(g), tangent)


@elementwise(symbol="x̄", name="conj", inplace=False, latex={"self": r"\bar g"}, summary={"self": "conjugates the incoming {g}"})
class conj_:
    """The complex conjugate."""

    def forward(self: A) -> A:
        return np.conjugate(self) if self.dtype.kind == "c" else self

    def grad_self(g: V) -> V:
        return conj(g)


@elementwise(symbol="max", latex={"self": r"g \cdot [\text{self} \ge \text{other}]", "other": r"g \cdot [\text{self} \le \text{other}]"},
             inplace=False, summary={"self": "sends the incoming {g} where {self} is larger, half of it at a tie",
                      "other": "sends the incoming {g} where {other} is larger, half of it at a tie"})  # fmt: skip
class maximum:
    """The larger of two, NaN where one is NaN."""

    def forward(self: A, other: A) -> A:
        return np.maximum(self, other)

    def grad_self(g: V, self: V, other: V) -> V:
        return xp.where(self == other, g / 2, xp.where(self < other, xp.zeros_like(g), g))

    def grad_other(g: V, self: V, other: V) -> V:
        return xp.where(self == other, g / 2, xp.where(self > other, xp.zeros_like(g), g))


@elementwise(symbol="min", latex={"self": r"g \cdot [\text{self} \le \text{other}]", "other": r"g \cdot [\text{self} \ge \text{other}]"},
             inplace=False, summary={"self": "sends the incoming {g} where {self} is smaller, half of it at a tie",
                      "other": "sends the incoming {g} where {other} is smaller, half of it at a tie"})  # fmt: skip
class minimum:
    """The smaller of two, NaN where one is NaN."""

    def forward(self: A, other: A) -> A:
        return np.minimum(self, other)

    def grad_self(g: V, self: V, other: V) -> V:
        return xp.where(self == other, g / 2, xp.where(self > other, xp.zeros_like(g), g))

    def grad_other(g: V, self: V, other: V) -> V:
        return xp.where(self == other, g / 2, xp.where(self < other, xp.zeros_like(g), g))


@elementwise(name="clamp_bounds", grad_fn="ClampBackward1", symbol="clamp",
             latex={"self": r"g \cdot [\text{min} \le \text{self} \le \text{max}]"},
             summary={"self": "sends the incoming {g} where {self} is within the bounds, 0 elsewhere"})  # fmt: skip
class clamp_bounds:
    """self limited to min and max, numbers or None."""

    def forward(self: A, min: float | None = None, max: float | None = None) -> A:  # noqa: A002
        low = None if min is None else np.asarray(min).astype(self.dtype)[()]
        high = None if max is None else np.asarray(max).astype(self.dtype)[()]
        if low is None:
            return np.minimum(self, high)
        return np.maximum(self, low) if high is None else np.minimum(np.maximum(self, low), high)

    def grad_self(g: V, self: V, min: V, max: V) -> V:  # noqa: A002
        if min is None:
            return g * (self <= max)
        return g * (self >= min) if max is None else g * ((self >= min) & (self <= max))


@elementwise(symbol="⌊x⌋", latex={"self": "0"}, summary={"self": "sends 0: rounding is constant almost everywhere"})
class floor:
    """Rounded down."""

    def forward(self: A) -> A:
        return self if self.dtype.kind in "iub" else np.floor(self)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@elementwise(symbol="⌈x⌉", latex={"self": "0"}, summary={"self": "sends 0: rounding is constant almost everywhere"})
class ceil:
    """Rounded up."""

    def forward(self: A) -> A:
        return self if self.dtype.kind in "iub" else np.ceil(self)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@elementwise(symbol="round", latex={"self": "0"}, name="round", summary={"self": "sends 0: rounding is constant almost everywhere"})
class round_:
    """Rounded to the nearest integer, halves to even."""

    def forward(self: A, decimals: int = 0) -> A:
        return self if self.dtype.kind in "iub" else np.round(self, decimals)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@elementwise(symbol="mod", latex={"self": "g", "other": r"-g \cdot \lfloor \text{self} / \text{other} \rfloor"},
             summary={"self": "passes the incoming {g} on to {self}", "other": "multiplies the incoming {g} by −⌊{self} / {other}⌋"})  # fmt: skip
class remainder:
    """self modulo other, with the sign of other."""

    def forward(self: A, other: A) -> A:
        return np.mod(self, other)

    def grad_self(g: V) -> V:
        return g

    def grad_other(g: V, self: V, other: V) -> V:
        return -g * xp.floor(self / other)


@elementwise(symbol="//", latex={}, summary={})
class floor_divide:
    """self / other rounded down; its backward is not defined."""

    def forward(self: A, other: A) -> A:
        return np.floor_divide(self, other)
