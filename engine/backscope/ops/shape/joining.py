"""Tensors joined along a dim: cat, stack, hstack, vstack, dstack; atleast_1d and the like; meshgrid."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.channels_last import channels_last, is_channels_last, row_major
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.mixed_types import in_common, in_own, mixed
from backscope.ops.core.namespace import argument_error, export
from backscope.runtime.given import Dtype, Value, Values
from backscope.runtime.warning import warn_once
from backscope.tensor.tensor import Tensor


@op(
    symbol="cat",
    latex={"tensors": r"g[\ldots]"},
    summary={"tensors": "cuts the incoming gradient into the parts that were joined along dim {dim}"},
)
class cat:
    """Tensors joined along an existing dim."""

    def forward(tensors: list[A], dim: int, dtype: Dtype = None) -> A:  # type: ignore[misc]
        parts = in_common([x for x in tensors if x.shape != (0,)] or tensors[:1], dtype)
        joined = np.concatenate(parts, axis=dim)
        return channels_last(joined) if all(map(is_channels_last, parts)) else row_major(joined)

    def grad(g: V, tensors_shape: V, tensors_dtype: V, dim: V) -> V:
        parts, at = [], 0
        for shape, kind in zip(tensors_shape, tensors_dtype, strict=True):
            if shape == (0,):
                parts.append(in_own(xp.zeros_of(g, (0,)), kind))
                continue
            parts.append(in_own(xp.narrow(g, dim, at, shape[dim]), kind))
            at += shape[dim]
        return parts


@op(
    symbol="stack",
    latex={"tensors": r"g[\ldots]"},
    summary={"tensors": "cuts the incoming gradient into the parts that were stacked along dim {dim}"},
)
class stack:
    """Tensors of one shape joined along a new dim."""

    def forward(tensors: list[A], dim: int, dtype: Dtype = None) -> A:  # type: ignore[misc]
        return row_major(np.stack(in_common(tensors, dtype), axis=dim))

    def grad(g: V, tensors_dtype: V, dim: V) -> V:
        return [in_own(xp.select(g, dim, i), kind) for i, kind in enumerate(tensors_dtype)]


@export("cat", "concat", "concatenate", method=False)
def _cat(tensors: Values, dim: int = 0, *, axis: int | None = None, out: Value = None) -> Any:
    """Tensors joined along `dim`, in their common dtype; RuntimeError for sizes that don't match elsewhere."""
    if isinstance(tensors, Tensor):
        raise argument_error("cat", "tensors", 1, tensors, "tuple of Tensors")
    found = list(tensors)
    if not found:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for i, x in enumerate(found):
        if not x._data.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    skipped = all(x._data.shape == (0,) for x in found)  # PyTorch does not check the dim then.
    d = 0 if skipped else wrap_dim(dim if axis is None else axis, max(x._data.ndim for x in found))
    first: Any = None
    for i, x in enumerate(found):
        shape = x._data.shape
        if shape == (0,):
            continue
        if first is None:
            first = shape
        if len(shape) != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
        for a, b, where in zip(first, shape, range(len(first)), strict=True):
            if a != b and where != d:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {d}. Expected size {a} but got size {b} for "
                    f"tensor number {i} in the list."
                )
    return apply(primitives["cat"], found, d, mixed(found))


@export("stack", method=False)
def _stack(tensors: Values, dim: int = 0, *, out: Value = None) -> Any:
    """Tensors of one shape joined along a new dim."""
    if isinstance(tensors, Tensor):
        raise argument_error("stack", "tensors", 1, tensors, "tuple of Tensors")
    found = list(tensors)
    if not found:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = found[0]._data.shape
    for i, x in enumerate(found):
        if x._data.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(x._data.shape)} at entry {i}"
            )
    return apply(primitives["stack"], found, wrap_dim(dim, len(first) + 1), mixed(found))


xp.stack = lambda values, dim: _stack(values, dim) if isinstance(values[0], Tensor) else np.stack(values, dim)


def _stacked(name: str, dim: int, rank: int) -> None:
    def join(tensors: Values) -> Any:
        if not tensors:
            raise RuntimeError(f"{name} expects a non-empty TensorList")
        lifted = [_at_least(x, rank) for x in tensors]
        return _cat(lifted, 0 if name == "hstack" and lifted[0]._data.ndim == 1 else dim)

    join.__doc__ = f"Tensors of at least {rank} dims joined along dim {dim}."
    export(name, method=False)(join)


def _at_least(x: Tensor, rank: int) -> Any:
    shape = x._data.shape
    if len(shape) >= rank:
        return x
    if rank == 3:
        if not shape:
            return x.reshape(1, 1, 1)  # type: ignore[attr-defined]
        return x.unsqueeze(0).unsqueeze(-1) if len(shape) == 1 else x.unsqueeze(-1)  # type: ignore[attr-defined]
    return x.unsqueeze(0) if shape else x.reshape((1,) * rank)  # type: ignore[attr-defined]


_stacked("hstack", 1, 1)
_stacked("vstack", 0, 2)
_stacked("dstack", 2, 3)


def _lifted(rank: int) -> None:
    def lift(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return _at_least(tensors[0], rank)
        given = tensors[0] if len(tensors) == 1 else tensors
        return tuple([_at_least(x, rank) for x in given])

    lift.__doc__ = f"Tensors with at least {rank} dims."
    export(f"atleast_{rank}d", method=False)(lift)


for _rank in (1, 2, 3):
    _lifted(_rank)


@export(method=False)
def meshgrid(*tensors: Value, indexing: str | None = None) -> tuple[Any, ...]:
    """Coordinates of a grid: each tensor expanded over the dims of the others."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    if not given:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for i, x in enumerate(given):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {x.__class__.__name__}")
    if mixed(list(given)) is not None:
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    for x in given:
        if x._data.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {x!r}")
    if indexing is None:
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    elif indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if indexing == "xy" and len(given) > 1:
        first, second, *rest = given
        swapped = meshgrid(second, first, *rest, indexing="ij")
        return swapped[1], swapped[0], *swapped[2:]
    shape = [math.prod(x._data.shape) for x in given]
    return tuple([x.view([n if j == i else 1 for j, n in enumerate(shape)]).expand(shape) for i, x in enumerate(given)])
