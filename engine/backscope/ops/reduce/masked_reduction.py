"""torch.masked: reductions and normalizations of the elements that have True in a mask."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from backscope.ops.core.namespace import functional, linalg, torch_functions as f
from backscope.runtime.given import Dim, Dtype, Option, Value
from backscope.tensor.dtype import float32, int64
from backscope.tensor.number_limits import iinfo
from backscope.tensor.tensor import Tensor

masked: dict[str, Callable[..., Any]] = {}
"""The functions of torch.masked."""


def _publish(function: Callable[..., Any]) -> Callable[..., Any]:
    name = function.__name__.strip("_")
    function.__name__ = function.__qualname__ = name
    masked[name] = function
    return function


def _dims(dim: Dim, ndim: int) -> tuple[int, ...]:
    """Dims counted from the front in ascending order; all for None and ()."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    bound, found = max(ndim, 1), []
    for d in (dim,) if isinstance(dim, int) else dim:
        if d in found:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        if not -bound <= d < bound:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {d})"
            )
        found.append(d % bound)
    return tuple(sorted(found))


def _mask_of(input: Value, mask: Value) -> Any:  # noqa: A002
    """The mask as truth values in the shape of the input."""
    if mask.shape != input.shape:
        if mask.ndim > input.ndim:
            raise IndexError(
                "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"
            )
        mask = f["broadcast_to"](mask.clone(), tuple(input.shape))
    return mask.bool()


def _neutral(name: str, input: Value, order: float) -> Any:  # noqa: A002
    """Return the element that does not change the result of a reduction."""
    kind = input.dtype
    floating = kind.is_floating_point
    whole = not floating and not kind.is_complex and kind.name != "bool"
    if name in ("sum", "norm") and not (name == "norm" and order == -math.inf):
        return 0
    if name == "prod":
        return 1
    if name in ("most", "logsumexp") and (floating or (name == "logsumexp" and kind.is_complex)):
        return -math.inf
    if name in ("most", "logsumexp") and whole:
        return iinfo(kind).min
    if name == "least" and whole:
        return iinfo(kind).max
    if name in ("least", "norm") and floating:
        return math.inf
    if name == "median":
        return math.nan
    raise NotImplementedError(f"identity of {name} on {kind} input")


def _filled(name: str, input: Tensor, mask: Value, order: float = 2.0) -> Any:  # noqa: A002
    """The input with the neutral element of a reduction where the mask is False."""
    if mask is None:
        return input
    value = f["tensor"](_neutral(name, input, order), dtype=input.dtype)
    return f["where"](_mask_of(input, mask), input, value)


def _widened(input: Value, dtype: Dtype) -> Any:  # noqa: A002
    """The dtype of a sum: int64 for integers and truth values, unless one is given."""
    if dtype is not None:
        return dtype
    return int64 if input.dtype.category < 2 else input.dtype


@_publish
def _sum(input: Value, dim: Dim = None, *, keepdim: Option = False, dtype: Dtype = None, mask: Value = None) -> Any:  # noqa: A002
    """Sum the unmasked elements."""
    kind = _widened(input, dtype)
    return f["sum"](_filled("sum", input, mask), _dims(dim, input.ndim), bool(keepdim), dtype=kind)


@_publish
def _prod(input: Value, dim: Dim = None, *, keepdim: Option = False, dtype: Dtype = None, mask: Value = None) -> Any:  # noqa: A002
    """Multiply the unmasked elements."""
    result = _filled("prod", input, mask).to(dtype=_widened(input, dtype))
    for d in reversed(_dims(dim, input.ndim)):
        result = result.prod(dim=d, keepdim=bool(keepdim))
    return result


def _running(name: str, neutral: str) -> None:
    def run(input: Value, dim: int, *, dtype: Dtype = None, mask: Value = None) -> Any:  # noqa: A002
        kind = input.dtype if dtype is None else dtype
        d = _dims(dim, input.ndim)[0]
        return f[name](_filled(neutral, input, mask), d, dtype=kind).to(dtype=kind)

    run.__name__, run.__doc__ = name, f"{name} of the elements that the mask leaves."
    _publish(run)


_running("cumsum", "sum")
_running("cumprod", "prod")


def _extreme(name: str, neutral: str) -> None:
    def reduce(
        input: Value,  # noqa: A002
        dim: Dim = None,
        *,
        keepdim: Option = False,
        dtype: Dtype = None,
        mask: Value = None,
    ) -> Any:
        kind = input.dtype if dtype is None else dtype
        filled = _filled(neutral, input, mask)
        dims = dim if name.startswith("arg") else _dims(dim, input.ndim)
        return f[name](filled, dims, bool(keepdim)).to(dtype=kind)

    reduce.__name__, reduce.__doc__ = name, f"{name} of the elements that the mask leaves."
    _publish(reduce)


for _name, _fill in (("amax", "most"), ("amin", "least"), ("argmax", "most"), ("argmin", "least")):
    _extreme(_name, _fill)


def _counted(input: Value, dim: Dim, keepdim: bool, mask: Value) -> Any:  # noqa: A002
    """Count the elements that the mask includes."""
    if mask is None:
        return _sum(f["ones"](tuple(input.shape), dtype=int64), dim, keepdim=keepdim)
    return mask.sum(dim=dim, keepdim=keepdim)


