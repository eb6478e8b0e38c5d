"""Magnitude, sign and angle of numbers, their conjugates, and complex numbers made of two real ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.views import lazy_views
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.namespace import export
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.pointwise.arithmetic import conj, is_complex, like, pick
from backscope.runtime.warning import warn_once
from backscope.tensor.dtype import bfloat16, bool_, dtype, float16
from backscope.tensor.tensor import Tensor


@elementwise(
    name="abs",
    names=("absolute",),
    compute=np.abs,
    symbol="|x|",
    latex={"self": r"g \cdot \operatorname{sign}(\text{self})"},
    summary={"self": "multiplies the incoming {g} by the sign of {self}"},
)
class magnitude:
    """The absolute value; real for complex numbers."""

    def forward(self: A) -> A:
        return np.abs(self)

    def grad_self(g: V, self: V) -> V:
        return xp.complex_factor(g, self) * xp.sgn(self)


def _complex_factor(value: V, of: V) -> V:
    """Convert a raw factor of complex numbers as kernels do: a cast gives an expanded one its own memory."""
    if isinstance(value, np.ndarray) and 0 in value.strides and is_complex(of):
        return np.ascontiguousarray(value)
    return value


xp.complex_factor = _complex_factor
_overwrite_by_magnitude = Tensor.abs_  # type: ignore[attr-defined]


@export("abs_", "absolute_", function=False)
def _magnitude_in_place(self: Tensor) -> Any:
    """Write the absolute values in place; RuntimeError for complex numbers: real ones would not fill their memory."""
    if self._dtype.is_complex:
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return _overwrite_by_magnitude(self)


def _sign(value: A) -> A:
    """-1, 0 or 1; 0 for NaN."""
    found = np.sign(value)
    return found if value.dtype.kind in "iub" else pick(found == found, found, like(0, value))


@elementwise(
    compute=_sign,
    symbol="sign",
    latex={"self": "0"},
    summary={"self": "sends 0: the sign is constant almost everywhere"},
)
class sign:
    """-1, 0 or 1."""

    def forward(self: A) -> A:
        if self.dtype.kind == "c":
            raise RuntimeError(
                "Unlike NumPy, torch.sign doesn't allow complex tensors. Use torch.sgn to get the sign of a complex "
                "tensor."
            )
        return self if self.dtype.kind == "b" else _sign(self)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@elementwise(symbol="sgn", latex={"self": "0"}, summary={"self": "sends 0 for real numbers"})
class sgn:
    """The sign; for complex numbers self / |self|."""

    def forward(self: A) -> A:
        if self.dtype.kind == "c":
            size = np.abs(self)
            return np.where(size == 0, 0, self / np.where(size == 0, 1, size)).astype(self.dtype)[()]
        return self if self.dtype.kind == "b" else _sign(self)

    def grad_self(g: V, self: V, result: V) -> V:
        if not is_complex(self):
            return xp.zeros_like(g)
        size = xp.abs(self)
        return xp.cleared((g - result * result * conj(g)) / (2 * size), size == 0)


@elementwise(
    exported=False,
    written_grad_fn="ConjPhysicalBackward1",
    symbol="x̄",
    conjugates=False,
    latex={"self": r"\operatorname{conj} g"},
    summary={"self": "conjugates the incoming {g}"},
)
class conj_physical:
    """The complex conjugate."""

    def forward(self: A) -> A:
        return np.conjugate(self)

    def grad_self(g: V) -> V:
        return xp.conj_physical(g)


@op(
    name="conj",
    view=True,
    replays=True,
    lazily=np.conjugate,
    symbol="x̄",
    conjugates=False,
    latex={"self": r"\operatorname{conj} g"},
    summary={"self": "conjugates the incoming {g}"},
)
class conjugate:
    """The complex conjugate, a view."""

    def forward(self: A) -> A:
        return np.conjugate(self)

    def grad_self(g: V) -> V:
        return conj(g)


@op(
    view=True,
    replays=True,
    lazily=np.negative,
    symbol="−",
    latex={"self": "-g"},
    summary={"self": "negates the incoming {g}"},
)
class neg_view:
    """The negative, a view."""

    def forward(self: A) -> A:
        if self.dtype.kind == "b":
            raise no_kernel("neg_cpu", bool_)
        return np.negative(self)

    def grad_self(g: V) -> V:
        return -g


@export("_neg_view")
def _neg_view(input: Tensor) -> Any:  # noqa: A002
    """The negative as a view of the same memory."""
    return apply(primitives["neg_view"], input)


@export("conj_physical")
def _conj_physical(input: Tensor) -> Any:  # noqa: A002
    """The complex conjugate in memory of its own; a real tensor itself."""
    return primitives["conj_physical"].call(input) if input._dtype.is_complex else input


@export("conj")
def _conj(input: Tensor) -> Any:  # noqa: A002
    """The complex conjugate; a real tensor itself."""
    return apply(primitives["conj"], input) if input._dtype.is_complex else input


@export("resolve_conj")
def _resolve_conj(input: Tensor) -> Any:  # noqa: A002
    """Copy a tensor that is conjugated lazily; any other tensor is returned itself."""
    return input.clone() if lazy_views.is_conj(input) else input  # type: ignore[attr-defined]


@export("resolve_neg")
def _resolve_neg(input: Tensor) -> Any:  # noqa: A002
    """Copy a tensor that is negated lazily; any other tensor is returned itself."""
    return input.clone() if lazy_views.is_neg(input) else input  # type: ignore[attr-defined]


@export("adjoint")
def _adjoint(input: Tensor) -> Any:  # noqa: A002
    """The last two dims swapped and conjugated."""
    if not input._data.ndim:
        warn_once("adjoint() is deprecated on 0-D tensors. Consider using x.conj().")
        return _conj(input)
    if input._data.ndim == 1:
        raise RuntimeError("tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return _conj(input.transpose(-2, -1))  # type: ignore[attr-defined]


@elementwise(
    result="float",
    symbol="arg",
    inplace=False,
    conjugates=False,
    latex={"self": r"\frac{g \cdot i\, \text{self}}{|\text{self}|^2}"},
    summary={"self": "sends 0 for a real number; else turns the incoming {g} by 90° against {self}, over |{self}|²"},
)
class angle:
    """The angle in radians; 0 or pi for real numbers."""

    def forward(self: A) -> A:
        if self.dtype.kind == "c":
            return np.angle(self)
        return np.where(np.isnan(self), self, np.where(self < 0, np.pi, 0)).astype(self.dtype)[()]

    def grad_self(g: V, self: V) -> V:
        if not is_complex(self):
            return xp.zeros_like(g)
        size = xp.abs(self)
        safe = xp.where(size == 0, 1, size)
        return xp.where(size == 0, 0, (self / safe) * (g / safe) * 1j)


def _joined(real: A, imag: A) -> A:
    """Join parts to complex numbers; arithmetic with 1j would change infinities, NaN and signed zeros."""
    out = np.empty(np.broadcast(real, imag).shape, dtype.table[real.dtype].to_complex().np)
    out.real, out.imag = real, imag
    return out[()]


@op(
    name="complex",
    symbol="a + bi",
    latex={"real": r"\operatorname{Re} g", "imag": r"\operatorname{Im} g"},
    summary={
        "real": "takes the real part of the incoming {g}",
        "imag": "takes the imaginary part of the incoming {g}",
    },
)
class from_parts:
    """Complex numbers from real and imaginary parts."""

    def forward(real: A, imag: A) -> A:
        return _joined(real, imag)

    # PyTorch saves both parts, though their formulas do not use them.
    def grad_real(g: V, real: V, real_shape: V) -> V:
        return xp.sum_to_size(g.real, real_shape)

    def grad_imag(g: V, imag: V, imag_shape: V) -> V:
        return xp.sum_to_size(g.imag, imag_shape)


@op(
    symbol="polar",
    conjugates=False,
    latex={
        "abs": r"\operatorname{Re}(g \cdot e^{-i\varphi})",
        "angle": r"\operatorname{Im}(g \cdot \operatorname{conj} \text{result})",
    },
    summary={
        "abs": "takes the part of the incoming {g} along the saved {result}",
        "angle": "takes the part of the incoming {g} across the saved {result}",
    },
)
class polar:
    """Complex numbers from magnitudes and angles."""

    def forward(abs: A, angle: A) -> A:  # noqa: A002
        return _joined(abs * np.cos(angle), abs * np.sin(angle))

    def grad_abs(g: V, result: V, abs_shape: V) -> V:
        return xp.sum_to_size((conj(g) * xp.sgn(result)).real, abs_shape)

    def grad_angle(g: V, result: V, angle_shape: V) -> V:
        return xp.sum_to_size((conj(g) * (result * 1j)).real, angle_shape)


def _paired(name: str) -> None:
    def make(a: Tensor, b: Tensor) -> Any:
        if any(not x._dtype.is_floating_point or x._dtype is bfloat16 for x in (a, b)):
            raise RuntimeError(
                "Expected both inputs to be Half, Float or Double tensors but got "
                f"{a._dtype.type_name} and {b._dtype.type_name}"
            )
        if a._dtype is not b._dtype:
            raise RuntimeError(
                f"Expected object of scalar type {a._dtype.type_name} but got scalar type {b._dtype.type_name} for "
                "second argument"
            )
        if name == "polar" and a._dtype is float16:
            raise no_kernel("polar_cpu", a._dtype)
        return apply(primitives[name], a, b)

    make.__doc__ = f"Complex numbers by {name}."
    export(name, method=False)(make)


_paired("complex")
_paired("polar")


@export()
def is_conj(input: Tensor) -> bool:  # noqa: A002
    """True for a view that PyTorch would conjugate only when it is read."""
    return lazy_views.is_conj(input)


@export()
def is_neg(input: Tensor) -> bool:  # noqa: A002
    """True for a view that PyTorch would negate only when it is read."""
    return lazy_views.is_neg(input)


@export("is_complex")
def _is_complex(input: Tensor) -> bool:  # noqa: A002
    """True for complex dtypes."""
    return input._dtype.is_complex


@export()
def is_floating_point(input: Tensor) -> bool:  # noqa: A002
    """True for floating point dtypes."""
    return input._dtype.is_floating_point
