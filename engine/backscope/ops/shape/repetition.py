"""Entries repeated: repeat, tile, repeat_interleave."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import Dims, sizes, wrap_dim
from backscope.ops.core.arguments.signatures import check
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, torch_functions
from backscope.ops.create.shapes import check_shape
from backscope.runtime.given import Dim, Shape, Value, Values
from backscope.tensor.dtype import int32, int64
from backscope.tensor.tensor import Tensor, of_raw


@op(
    symbol="repeat",
    latex={"self": r"\textstyle\sum g"},
    summary={"self": "sums the incoming gradient over the copies"},
)
class repeat:
    """Copies along each dim."""

    def forward(self: A, repeats: Dims) -> A:
        return row_major(np.tile(self, repeats)) if repeats else np.array(self)

    def grad_self(g: V, self_shape: V, repeats: V) -> V:
        if 0 in repeats:
            return xp.zeros_of(g, self_shape)
        padded = (1,) * (len(repeats) - len(self_shape)) + tuple(self_shape)
        parts = tuple([n for pair in zip(repeats, padded, strict=True) for n in pair])
        if not parts:
            return g
        summed = xp.sum(xp.reshape(g, parts), tuple(range(0, len(parts), 2)), False)
        return xp.reshape(summed, self_shape)


def _places(repeats: Tensor, wanted: int | None) -> Any:
    """Return each position as often as `repeats` has for it; `wanted` is the length of the result."""
    if repeats._data.size and repeats._data.min() < 0:
        raise RuntimeError("repeats can not be negative")
    if wanted is not None and wanted != repeats._data.sum():
        raise RuntimeError("allocated size does not match required size")
    return of_raw(np.repeat(np.arange(repeats._data.size, dtype=repeats._dtype.np), repeats._data))


@export("repeat", function=False)
def _repeat(self: Tensor, *args: Any, repeats: Values = None) -> Any:
    """Copies along each dim; RuntimeError for fewer numbers than dims."""
    times = sizes(args if repeats is None else (repeats,))
    if len(times) < self._data.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    shape = (1,) * (len(times) - self._data.ndim) + self._data.shape
    check_shape(tuple([t * n for t, n in zip(times, shape, strict=True)]))
    return apply(primitives["repeat"], self, times)


@export()
def tile(input: Tensor, *args: Dim, dims: Dim = None) -> Value:  # noqa: A002
    """Copies along each dim, ones filled in at the front."""
    if not args and dims is None:
        check("torch", "tile", (input,), {})
    times = sizes(args if dims is None else (dims,))
    return _repeat(input, (1,) * (input._data.ndim - len(times)) + times)


@export()
def repeat_interleave(
    input: Value = None,  # noqa: A002
    repeats: Values = None,
    dim: int | None = None,
    *,
    output_size: Shape = None,
) -> Value:
    """Repeat each entry of a dim, the same number of times or as often as `repeats` has for it.

    Given `repeats` alone, the positions are repeated.
    """
    if input is None or repeats is None:
        repeats = input if repeats is None else repeats
        if repeats._data.ndim != 1:
            raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
        if repeats._dtype not in (int32, int64):
            raise NotImplementedError(f"\"repeat_interleave_cpu\" not implemented for '{repeats._dtype.type_name}'")
        return _places(repeats, output_size)
    flat: Any = input.reshape(-1) if dim is None else input
    d = wrap_dim(dim or 0, flat._data.ndim)
    shape = flat._data.shape
    if isinstance(repeats, Tensor):
        if repeats._data.ndim > 1:
            raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
        if repeats._data.size == 1:
            repeats = repeats.reshape(1).expand(shape[d])  # type: ignore[attr-defined]
        elif repeats._data.size != shape[d]:
            raise RuntimeError(
                "repeats must have the same size as input along dim, but got repeats.size(0) = "
                f"{repeats._data.size} and input.size({d}) = {shape[d]}"
            )
        return flat.index_select(d, _places(repeats, output_size))
    times = repeats
    if times < 0:
        raise RuntimeError("Repeats must be non-negative")
    wider = flat.unsqueeze(d + 1).expand(*shape[: d + 1], times, *shape[d + 1 :])
    copied = apply(primitives["clone"], wider, torch_functions["contiguous_format"])
    return copied.view(*shape[:d], shape[d] * times, *shape[d + 1 :])
