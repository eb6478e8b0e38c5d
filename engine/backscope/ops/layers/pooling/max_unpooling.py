"""max_unpool: puts elements back where they were largest, with zeros elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.transforms.absent import Absent
from backscope.ops.core.channels_last import following
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export
from backscope.ops.layers.pooling.max_windows import placed
from backscope.ops.layers.pooling.pool_geometry import Lengths
from backscope.runtime.given import Shape, Value
from backscope.tensor.tensor import Tensor


def _declare(dims: int) -> None:
    class max_unpool:
        def forward(self: A, indices: K, output_size: Lengths) -> A:
            try:
                return following(placed(self, indices, output_size, dims, apart=True), self)
            except IndexError:
                raise invalid_index(indices.max(), output_size) from None

        def grad_self(g: V, indices: V) -> V:
            return xp.read_at_largest(g, indices, dims)

    max_unpool.__doc__ = f"Zeros of another size with self at its indices in the flat image of {dims} dims."
    op(
        name=f"max_unpool{dims}d",
        grad_fn=f"MaxUnpool{dims}DBackward0",
        symbol="unpool",
        latex={"self": r"g[\text{indices}]"},
        summary={"self": "reads the incoming gradient at the places the elements were put"},
    )(max_unpool)


for _dims in (2, 3):
    _declare(_dims)


def _unpooled_lengths(image: Lengths, kernel: Lengths, stride: Lengths, padding: Lengths, wanted: Shape) -> Lengths:
    """Return the lengths before pooling; ValueError for `wanted` lengths that `image` can't come from."""
    usual = tuple([(n - 1) * s + k - 2 * p for n, k, s, p in zip(image, kernel, stride, padding, strict=True)])
    if wanted is None:
        return usual
    dims = len(kernel)
    given = tuple(wanted)
    if len(given) == dims + 2:
        given = given[2:]
    if len(given) != dims:
        raise ValueError(
            f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of "
            f"'{len(given)}'"
        )
    for d in range(dims):
        low, high = usual[d] - stride[d], usual[d] + stride[d]
        if not low < given[d] < high:
            shown = wanted if len(wanted) == dims else wanted[2:]
            raise ValueError(f'invalid output_size "{shown}" (dim {d} must be between {low} and {high})')
    return given


def _check_unpool(input: Value, indices: Tensor, size: Lengths, dims: int) -> None:  # noqa: A002
    if indices._dtype.name != "int64":
        but = f" but got: {indices._dtype.type_name}" if dims == 2 else ""
        raise RuntimeError("elements in indices should be type int64" + but)
    if input._data.ndim not in (dims + 1, dims + 2):
        either = f"{dims + 1}d or {dims + 2}d" if dims == 2 else "4d or 5d"
        raise RuntimeError(
            f"Input to max_unpooling{dims}d should be a {either} Tensor, but got a tensor with {input._data.ndim} "
            "dimensions."
        )
    if input._data.shape != indices._data.shape:
        raise RuntimeError(
            "Expected shape of indices to be same as that of the input tensor "
            f"({list(input._data.shape)}) but got indices tensor with shape: {list(indices._data.shape)}"
        )
    if isinstance(indices._data, Absent):
        return
    wrong = (indices._data < 0) | (indices._data >= int(np.prod(size)))
    if wrong.any():
        raise invalid_index(indices._data[wrong].ravel()[-1], size)


def invalid_index(index: Value, size: Lengths) -> RuntimeError:
    """Return the error for an index out of the range of the unpooled image."""
    return RuntimeError(f"Found an invalid max index: {index} (output volumes are of size {'x'.join(map(str, size))})")


def _publish_unpool(dims: int) -> None:
    name = f"max_unpool{dims}d"

    def unpooled(
        input: Tensor,  # noqa: A002
        indices: Tensor,
        kernel_size: Shape,
        stride: Shape = None,
        padding: Shape = 0,
        output_size: Shape = None,
    ) -> Any:
        kernel, pads = (tuple(v) if isinstance(v, (tuple, list)) else (v,) * dims for v in (kernel_size, padding))
        steps = kernel if stride is None else tuple(stride) if isinstance(stride, (tuple, list)) else (stride,) * dims
        shape = input._data.shape
        if len(shape) < dims:
            raise IndexError("tuple index out of range")
        size = _unpooled_lengths(shape[-dims:], kernel, steps, pads, output_size)
        given, at = (input, indices) if dims > 1 else (input.unsqueeze(-1), indices.unsqueeze(-1))  # type: ignore[attr-defined]
        sizes = size if dims > 1 else (*size, 1)
        _check_unpool(given, at, sizes, max(dims, 2))
        out = apply(primitives[f"max_unpool{max(dims, 2)}d"], given, at, sizes)
        return out if dims > 1 else out.squeeze(-1)

    unpooled.__name__ = unpooled.__qualname__ = name
    unpooled.__doc__ = "The inverse of max pooling: elements back at their indices, zeros elsewhere."
    export(name, function=False, method=False, nn=True)(unpooled)


for _dims in (1, 2, 3):
    _publish_unpool(_dims)
