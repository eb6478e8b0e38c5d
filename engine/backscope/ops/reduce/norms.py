"""Norms, variances and standard deviations."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import as_dims, length, restore, wrap_dims
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export, linalg
from backscope.runtime.given import Dim, Dtype, Option, Shape, Value
from backscope.tensor.dtype import dtype
from backscope.tensor.tensor import Tensor

INFINITY = float("inf")


@op(
    symbol="‖x‖",
    latex={"self": r"g \cdot \frac{\text{self}}{\text{result}}"},
    summary={"self": "multiplies the incoming {g} by {self} divided by the saved norm {result}"},
)
class linalg_vector_norm:
    """The p-norm of all elements or along dims."""

    def forward(self: A, ord: float = 2, dim: Dim = None, keepdim: bool = False) -> A:  # noqa: A002
        size = np.abs(self)
        lengths = np.asarray(norm_of(wide(size), ord, wrap_dims(dim, self.ndim), keepdim))
        return row_major(lengths.astype(size.dtype)[()])

    def grad_self(g: V, self: V, result: V, ord: V, self_shape: V, dim: V, keepdim: V) -> V:  # noqa: A002
        if dim is not None:
            g, result = restore(g, self_shape, dim, keepdim), restore(result, self_shape, dim, keepdim)
        return norm_gradient(g, self, result, ord, dim)


def norm_gradient(g: V, self: V, size: V, ord: V, dim: V) -> V:  # noqa: A002
    """Return the gradient of the elements of p-norms `size`, given the gradient g of the norms."""
    if ord == 0:
        return None
    if ord == 1:
        return xp.sgn(self) * g
    if ord == 2:
        return g * _without_zeros(self / size, size)
    magnitude = xp.abs(self)
    if abs(ord) == INFINITY:
        mask = (magnitude == size) | xp.isnan(magnitude)
        return xp.sgn(self) * (g / xp.count(mask, g, dim) * mask)
    if ord < 1:
        slope = xp.where(self == 0, 0, xp.sgn(self) * magnitude ** (ord - 1))
        return slope * g * size ** (1 - ord)
    scale = _without_zeros(g / size ** (ord - 1), size)
    if ord < 2:
        return xp.where(self == 0, 0, xp.sgn(self) * magnitude ** (ord - 1)) * scale
    return self * magnitude ** (ord - 2) * scale


def _without_zeros(quotient: V, size: V) -> V:
    """A quotient, and 0 where it was divided by a size of 0."""
    zero = size == 0
    if isinstance(size, Tensor):
        return xp.masked_fill(quotient, zero, 0)
    return xp.where(zero, 0, quotient) if np.any(zero) else quotient


def norm_of(size: A, order: float, axes: Dim, keepdim: bool) -> A:
    """The p-norm of magnitudes, along axes."""
    if order == 2:
        return np.sqrt(np.sum(size * size, axis=axes, keepdims=keepdim))
    if order == 1:
        return np.sum(size, axis=axes, keepdims=keepdim)
    if order == INFINITY:
        return np.max(size, axis=axes, keepdims=keepdim, initial=0)
    if order == -INFINITY:
        return np.min(size, axis=axes, keepdims=keepdim)
    if order == 0:
        return np.sum(size != 0, axis=axes, keepdims=keepdim)
    return np.sum(size**order, axis=axes, keepdims=keepdim) ** (1 / order)


def _vector_norm(tensor: Tensor, order: Value, dim: Dim, keepdim: bool, kind: Dtype) -> Any:
    """The p-norm over all elements or along dims; RuntimeError for integers."""
    if kind is not None:
        tensor = tensor.to(kind)  # type: ignore[attr-defined]
    if tensor._dtype.category < 2:
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {tensor._dtype.type_name}"
        )
    wrap_dims(dim, tensor._data.ndim)
    return apply(primitives["linalg_vector_norm"], tensor, order, as_dims(dim), bool(keepdim))


def vector_norm(
    x: Tensor,
    ord: Value = 2,  # noqa: A002
    dim: Dim = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
) -> Value:
    """The p-norm of all elements or along dims."""
    return _vector_norm(x, ord, dim, keepdim, dtype)


linalg["vector_norm"] = vector_norm


@export("norm")
def _norm(
    input: Tensor,  # noqa: A002
    p: Value = "fro",
    dim: Dim = None,
    keepdim: bool = False,
    out: Value = None,
    dtype: dtype | None = None,
) -> Any:
    """The norm of all elements or along dims; "fro" is the 2-norm."""
    if p == "nuc":
        return linalg["matrix_norm"](input, "nuc", (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return _vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype)


def _variance(self: A, dim: Dim, correction: float | None, keepdim: bool) -> A:
    axes = wrap_dims(dim, self.ndim)
    values = wide(self)
    n = length(self.shape, axes)
    centred = values - values.sum(axis=axes, keepdims=True) / values.real.dtype.type(n)
    squared = (centred * centred.conj()).real if values.dtype.kind == "c" else centred * centred
    total = np.sum(squared, axis=axes, keepdims=keepdim)
    out = total / np.asarray(max(n - _bessel(correction), 0)).astype(total.dtype)
    return row_major(np.asarray(out).astype(self.real.dtype)[()])


def _bessel(correction: float | None) -> float:
    return 1 if correction is None else correction


def _variance_gradient(g: V, self: V, shape: Shape, dim: Dim, correction: float | None, keepdim: bool) -> V:
    dims = wrap_dims(dim, len(shape))
    n = length(shape, dims)
    freedom = n - _bessel(correction)
    if freedom <= 0:
        mean = xp.sum(self, dims, True) / n
        limit = xp.where(self == mean, xp.ones_like(self) * float("nan"), float("inf"))
        return restore(g, shape, dims, keepdim) * limit
    if dims:
        centred = self - (xp.mean_all(self) if dim is None else xp.mean_dim(self, dims, True))
    else:
        centred = self - self
    return (2.0 / freedom) * (g if dim is None else restore(g, shape, dims, keepdim)) * centred


@op(
    symbol="var",
    latex={"self": r"\frac{2\, g\, (\text{self} - \overline{\text{self}})}{n - \text{correction}}"},
    summary={"self": "multiplies the incoming {g} by 2 × (x − mean) / (n − correction)"},
)
class var:
    """The variance along dims."""

    def forward(self: A, dim: Dim, correction: float | None = None, keepdim: bool = False) -> A:
        return _variance(self, dim, correction, keepdim)

    def grad_self(g: V, self: V, self_shape: V, dim: V, correction: V, keepdim: V) -> V:
        return _variance_gradient(g, self, self_shape, dim, correction, keepdim)


@op(
    symbol="std",
    latex={"self": r"\frac{g\, (\text{self} - \overline{\text{self}})}{\text{result}\,(n - \text{correction})}"},
    summary={"self": "multiplies the incoming {g} by (x − mean) / ({result} × (n − correction))"},
)
class std:
    """The standard deviation along dims."""

    def forward(self: A, dim: Dim, correction: float | None = None, keepdim: bool = False) -> A:
        return np.asarray(np.sqrt(_variance(wide(self), dim, correction, keepdim))).astype(self.real.dtype)[()]

    def grad_self(g: V, self: V, result: V, self_shape: V, dim: V, correction: V, keepdim: V) -> V:
        halved = _without_zeros(g / (result * 2), result)
        return _variance_gradient(halved, self, self_shape, dim, correction, keepdim)


@op(
    outputs=2,
    symbol="var, mean",
    latex={"self": r"\frac{2\, g_0\, (\text{self} - \overline{\text{self}})}{n - \text{correction}} + \frac{g_1}{n}"},
    summary={"self": "adds the gradients of the variance and of the mean along dim {dim}"},
)
class var_mean:
    """The variance and the mean along dims."""

    def forward(self: A, dim: Dim, correction: float | None = None, keepdim: bool = False) -> A:
        return _variance(self, dim, correction, keepdim), _mean_of(self, dim, keepdim)

    def grad_self(g: V, self: V, self_shape: V, dim: V, correction: V, keepdim: V) -> V:
        spread = None if g[0] is None else _variance_gradient(g[0], self, self_shape, dim, correction, keepdim)
        return _with_mean(spread, g[1], self_shape, dim, keepdim)


def _mean_of(self: A, dim: Dim, keepdim: bool) -> A:
    values, dims = wide(self), wrap_dims(dim, self.ndim)
    found = np.asarray(values.sum(axis=dims, keepdims=keepdim) / values.dtype.type(length(self.shape, dims)))
    return row_major(found.astype(self.dtype)[()])


def _with_mean(spread: V, g: V, shape: Shape, dim: Dim, keepdim: bool) -> V:
    """The gradient of a spread plus that of the mean beside it, either of which may be None."""
    if g is None:
        return spread
    dims = wrap_dims(dim, len(shape))
    flat = xp.expand(restore(g, shape, dims, keepdim), shape) / length(shape, dims)
    return flat if spread is None else spread + flat


@op(
    outputs=2,
    returns=("std", "mean"),
    symbol="std, mean",
    latex={
        "self": r"\frac{g_0\, (\text{self} - \overline{\text{self}})}{\text{std}\,(n - \text{correction})}"
        r" + \frac{g_1}{n}"
    },
    summary={"self": "adds the gradients of the standard deviation and of the mean along dim {dim}"},
)
class std_mean:
    """The standard deviation and the mean along dims."""

    def forward(self: A, dim: Dim, correction: float | None = None, keepdim: bool = False) -> A:
        spread = np.sqrt(_variance(wide(self), dim, correction, keepdim))
        return np.asarray(spread).astype(self.real.dtype)[()], _mean_of(self, dim, keepdim)

    def grad_self(g: V, self: V, std: V, self_shape: V, dim: V, correction: V, keepdim: V) -> V:
        spread = None
        if g[0] is not None:
            halved = _without_zeros(g[0] / (std * 2), std)
            spread = _variance_gradient(halved, self, self_shape, dim, correction, keepdim)
        return _with_mean(spread, g[1], self_shape, dim, keepdim)


def _publish_spread(name: str) -> None:
    def spread(
        input: Tensor,  # noqa: A002
        dim: Dim = None,
        unbiased: Option = None,
        keepdim: bool = False,
        *,
        correction: Option = None,
    ) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if input._dtype.category < 2:
            names = name if name.endswith("mean") else "std and var"
            raise RuntimeError(f"{names} only support floating point and complex dtypes")
        if unbiased is not None:
            correction = int(unbiased)
        elif correction is None and dim is not None:
            correction = 1
        dims = wrap_dims(dim, input._data.ndim)
        shape = input._data.shape
        empty = any(n == 0 and d not in dims for d, n in enumerate(shape))
        if empty or length(shape, dims) <= _bessel(correction):
            from backscope.runtime.warning import warn

            for _ in range(2 if input._dtype.is_complex else 1):  # Once for each part of complex numbers.
                warn(
                    f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
                    "factor (input numel divided by output numel)."
                )
        return apply(primitives[name], input, as_dims(dim), correction, bool(keepdim))

    spread.__doc__ = (
        f"The {name.replace('_', ' and ')} of all elements or along dims, with Bessel's correction by default."
    )
    export(name)(spread)


for _name in ("var", "std", "var_mean", "std_mean"):
    _publish_spread(_name)