@_publish
def _mean(input: Value, dim: Dim = None, *, keepdim: Option = False, dtype: Dtype = None, mask: Value = None) -> Any:  # noqa: A002
    """Return the mean of the unmasked elements."""
    kind = input.dtype if dtype is None else dtype
    if not (kind.is_floating_point or kind.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be either a "
            f"floating point or complex dtype. Got: {kind}"
        )
    left = None if mask is None else _mask_of(input, mask)
    count = _counted(input, dim, bool(keepdim), left)
    return _sum(input, dim, keepdim=keepdim, dtype=kind, mask=left) / count


@_publish
def _median(input: Value, dim: int = -1, *, keepdim: bool = False, dtype: Dtype = None, mask: Value = None) -> Any:  # noqa: A002
    """Return the median of the unmasked elements, NaN where there are none."""
    kind = input.dtype if dtype is None else dtype
    d = _dims(dim, input.ndim)[0]
    floating = input.dtype.is_floating_point
    values = input if floating else input.to(dtype=float32)
    found = f["nanmedian"](_filled("median", values, mask), d, keepdim).values
    if floating:
        return found
    if bool(found.isnan().any()):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return found.to(dtype=kind)


@_publish
def _logsumexp(input: Value, dim: Dim = None, *, keepdim: bool = False, dtype: Dtype = None, mask: Value = None) -> Any:  # noqa: A002
    """Return log(sum(exp)) of the unmasked elements."""
    kind = input.dtype if dtype is None else dtype
    filled = _filled("logsumexp", input, mask)
    return f["logsumexp"](filled, _dims(dim, input.ndim), keepdim=keepdim).to(dtype=kind)


@_publish
def _logaddexp(
    input: Value,  # noqa: A002
    other: Value,
    *,
    dtype: Dtype = None,
    input_mask: Any = None,
    other_mask: Any = None,
) -> Any:
    """Return log(exp(input) + exp(other)) with masked elements counting as -inf."""
    kind = input.dtype if dtype is None else dtype
    return f["logaddexp"](_filled("most", input, input_mask), _filled("most", other, other_mask)).to(dtype=kind)


@_publish
def _norm(
    input: Value,  # noqa: A002
    ord: Value = 2.0,  # noqa: A002
    dim: Dim = None,
    *,
    keepdim: Option = False,
    dtype: Dtype = None,
    mask: Value = None,
) -> Any:
    """Return the norm of the unmasked elements."""
    kind = input.dtype if dtype is None else dtype
    filled = _filled("norm", input, mask, ord)
    return linalg["vector_norm"](filled, ord, _dims(dim, input.ndim), bool(keepdim), dtype=kind)


def _spread(input: Value, dim: Dim, correction: float, keepdim: Option, dtype: Dtype, mask: Value, root: bool) -> Any:  # noqa: A002
    kind = input.dtype if dtype is None else dtype
    if dtype is None and kind.category < 2:
        kind = float32
    wide = kind if kind.category > 1 else float32
    left = None if mask is None else _mask_of(input, mask)
    count = _counted(input, dim, True, left)
    mean = f["divide"](_sum(input, dim, keepdim=True, dtype=kind, mask=left), count)
    x = f["subtract"](input, mean)
    total = _sum(x * x.conj(), dim, keepdim=keepdim, dtype=wide, mask=left)
    if not keepdim:
        count = count.reshape(tuple(total.shape))
    if correction != 0:
        real = wide.to_real() if wide.is_complex else wide
        count = f["subtract"](count.to(real), correction)
        count = f["maximum"](count, count.new_zeros([]))
    found = f["divide"](total, count).to(dtype=kind)
    return f["sqrt"](found) if root else found


def _measure(name: str, root: bool) -> None:
    def measure(
        input: Value,  # noqa: A002
        dim: Dim = None,
        unbiased: Option = None,
        *,
        correction: Option = None,
        keepdim: Option = False,
        dtype: Dtype = None,
        mask: Value = None,
    ) -> Any:
        if unbiased is not None and correction is not None:
            raise AssertionError("Only one of unbiased and correction may be given")
        less = 1.0 if correction is None and unbiased is not False else float(correction or 0)
        return _spread(input, dim, less, keepdim, dtype, mask, root)

    measure.__name__, measure.__doc__ = name, f"{name} of the elements that the mask leaves."
    _publish(measure)


_measure("var", False)
_measure("std", True)


def _weights(name: str, neutral: str) -> None:
    def normalize(input: Value, dim: int, *, dtype: Dtype = None, mask: Value = None) -> Any:  # noqa: A002
        kind = input.dtype if dtype is None else dtype
        return functional[name](_filled(neutral, input, mask), _dims(dim, input.ndim)[0], dtype=kind)

    normalize.__name__, normalize.__doc__ = name, f"{name} over the elements that the mask leaves."
    _publish(normalize)


_weights("softmax", "most")
_weights("log_softmax", "most")
_weights("softmin", "least")


@_publish
def _normalize(
    input: Value,  # noqa: A002
    ord: float,  # noqa: A002
    dim: int,
    *,
    eps: float = 1e-12,
    dtype: Dtype = None,
    mask: Value = None,
) -> Any:
    """Divide the unmasked elements by their norm."""
    size = _norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return f["divide"](_filled("sum", input, mask), f["maximum"](size, size.new_full([], eps)))
