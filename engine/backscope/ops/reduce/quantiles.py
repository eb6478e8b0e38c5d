"""Statistics without NaN, quantiles, and covariance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import as_dims, restore, wrap_dim, wrap_dims
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export, torch_functions as f
from backscope.runtime.given import Dim, Dtype, Value, Values
from backscope.runtime.warning import warn
from backscope.tensor.dtype import BOOL, FLOATING
from backscope.tensor.tensor import Tensor, of_raw


@op(
    symbol="Σ",
    conjugates=False,
    latex={"self": r"g\,[\text{self} \ne \operatorname{NaN}]"},
    summary={"self": "spreads the incoming {g} over the elements that are no NaN"},
)
class nansum:
    """The sum of what is no NaN, along dims."""

    def forward(self: A, dim: Dim, keepdim: bool = False) -> A:
        axes = wrap_dims(dim, self.ndim)
        return np.asarray(np.nansum(wide(self), axis=axes, keepdims=keepdim)).astype(self.dtype)[()]

    def grad_self(g: V, self: V, self_shape: V, dim: V, keepdim: V) -> V:
        spread = xp.expand(restore(g, self_shape, dim, keepdim), self_shape)
        return spread * xp.logical_not(xp.isnan(self))


@export("nansum")
def _nansum(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Dtype = None) -> Any:  # noqa: A002
    """The sum with NaN counted as 0."""
    if input._dtype.is_complex:
        raise RuntimeError("nansum on CPU does not support complex inputs")
    if dtype is not None:
        input = input.to(dtype)  # type: ignore[attr-defined]  # noqa: A001
    if input._dtype.category < 2:
        if dim is None and keepdim:
            dim = tuple(range(input.ndim))
        return f["sum"](input, dtype=dtype) if dim is None else f["sum"](input, dim, keepdim, dtype=dtype)
    return apply(primitives["nansum"], input, as_dims(dim), bool(keepdim))


@export()
def nanmean(input: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Dtype = None) -> Value:  # noqa: A002
    """Return the mean of the elements that are not NaN."""
    if input._dtype.category < FLOATING:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {input._dtype.type_name}"
        )
    if dtype is not None and dtype.category < FLOATING:
        raise RuntimeError(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. "
            f"Got: {dtype.type_name}"
        )
    known = f["isnan"](input.detach()).logical_not()
    count = known.sum() if dim is None else known.sum(dim, keepdim)
    return _nansum(input, dim, keepdim, dtype=dtype) / count


def _quantile(name: str, skip: bool) -> None:
    def quantile(
        input: Tensor,  # noqa: A002
        q: Value,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> Any:
        wanted = q if isinstance(q, Tensor) else of_raw(np.asarray(q, input._data.dtype)[()])
        _check_quantile(name, input, wanted, interpolation)
        ordered = _ordered(input, dim, keepdim)
        known = np.isnan(np.asarray(ordered.detach()._data))
        n = ordered.shape[-1]
        last = (n - known.sum(-1, keepdims=True) - 1).clip(0) if skip else np.full((*ordered.shape[:-1], 1), n - 1)
        found = _at(ordered, of_raw(last.astype(input._data.dtype)) * wanted, interpolation, known, skip)
        return (found.unsqueeze_(0).transpose_(0, -1) if wanted.ndim else found).squeeze_(-1)

    quantile.__name__, quantile.__doc__ = name, "Quantiles along a dim, " + ("NaN left out." if skip else "or of all.")
    export(name)(quantile)


def _ordered(input: Tensor, dim: int | None, keepdim: bool) -> Any:  # noqa: A002
    """Return sorted values with the reduced dim last; with `keepdim`, a dim of length 1 takes its place."""
    x: Any = input
    d = 0 if dim is None else wrap_dim(dim, x.ndim)
    if dim is None:
        found = x.flatten().sort()[0]
    elif d == max(x.ndim - 1, 0):
        found = x.sort()[0]
    else:
        found = x.unsqueeze(-1).transpose(d, -1).sort()[0]
    rest = [1 if dim is None or i == d else n for i, n in enumerate(x.shape)] if keepdim else []
    if not keepdim and dim is not None:
        rest = [n for i, n in enumerate(x.shape) if i != d]
    return found.view([*rest, x.numel() if dim is None or not x.ndim else x.shape[d]])


def _check_quantile(name: str, input: Tensor, q: Tensor, interpolation: str) -> None:  # noqa: A002
    if not input.numel():  # type: ignore[attr-defined]
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if q.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if input._dtype.name not in ("float32", "float64"):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if q._dtype is not input._dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if not np.all((q._data >= 0) & (q._data <= 1)):
        if not q.ndim:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q.item()}")
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )


_ROUNDINGS: dict[str, Callable[..., Any]] = {"lower": np.floor, "higher": np.ceil, "nearest": np.round}


def _at(ordered: Any, ranks: Any, interpolation: str, unknown: Any, skip: bool) -> Any:
    """The values at ranks along the last dim of sorted ones; NaN where one is among them and none are skipped."""
    if not skip:
        ranks = f["where"](of_raw(unknown.any(-1, keepdims=True)), float(ordered.shape[-1] - 1), ranks)
    places = np.asarray(ranks.detach()._data)
    if interpolation in _ROUNDINGS:
        places = _ROUNDINGS[interpolation](places)
    below = np.floor(places).astype(np.int64)
    low = ordered.gather(-1, of_raw(below))
    if interpolation not in ("linear", "midpoint"):
        return low
    part = of_raw(np.full_like(places, 0.5)) if interpolation == "midpoint" else ranks - of_raw(below)
    high = ordered.gather(-1, of_raw(np.ceil(places).astype(np.int64)))
    return low.lerp_(high, part)


_quantile("quantile", skip=False)
_quantile("nanquantile", skip=True)


@export()
def msort(input: Tensor) -> Value:  # noqa: A002
    """Sorted along the first dim."""
    return input.sort(0)[0]  # type: ignore[attr-defined]


def _check_weights(name: str, weights: Values, count: int, category: int, kind: str) -> None:
    """Raise RuntimeError for weights of observations that don't fit them."""
    if weights is None:
        return
    found, shown = weights._dtype.type_name, list(weights.shape)
    if weights.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {len(shown)} dimensions"
        )
    if weights._dtype.category != category:
        raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {name} with {found} dtype")
    if weights.numel() != count:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{weights.numel()} != {count}"
        )
    if weights._data.size and weights._data.min() < 0:
        raise RuntimeError(f"cov(): {name} cannot be negative")


