"""fractional_max_pool: max pooling with windows at random places."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, K, V, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export
from backscope.ops.layers.pooling.max_windows import largest_at, placed
from backscope.ops.layers.pooling.pool_declaration import declare_largest
from backscope.ops.layers.pooling.pool_geometry import Lengths
from backscope.random import default_generator
from backscope.runtime.given import Option, Shape, Value
from backscope.tensor.tensor import Tensor, make


def _starts(sample: Value, length: int, count: int, kernel: int) -> Any:
    """Return the starts of the windows of a dim, given a random number from 0 to 1."""
    starts = np.full(count, length - kernel, np.int64)
    if count > 1:
        kind = sample.dtype.type
        alpha = kind(length - kernel) / kind(count - 1)
        at = np.arange(count - 1).astype(kind)
        starts[:-1] = ((at + sample) * alpha).astype(np.int64) - int(sample * alpha)
    return starts


def _declare(dims: int) -> None:
    name = f"fractional_max_pool{dims}d"

    class fractional:
        def forward(self: A, kernel_size: Lengths, output_size: Lengths, random_samples: K) -> Any:
            planes = self.reshape(-1, self.shape[-dims - 1], *self.shape[-dims:])
            values = np.empty((*planes.shape[:2], *output_size), self.dtype)
            indices = np.empty(values.shape, np.int64)
            for n in range(planes.shape[0]):
                for c in range(planes.shape[1]):
                    samples = random_samples[n, c]
                    ordered = samples[::-1] if dims == 2 else samples
                    places = [
                        _starts(u, length, o, k)[:, None] + np.arange(k)
                        for u, length, o, k in zip(ordered, self.shape[-dims:], output_size, kernel_size, strict=True)
                    ]
                    values[n, c], indices[n, c] = largest_at(planes[n, c], places)
            shape = (*self.shape[:-dims], *output_size)
            return values.reshape(shape), indices.reshape(shape)

        def grad_self(g: V, self: V, kernel_size: V, output_size: V, result1: V) -> V:
            return getattr(xp, name + "_backward")(g, self, kernel_size, output_size, result1)

    class fractional_backward:
        def forward(grad_output: A, self: A, kernel_size: Lengths, output_size: Lengths, indices: K) -> A:
            return placed(grad_output, indices, self.shape[-dims:], dims, apart=False)

        def grad_grad_output(g: V, indices: V) -> V:
            return xp.read_at_largest(g, indices, dims)

        def grad_self(g: V, self: V) -> V:
            return xp.zeros_like(self)

    fractional.__doc__ = f"The largest elements of windows at random places in the last {dims} dims, and where."
    declare_largest(name, f"FractionalMaxPool{dims}D", fractional, fractional_backward)


for _dims in (2, 3):
    _declare(_dims)


def _each(value: Value, dims: int) -> Any:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * dims


def _publish(dims: int) -> None:
    name = f"fractional_max_pool{dims}d"

    def both(
        input: Tensor,  # noqa: A002
        kernel_size: Shape,
        output_size: Shape = None,
        output_ratio: Shape = None,
        return_indices: bool = False,
        _random_samples: Option = None,
    ) -> Any:
        return found(input, kernel_size, output_size, output_ratio, _random_samples, False)

    def found(
        input: Tensor,  # noqa: A002
        kernel_size: Shape,
        output_size: Shape,
        output_ratio: Shape,
        _random_samples: Option,
        alone: bool,
    ) -> Any:
        shape = input._data.shape
        if len(shape) <= dims:
            at = -dims - 1
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{len(shape)}, {len(shape) - 1}], but got {at})"
            )
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
        if output_size is None:
            if len(output_ratio) > dims:
                raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
            output_size = [int(n * r) for n, r in zip(shape[-dims:], _each(output_ratio, dims), strict=True)]
        if _random_samples is None:
            batch = 1 if len(shape) == dims + 1 else shape[0]
            drawn = default_generator.rand((batch, shape[-dims - 1], dims), input._dtype.np)
            _random_samples = make(drawn, input._dtype)
        kernel, size = _each(kernel_size, dims), _each(output_size, dims)
        _check(name, shape, kernel, size)
        return apply(primitives[name].giving(1) if alone else primitives[name], input, kernel, size, _random_samples)

    def pooled(
        input: Tensor,  # noqa: A002
        kernel_size: Shape,
        output_size: Shape = None,
        output_ratio: Shape = None,
        return_indices: bool = False,
        _random_samples: Option = None,
    ) -> Any:
        both_or_one = found(input, kernel_size, output_size, output_ratio, _random_samples, not return_indices)
        return both_or_one if return_indices else both_or_one[0]

    pooled.__name__ = pooled.__qualname__ = name
    pooled.__doc__ = f"Max pooling of the last {dims} dims with windows at random places."
    both.__name__ = both.__qualname__ = name + "_with_indices"
    both.__doc__ = pooled.__doc__
    export(name, function=False, method=False, nn=True)(pooled)
    export(name + "_with_indices", function=False, method=False, nn=True)(both)


def _check(name: str, shape: Lengths, kernel: Lengths, size: Lengths) -> None:
    dims = len(kernel)
    if len(shape) not in (dims + 1, dims + 2):
        raise RuntimeError(f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got: {list(shape)}")
    for axis, n, k, o in zip(("time", "height", "width")[-dims:], shape[-dims:], kernel, size, strict=True):
        if o + k - 1 > n - (dims == 3):
            function = name if dims == 2 else name + "_out"
            raise RuntimeError(f"{function}(): pool {axis} {k} too large relative to input {axis} {n}")


for _dims in (2, 3):
    _publish(_dims)
