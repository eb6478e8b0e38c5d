"""Views by strides: as_strided, its gradient, and what strides are allowed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.autograd.geometry import element_strides, layout, offset_in_storage, strided
from backscope.ops.declaration import A, V, op, primitives, xp
from backscope.ops.dims import Dims
from backscope.ops.dispatch import apply, to_array
from backscope.ops.namespace import export
from backscope.tensor import Tensor, of_raw


@op(
    view=True,
    symbol="as strided",
    latex={"self": r"\text{scatter}(g)"},
    summary={"self": "adds the incoming gradient at the places it was taken from"},
)
class as_strided:
    """Any view of the memory, by shape, strides and offset in elements."""

    def forward(self: A, size: Dims, stride: Dims, storage_offset: int | None) -> A:
        array = to_array(self)
        return strided(array, size, stride, 0 if storage_offset is None else storage_offset - offset_in_storage(array))

    def grad_self(g: V, self_shape: V, self_strides: V, self_offset: V, size: V, stride: V, storage_offset: V) -> V:
        offset = 0 if storage_offset is None else storage_offset - self_offset
        return xp.as_strided_scatter_add(g, self_shape, self_strides, size, stride, offset)


@op(
    grad_fn="AsStridedBackward0",
    symbol="scatter",
    latex={"self": r"\text{as\_strided}(g)"},
    summary={"self": "reads the incoming gradient where the values went"},
)
class as_strided_scatter_add:
    """Zeros of `shape` with self added where as_strided reads a tensor of that shape and of `strides`."""

    def forward(self: A, shape: Dims, strides: Dims, size: Dims, stride: Dims, storage_offset: int | None) -> A:
        count = math.prod(shape)
        flat = np.zeros(count + 1, self.dtype)
        np.add.at(flat, _read_elements(shape, strides, size, stride, storage_offset), self)
        return flat[:count].reshape(shape)

    def grad_self(g: V, shape: V, strides: V, size: V, stride: V, storage_offset: V) -> V:
        places = _read_elements(shape, strides, size, stride, storage_offset)
        count = math.prod(shape)
        if not places.size or places.max() == count or (storage_offset or 0) < 0:
            padded = xp.cat([xp.reshape(g, (count,)), xp.zeros_of(g, (1,))], 0)
            return xp.index(padded, (of_raw(places.copy()) if isinstance(g, Tensor) else places,))
        laid_out = xp.copy_in_layout(None, g, layout(shape, strides))
        return xp.clone(xp.as_strided(laid_out, size, stride, storage_offset), None)


@op(
    symbol="as strided ←",
    latex={"self": r"g\ \text{where src was written}", "src": r"\text{as\_strided}(g)"},
    summary={
        "self": "passes the incoming gradient on where src was written, as PyTorch does",
        "src": "reads the incoming gradient where it was written",
    },
)
class as_strided_scatter:
    """self with src written where as_strided would read."""

    def forward(self: A, src: A, size: Dims, stride: Dims, storage_offset: int | None) -> A:
        array = to_array(self)
        offset = 0 if storage_offset is None else storage_offset
        reach = _reach(array.shape, element_strides(array))
        memory = np.zeros(max(reach, offset + _reach(size, stride)), array.dtype)
        out = strided(memory, array.shape, element_strides(array), 0)
        out[...] = array
        strided(memory, size, stride, offset)[...] = src
        return out[()]

    def grad(g: V, self_shape: V, self_strides: V, size: V, stride: V, storage_offset: V, needs: Any) -> Any:
        read = xp.clone(xp.as_strided(xp.contiguous(g), size, stride, storage_offset), None)
        for_self = None
        if needs[0]:
            for_self = xp.as_strided_scatter_add(read, self_shape, self_strides, size, stride, storage_offset or 0)
        return for_self, read if needs[1] else None


def _read_elements(shape: Dims, strides: Dims, size: Dims, stride: Dims, offset: int | None) -> Any:
    """Which elements, in row-major order, of a tensor of `shape` and `strides` a view of its memory has.

    One past the last stands for memory that the tensor does not have.
    """
    count, first = math.prod(shape), offset or 0
    start = min(0, first)
    end = max(_reach(shape, strides), first + _reach(size, stride))
    places = np.full(end - start, count, np.intp)
    strided(places, shape, strides, -start)[...] = np.arange(count).reshape(shape)
    return strided(places, size, stride, first - start)


def _reach(shape: Dims, strides: Dims) -> int:
    """How many elements of memory lie between the first and the last element of a tensor, both included."""
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) if math.prod(shape) else 0


def check_strides(tensor: Tensor, size: Any, stride: Any, offset: int | None) -> None:
    """RuntimeError for a view by strides that would leave the memory, or that can't be."""
    from backscope.ops.memory import check_bounds
    from backscope.storage import flat_memory

    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if offset is not None and offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    array = tensor._array()
    start = offset_in_storage(array) if offset is None else offset
    check_bounds(flat_memory(array), size, stride, start, array.itemsize)


@export("as_strided")
def _as_strided(
    input: Tensor,  # noqa: A002
    size: Any,
    stride: Any,
    storage_offset: int | None = None,
    *,
    copied: str = "",
) -> Any:
    """A view by shape, strides and offset in elements."""
    check_strides(input, size, stride, storage_offset)
    return apply(primitives["as_strided" + copied], input, tuple(size), tuple(stride), storage_offset)


@export("as_strided_scatter")
def _as_strided_scatter(
    input: Tensor,  # noqa: A002
    src: Tensor,
    size: Any,
    stride: Any,
    storage_offset: int | None = None,
) -> Any:
    """A copy with src written where as_strided would read."""
    shape, strides = tuple(size), tuple(stride)
    check_strides(input, shape, strides, storage_offset)
    if src._data.shape != shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src._data.shape)}, slice size = "
            f"{list(shape)}"
        )
    return apply(primitives["as_strided_scatter"], input, src, shape, strides, storage_offset)
