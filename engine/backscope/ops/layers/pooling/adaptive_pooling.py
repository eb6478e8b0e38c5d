"""adaptive_avg_pool and adaptive_max_pool: images pooled to a given size, with windows as equal as that allows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.axis_map import AxisMap
from backscope.ops.core.cache import recalled
from backscope.ops.core.channels_last import following
from backscope.ops.core.declaration import A, K, V, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import argument_error, export
from backscope.ops.core.stepwise_sums import added_in_order, grid_places, in_rows
from backscope.ops.layers.pooling.max_windows import largest_at, placed
from backscope.ops.layers.pooling.pool_declaration import declare_average, declare_largest
from backscope.ops.layers.pooling.pool_geometry import Lengths, check_kind, check_line
from backscope.runtime.given import Shape, Value
from backscope.tensor.tensor import Tensor


def _bounds(length: int, count: int) -> tuple[Any, Any]:
    """Return the start and end of each of `count` windows of a dim."""
    at = np.arange(count)
    return at * length // count, -((-(at + 1) * length) // count)


@recalled
def averaging(length: int, count: int) -> AxisMap:
    """The map from a dim to the means of `count` windows."""
    starts, ends = _bounds(length, count)
    sizes = ends - starts
    rows = np.repeat(np.arange(count), sizes)
    columns = np.concatenate([np.arange(s, e) for s, e in zip(starts, ends, strict=True)] or [np.zeros(0, np.int64)])
    return AxisMap(rows, columns, np.repeat(1 / np.maximum(sizes, 1), sizes), (count, length))


@recalled
def _places(length: int, count: int) -> Any:
    """The indices of each window along a dim, the first one repeated in front of shorter windows."""
    starts, ends = _bounds(length, count)
    longest = int((ends - starts).max(initial=1))
    at = ends[:, None] - longest + np.arange(longest)
    return np.maximum(at, starts[:, None])


def _windows(image: Lengths, out: Lengths) -> tuple[Any, Any, list[Any]]:
    """Return the pairs of outputs and inputs in windows, as flat positions, and the windows' lengths along each dim."""
    maps = [averaging(n, o) for n, o in zip(image, out, strict=True)]
    sizes = [np.diff(_bounds(n, o), axis=0)[0] for n, o in zip(image, out, strict=True)]
    outs, ins = grid_places(out, [m.rows for m in maps]), grid_places(image, [m.columns for m in maps])
    return outs, ins, sizes


def _shared(value: A, sizes: list[Any]) -> A:
    """A value divided by the lengths of its windows, one dim after the other."""
    for d, size in enumerate(sizes):
        value = value / size.astype(value.dtype).reshape([-1 if i == d else 1 for i in range(len(sizes))])
    return value


def _stepwise(value: A, out: Lengths) -> A:
    """Compute the means of windows of low precision values, rounding each step."""
    lead, image = value.shape[: -len(out)], value.shape[-len(out) :]
    outs, ins, sizes = _windows(image, out)
    sums = added_in_order(math.prod(out), outs, in_rows(value, len(out))[..., ins])
    return _shared(sums.reshape(*lead, *out), sizes)


def _stepwise_back(g: A, shape: Lengths, dims: int) -> A:
    image = tuple(shape)[-dims:]
    outs, ins, sizes = _windows(image, g.shape[-dims:])
    values = in_rows(_shared(g, sizes), dims)[..., outs]
    return added_in_order(math.prod(image), ins, values).reshape(shape)


def _declare(dims: int) -> None:
    mean, largest = f"adaptive_avg_pool{dims}d", f"adaptive_max_pool{dims}d"

    class avg_pool:
        def forward(self: A, output_size: Lengths) -> A:
            if dims == 3 and wide(self) is not self:
                return following(_stepwise(self, output_size), self)
            out = wide(self)
            for d in range(dims):
                out = averaging(self.shape[d - dims], output_size[d]).apply(out, d - dims)
            return following(out.astype(self.dtype, copy=False), self)

        def grad_self(g: V, self: V) -> V:
            return getattr(xp, mean + "_backward")(g, self)

    class avg_pool_backward:
        def forward(grad_output: A, self: A) -> A:
            if wide(self) is not self:
                return following(_stepwise_back(grad_output, self.shape, dims), self)
            out = grad_output
            for d in range(dims):
                found = averaging(self.shape[d - dims], grad_output.shape[d - dims])
                out = found.transposed.apply(out, d - dims)
            return following(out, self)

        def grad_grad_output(g: V, grad_output_shape: V) -> V:
            return getattr(xp, mean)(g, tuple(grad_output_shape)[-dims:])

        def grad_self(g: V, self: V) -> V:
            return xp.zeros_like(self)

    class max_pool:
        def forward(self: A, output_size: Lengths) -> Any:
            if 0 in self.shape or 0 in output_size:
                shape = (*self.shape[:-dims], *output_size)
                return np.zeros(shape, self.dtype), np.zeros(shape, np.int64)
            places = [_places(n, o) for n, o in zip(self.shape[-dims:], output_size, strict=True)]
            values, indices = largest_at(self, places)
            return following(values, self), following(indices, self)

        def grad_self(g: V, self: V, result1: V) -> V:
            return getattr(xp, largest + "_backward")(g, self, result1)

    class max_pool_backward:
        def forward(grad_output: A, self: A, indices: K) -> A:
            return following(placed(grad_output, indices, self.shape[-dims:], dims, apart=False), self)

        def grad_grad_output(g: V, indices: V) -> V:
            return xp.read_at_largest(g, indices, dims)

        def grad_self(g: V, self: V) -> V:
            return xp.zeros_like(self)

    avg_pool.__doc__ = f"The means of windows of the last {dims} dims, for a given output size."
    max_pool.__doc__ = (
        f"The largest elements of windows of the last {dims} dims, and their indices, for an output size."
    )
    declare_average(mean, f"AdaptiveAvgPool{dims}D", avg_pool, avg_pool_backward)
    declare_largest(largest, f"AdaptiveMaxPool{dims}D", max_pool, max_pool_backward)