@export()
def cov(input: Tensor, *, correction: int = 1, fweights: Value = None, aweights: Value = None) -> Value:  # noqa: A002
    """The covariance matrix of variables in rows."""
    if input._dtype.category == BOOL:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x: Any = input.view(1, -1) if input.ndim < 2 else input  # type: ignore[attr-defined]
    if input.ndim > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got an input with {input.ndim} "
                           "dimensions")  # fmt: skip
    _check_weights("fweights", fweights, x.shape[1], 1, "integral")
    _check_weights("aweights", aweights, x.shape[1], 2, "floating point")
    weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    total = x.shape[1] if weights is None else weights.sum()
    if weights is not None and not total._data:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    mean = x.sum(1) / total if weights is None else (x * weights).sum(1) / total
    if weights is not None and aweights is not None and correction != 0:
        scale = total - xp.mul_scalar((weights * aweights).sum(), correction) / total
    elif weights is not None and correction == 0:
        scale = total
    else:
        scale = total - correction
    if scale <= 0:
        warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations. "
            "(Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/Correlation.cpp:129.)"
        )
        scale = 0 if weights is None else scale.zero_()
    centred = x - mean.unsqueeze(1)
    second = centred if weights is None else centred * weights
    out = (centred @ second.t().conj()) / scale
    return out.squeeze()


@export()
def corrcoef(input: Tensor) -> Value:  # noqa: A002
    """The correlation coefficients of variables in rows."""
    c = cov(input)
    if c.ndim == 0:
        return c / c
    spread = f["sqrt"](c.diagonal())
    c = c / spread.view(-1, 1) / spread.view(1, -1)
    return f["complex"](c.real.clip(-1, 1), c.imag.clip(-1, 1)) if c._dtype.is_complex else c.clip(-1, 1)
