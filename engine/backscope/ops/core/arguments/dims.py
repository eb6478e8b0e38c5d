"""Dims and sizes: the arguments that views and reductions share, checked and counted from the front."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from backscope.ops.core.declaration import V, xp
from backscope.runtime.given import Dim, Shape, Value
from backscope.tensor.tensor import Tensor

Dims = tuple[int, ...]


def wrap_dim(dim: int, ndim: int) -> int:
    """`dim` counted from the front; IndexError when out of range (a 0-d tensor counts as one dim)."""
    bound = max(ndim, 1)
    if not -bound <= dim < bound:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {dim})")
    return dim % bound


def check_length(name: str, input: Tensor, dim: int) -> int:  # noqa: A002
    """Return `dim` counted from the front; IndexError where it is out of range, or has no elements to choose from."""
    at = wrap_dim(dim, input._data.ndim)
    if input._data.ndim and not input._data.shape[at]:
        raise IndexError(f"{name}(): Expected reduction dim {at} to have non-zero size.")
    return at


def wrap_dims(dim: Dim, ndim: int) -> Dims:
    """`dim` as a tuple counted from the front; all dims for None or (); RuntimeError for a dim given twice."""
    if dim.__class__ is int and ndim:
        return (wrap_dim(dim, ndim),)
    if dim is None or (not hasattr(dim, "__index__") and len(dim) == 0):
        return tuple(range(ndim))
    wrapped = tuple([wrap_dim(d, ndim) for d in ((dim,) if hasattr(dim, "__index__") else dim)])
    if len(set(wrapped)) != len(wrapped):
        repeated = next(d for d in wrapped if wrapped.count(d) > 1)
        raise RuntimeError(f"dim {repeated} appears multiple times in the list of dims")
    return wrapped if ndim else ()


def as_dims(dim: Dim) -> Dims | None:
    """Return one dim or several as a tuple, unchanged otherwise, as nodes keep them; None stays None."""
    return None if dim is None else (int(dim),) if hasattr(dim, "__index__") else tuple(dim)


def sizes(args: tuple[Any, ...]) -> Dims:
    """Return lengths given one by one or as one sequence; TypeError for anything but integers."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    for a in args:
        if a.__class__ is not int:
            break
    else:
        return args
    return tuple([a if a.__class__ is int else _length(a) for a in args])


def _length(value: Value) -> int:
    if isinstance(value, Tensor):
        return int(value.item())
    if not hasattr(value, "__index__"):
        raise TypeError(f"a size must be an integer, but got {type(value).__name__}")
    return int(value.__index__())


def infer(shape: Dims, count: int) -> Dims:
    """Replace the -1 in `shape` for `count` elements; RuntimeError when they don't fit."""
    if -1 not in shape:
        if math.prod(shape) != count or (shape and min(shape) < 0):
            raise _unfit(shape, count)
        return shape
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = -math.prod(shape)
    if known == 0 and not count:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 "
            "can be any value and is ambiguous"
        )
    if not known or count % known or min(shape) < -1:
        raise _unfit(shape, count)
    return tuple([count // known if n == -1 else n for n in shape])


def _unfit(shape: Dims, count: int) -> RuntimeError:
    if min(shape, default=0) < -1:
        place, wrong = next((i, n) for i, n in enumerate(shape) if n < -1)
        return RuntimeError(f"invalid shape dimension {wrong} at index {place} of shape {list(shape)}")
    return RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")


def length(shape: Shape, dims: Iterable[int]) -> int:
    """The number of elements along `dims`."""
    return math.prod([shape[d] for d in dims])


def restore(g: V, shape: Shape, dim: Dim, keepdim: bool) -> V:
    """Insert the reduced dims with length 1 again, so that the value broadcasts to `shape`."""
    if keepdim or not shape:
        return g
    dims = wrap_dims(dim, len(shape))
    if isinstance(g, Tensor):
        for d in sorted(dims):
            g = xp.unsqueeze(g, d)
        return g
    return xp.reshape(g, tuple([1 if i in dims else n for i, n in enumerate(shape)]))
