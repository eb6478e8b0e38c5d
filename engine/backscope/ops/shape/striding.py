"""Views by strides: as_strided, its gradient, and the checks of strides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import Dims
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.namespace import export
from backscope.runtime.given import Option, Shape
from backscope.tensor.strides import element_strides, offset_in_storage, strided, strides_without_gaps
from backscope.tensor.tensor import Tensor, of_raw

Geometry = tuple[Dims, Dims, int]
"""Shape, strides and offset of a tensor in its memory, in elements."""


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
        start = self_offset if storage_offset is None else storage_offset
        return restrided(g, (size, stride, start), (self_shape, self_strides, self_offset))


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

    def grad(
        g: V, self_shape: V, self_strides: V, size: V, stride: V, storage_offset: V, needs: Option
    ) -> tuple[V, ...]:
        read = xp.as_strided(xp.contiguous(g), size, stride, storage_offset)
        for_self = None
        if needs[0]:
            offset = storage_offset or 0
            for_self = restrided(read, (size, stride, offset), (self_shape, strides_without_gaps(self_shape), 0))
        return for_self, read if needs[1] else None


def restrided(g: V, view: Geometry, whole: Geometry) -> V:
    """The gradient of `whole` from `g`, that of a view of its memory by strides: a view of new memory, as `whole` is.

    A place that the view reads several times gets the sum.  A place that `whole` reads several times has its sum
    divided by how often, since each of these elements gets all of it.  This works on raw values and on Tensors.
    """
    if 0 in view[0] or 0 in whole[0]:
        return xp.zeros_of(g, tuple(whole[0]))
    first = min(view[2], whole[2])
    size: list[int] = []
    stride: list[int] = []
    for d in range(len(view[0]) - 1, -1, -1):
        if view[0][d] == 1:
            g = xp.squeeze_dim(g, d)
        elif view[1][d] == 0:
            g = xp.sum(g, (d,), False)
        else:
            size.insert(0, view[0][d])
            stride.insert(0, view[1][d])
    start, own_start = view[2] - first, whole[2] - first
    count = max(start + _reach(size, stride), own_start + _reach(*whole[:2]))
    recorded = isinstance(g, Tensor)
    memory: Any = g.new_zeros((count,)) if recorded else np.zeros(count, g.dtype)
    places = np.arange(count)
    if _may_overlap(size, stride):
        read = np.array(strided(places, size, stride, start)).reshape(-1)
        if recorded:
            memory.index_add_(0, of_raw(read), g.reshape(-1))
        else:
            np.add.at(memory, read, g.reshape(-1))
    elif recorded:
        memory.as_strided(size, stride, start).copy_(g)
    else:
        strided(memory, size, stride, start)[...] = g
    if _may_overlap(*whole[:2]):
        kind = g._dtype.np if recorded else g.dtype
        times = np.zeros(count, kind)
        np.add.at(times, strided(places, whole[0], whole[1], own_start), np.ones((), kind))
        if recorded:
            memory.div_(of_raw(times))
        else:
            with np.errstate(all="ignore"):  # No view reads a place with a count of 0.
                memory /= times
    if recorded:
        return memory.as_strided(whole[0], whole[1], own_start)
    return strided(memory, whole[0], whole[1], own_start)


def _may_overlap(shape: Shape, strides: Shape) -> bool:
    """Return True where elements may share memory, by PyTorch's test of strides from the smallest to the largest."""
    last = 0
    for step, n in sorted([(s, n) for n, s in zip(shape, strides, strict=True) if n != 1]):
        if step <= last:
            return True
        last += step * (n - 1)
    return False


def _reach(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Return the number of elements of memory from the first to the last element of a tensor, both included."""
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) if math.prod(shape) else 0


def check_strides(tensor: Tensor, size: Shape, stride: Shape, offset: int | None) -> None:
    """Raise RuntimeError for a view by strides that would leave the memory, or that can't be."""
    from backscope.tensor.storage import check_bounds, flat_memory

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
    size: Shape,
    stride: Shape,
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
    size: Shape,
    stride: Shape,
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