for _dims in (2, 3):
    _declare(_dims)


def _wanted(name: str, dims: int, output_size: Shape, shape: Lengths) -> Lengths:
    """Return the output lengths, None and missing ones taken from the input; raises PyTorch's errors."""
    if output_size is None:
        raise TypeError("object of type 'NoneType' has no len()")
    if isinstance(output_size, (tuple, list)):
        if len(shape) <= len(output_size):
            raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
        if len(output_size) != dims:
            internal = "(): internal error: output_size.size()" if "max" in name else ": output_size"
            raise RuntimeError(f"{name}{internal} must be {dims}")
        own = shape[-dims:]
        size = tuple([own[i] if v is None else int(v) for i, v in enumerate(output_size)])
    else:
        size = (int(output_size),) * dims
    if len(shape) not in (dims + 1, dims + 2):
        colon = ":" if "max" in name else ""
        raise RuntimeError(f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got{colon} {list(shape)}")
    return size


def _check(name: str, shape: Lengths, size: Lengths, kernel: str, input: Tensor) -> None:  # noqa: A002
    dims = len(size)
    largest = "max" in name
    first = len(shape) - dims - (1 if largest or dims == 3 else 0)
    for d in range(first, len(shape)):
        if shape[d] == 0:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(shape)} with dimension {d} being empty"
            )
    if min(size) < 0:
        if largest:
            made = [*shape[: len(shape) - dims], *size]
            raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {made}")
        listed = f"{size[0]}, {size[1]}" if dims == 2 else f"{size[0]}, {size[1]},{size[2]}"
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{listed}}}"
        )
    check_kind(kernel, input._dtype, integers=False)


def _mean(name: str, input: Value, size: Lengths) -> Any:  # noqa: A002
    dims = len(size)
    shape = input._data.shape
    if min(size) < 0:
        _check(name, shape, size, "", input)
    if set(size) == {1}:
        return input.mean((-1, -2, -3)[:dims], keepdim=True)
    _check(name, shape, size, name if dims == 2 else "adaptive_avg_pool3d_cpu", input)
    return apply(primitives[name], input, size)


def _largest(name: str, input: Value, size: Lengths, alone: bool) -> Any:  # noqa: A002
    dims = len(size)
    _check(name, input._data.shape, size, name if dims == 2 else "adaptive_max_pool3d_cpu", input)
    return apply(primitives[name].giving(1) if alone else primitives[name], input, size)


def _publish(dims: int) -> None:
    mean, largest = f"adaptive_avg_pool{dims}d", f"adaptive_max_pool{dims}d"

    def averaged(input: Tensor, output_size: Shape) -> Any:  # noqa: A002
        if not isinstance(input, Tensor):
            raise argument_error(mean, "input", 1, input)
        if dims > 1:
            return _mean(mean, input, _wanted(mean, dims, output_size, input._data.shape))
        rows, size = _line(mean, input, output_size)
        return _mean("adaptive_avg_pool2d", rows, size).squeeze(-2)

    def both(input: Tensor, output_size: Shape, return_indices: bool = False) -> Any:  # noqa: A002
        return found(input, output_size, False)

    def found(input: Tensor, output_size: Shape, alone: bool) -> Any:  # noqa: A002
        if not isinstance(input, Tensor):
            raise argument_error(largest, "input", 1, input)
        if dims > 1:
            return _largest(largest, input, _wanted(largest, dims, output_size, input._data.shape), alone)
        rows, size = _line(largest, input, output_size)
        shape = input._data.shape
        for d in (-2, -1):
            if shape[d] == 0:
                raise RuntimeError(
                    "adaptive_max_pool1d(): Expected input to have non-zero size for non-batch dimensions, but input "
                    f"has sizes {list(shape)} with dimension {d % len(shape)} being empty"
                )
        values, indices = _largest("adaptive_max_pool2d", rows, size, alone)
        return values.squeeze(-2), None if alone else indices.squeeze(-2)

    def pooled(input: Tensor, output_size: Shape, return_indices: bool = False) -> Any:  # noqa: A002
        return both(input, output_size) if return_indices else found(input, output_size, True)[0]

    averaged.__name__ = averaged.__qualname__ = mean
    averaged.__doc__ = f"The means of windows of the last {dims} dims, for a given output size."
    pooled.__name__ = pooled.__qualname__ = largest
    pooled.__doc__ = f"The largest elements of windows of the last {dims} dims, for a given output size."
    both.__name__ = both.__qualname__ = largest + "_with_indices"
    both.__doc__ = pooled.__doc__
    export(mean, function=dims == 1, method=False, nn=True)(averaged)
    export(largest, function=False, method=False, nn=True)(pooled)
    export(largest + "_with_indices", function=False, method=False, nn=True)(both)
    if dims == 1:
        export(largest, method=False)(both)


def _line(name: str, input: Value, output_size: Shape) -> tuple[Any, Lengths]:  # noqa: A002
    if output_size is None:
        raise TypeError(f"{name}(): argument 'output_size' (position 2) must be tuple of ints, not NoneType")
    check_line(name, input._data.ndim)
    size = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size,)
    if len(size) != 1:
        raise RuntimeError(f"{name}() argument 'output_size' should contain one int (got {len(size)})")
    return input.unsqueeze(-2), (1, int(size[0]))


for _dims in (1, 2, 3):
    _publish(_dims)
