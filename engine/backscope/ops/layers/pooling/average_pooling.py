"""avg_pool and lp_pool: the mean, or a power mean, of each window of an image."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.channels_last import following
from backscope.ops.core.declaration import A, V, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import argument_error, export, torch_functions
from backscope.ops.core.stepwise_sums import added_in_order, grid_places, in_rows
from backscope.ops.layers.pooling.max_pooling import max_pool, max_pool_line
from backscope.ops.layers.pooling.pool_declaration import declare_average
from backscope.ops.layers.pooling.pool_geometry import (
    Lengths,
    Pool,
    check_image,
    check_kind,
    check_line,
    check_volume,
    lengths_of,
    one_length,
)
from backscope.runtime.given import Array, Shape, Value
from backscope.tensor.dtype import LOW_PRECISION, cast, dtype
from backscope.tensor.tensor import Tensor


def _key(ndim: int, axis: int, part: slice) -> tuple[Any, ...]:
    return (*(slice(None),) * (axis % ndim), part)


def _sums(value: Value, axis: int, count: int, k: int, s: int, p: int) -> Any:
    """The sums of windows along one dim, zeros outside."""
    ndim, length = value.ndim, value.shape[axis]
    behind = max((count - 1) * s + k - p - length, 0)
    if p or behind:
        shape = list(value.shape)
        shape[axis] = length + p + behind
        framed = np.zeros(shape, value.dtype)
        framed[_key(ndim, axis, slice(p, p + length))] = value
        value = framed
    out: Any = None
    for i in range(k):
        part = value[_key(ndim, axis, slice(i, i + s * (count - 1) + 1, s))]
        out = part.copy() if out is None else np.add(out, part, out=out)
    return out


def _spread(value: Value, axis: int, length: int, k: int, s: int, p: int) -> Any:
    """The transpose of _sums."""
    ndim, count = value.ndim, value.shape[axis]
    shape = list(value.shape)
    shape[axis] = max((count - 1) * s + k, p + length)
    out = np.zeros(shape, value.dtype)
    for i in range(k):
        out[_key(ndim, axis, slice(i, i + s * (count - 1) + 1, s))] += value
    return out[_key(ndim, axis, slice(p, p + length))]


def divisors(pool: Pool, image: Lengths, out: Lengths, count_include_pad: bool, override: int | None) -> Array:
    """Return the divisor of each window's sum: a number, or an array of shape `out`."""
    if override is not None:
        return override
    found: Any = 1
    for d, (n, o, k, s, p) in enumerate(zip(image, out, pool.kernel, pool.stride, pool.padding, strict=True)):
        start = np.arange(o) * s - p
        end = np.minimum(start + k, n + p)
        if not count_include_pad:
            start, end = np.maximum(start, 0), np.minimum(end, n)
        found = found * (end - start).reshape([-1 if i == d else 1 for i in range(len(out))])
    return int(found.flat[0]) if (found == found.flat[0]).all() else found


def _divided(value: Value, by: Any) -> Any:
    if value.dtype.kind in "iu":
        return np.trunc(value / by).astype(value.dtype)
    return value / (value.dtype.type(by) if isinstance(by, int) else by.astype(value.dtype))


def _stepwise_back(g: A, shape: Lengths, pool: Pool) -> A:
    """Compute the gradients of low precision values: the parts of windows are added one by one, each rounded."""
    dims = len(pool.kernel)
    image, out = tuple(shape)[-dims:], g.shape[-dims:]
    rows, columns = [], []
    for n, o, k, s, p in zip(image, out, pool.kernel, pool.stride, pool.padding, strict=True):
        at = np.arange(o)[:, None] * s - p + np.arange(k)
        inside = (at >= 0) & (at < n)
        rows.append(np.nonzero(inside)[0])
        columns.append(at[inside])
    values = in_rows(g, dims)[..., grid_places(out, rows)]
    return added_in_order(math.prod(image), grid_places(image, columns), values).reshape(shape)


def _declare(dims: int) -> None:
    name = f"avg_pool{dims}d"

    class avg_pool:
        def forward(
            self: A,
            kernel_size: Lengths,
            stride: Lengths,
            padding: Lengths,
            ceil_mode: bool,
            count_include_pad: bool,
            divisor_override: int | None,
        ) -> A:
            pool = Pool(kernel_size, stride or kernel_size, padding, (1,) * dims, ceil_mode)
            image = self.shape[-dims:]
            out = pool.lengths(image)
            total = wide(self)
            for d in range(dims):
                total = _sums(total, d - dims, out[d], kernel_size[d], pool.stride[d], padding[d])
            found = _divided(total, divisors(pool, image, out, count_include_pad, divisor_override))
            return following(cast(found, dtype.table[self.dtype]), self)

        def grad_self(
            g: V,
            self: V,
            kernel_size: V,
            stride: V,
            padding: V,
            ceil_mode: V,
            count_include_pad: V,
            divisor_override: V,
        ) -> V:
            backward = getattr(xp, name + "_backward")
            return backward(g, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    class avg_pool_backward:
        def forward(
            grad_output: A,
            self: A,
            kernel_size: Lengths,
            stride: Lengths,
            padding: Lengths,
            ceil_mode: bool,
            count_include_pad: bool,
            divisor_override: int | None,
        ) -> A:
            pool = Pool(kernel_size, stride or kernel_size, padding, (1,) * dims, ceil_mode)
            image, out = self.shape[-dims:], grad_output.shape[-dims:]
            by = divisors(pool, image, out, count_include_pad, divisor_override)
            if dims == 2 and wide(self) is not self:
                return following(_stepwise_back(_divided(grad_output, by), self.shape, pool), self)
            found = _divided(wide(grad_output), by)
            for d in range(dims):
                found = _spread(found, d - dims, image[d], kernel_size[d], pool.stride[d], padding[d])
            return following(cast(found, dtype.table[self.dtype]), self)

        def grad_grad_output(
            g: V,
            kernel_size: V,
            stride: V,
            padding: V,
            ceil_mode: V,
            count_include_pad: V,
            divisor_override: V,
        ) -> V:
            pool = getattr(xp, name)
            return pool(g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

        def grad_self(g: V, self: V) -> V:
            return xp.zeros_like(self)

    avg_pool.__doc__ = f"The mean of each window of the last {dims} dims."
    declare_average(name, f"AvgPool{dims}D", avg_pool, avg_pool_backward)


for _dims in (2, 3):
    _declare(_dims)


def _publish(dims: int) -> None:
    name = f"avg_pool{dims}d"

    def pooled(
        input: Tensor,  # noqa: A002
        kernel_size: Shape,
        stride: Shape = None,
        padding: Shape = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Any:
        if not isinstance(input, Tensor):
            raise argument_error(name, "input", 1, input)
        kernel = lengths_of(name, "kernel_size", kernel_size, dims, strict=dims == 2)
        steps = lengths_of(name, "stride", () if stride is None else stride, dims, optional=True, strict=dims == 2)
        pads = lengths_of(name, "padding", padding, dims, strict=dims == 2)
        if divisor_override == 0:
            raise RuntimeError("divisor must be not zero")
        shape = input._data.shape
        if dims == 2 and len(shape) < dims:
            wrap_dim(-dims - 1, len(shape))
        pool = Pool(kernel, steps or kernel, pads, (1,) * dims, bool(ceil_mode))
        _check(dims, shape, pool)
        pool.check(shape[-dims:], shape[-dims - 1])
        kernel_name = name if dims == 2 else "avg_pool3d_out_frame"
        check_kind(kernel_name, input._dtype, integers=True)
        if dims == 3 and input._dtype in LOW_PRECISION:
            raise NotImplementedError(f"\"{kernel_name}\" not implemented for '{input._dtype.type_name}'")
        return apply(
            primitives[name], input, kernel, steps, pads, bool(ceil_mode), bool(count_include_pad), divisor_override
        )

    pooled.__name__ = pooled.__qualname__ = name
    pooled.__doc__ = f"The mean of each window of the last {dims} dims."
    export(name, function=False, method=False, nn=True)(pooled)


def _check(dims: int, shape: Lengths, pool: Pool) -> None:
    if dims == 2:
        pool.lengths(shape[-2:])
        if min(pool.kernel) > 0:
            check_image(shape, 2)
        return
    if len(shape) not in (4, 5):
        raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
    pool.lengths(shape[-3:])
    pool.check_positive()
    check_volume("avg_pool3d", shape)
    if any(n + 2 * p < k for n, p, k in zip(shape[-3:], pool.padding, pool.kernel, strict=True)):
        own, kernel = (
            " ".join(f"{short}{a}: {n}" for a, n in zip("THW", lengths, strict=True))
            for short, lengths in (("", shape[-3:]), ("k", pool.kernel))
        )
        raise RuntimeError(f"input image ({own}) smaller than kernel size ({kernel})")


for _dims in (2, 3):
    _publish(_dims)


def _single(parameter: str, value: Value) -> int:
    return one_length(
        "avg_pool1d", parameter, value, f"avg_pool1d() argument '{parameter}' should contain one int (got {{}})"
    )


@export("avg_pool1d", method=False, nn=True)
def _avg_pool1d(
    input: Tensor,  # noqa: A002
    kernel_size: Shape,
    stride: Shape = None,
    padding: Shape = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """The mean of each window of the last dim, computed for images of one row."""
    if not isinstance(input, Tensor):
        raise argument_error("avg_pool1d", "input", 1, input)
    check_line("avg_pool1d", input._data.ndim)
    k = _single("kernel_size", kernel_size)
    s = k if stride is None or stride in ((), []) else _single("stride", stride)
    p = _single("padding", padding)
    rows = input.unsqueeze(-2)  # type: ignore[attr-defined]
    pool = Pool((1, k), (1, s), (0, p), (1, 1), bool(ceil_mode))
    shape = rows._data.shape
    _check(2, shape, pool)
    pool.check(shape[-2:], shape[-3])
    check_kind("avg_pool2d", input._dtype, integers=True)
    out = apply(primitives["avg_pool2d"], rows, (1, k), (1, s), (0, p), bool(ceil_mode), bool(count_include_pad), None)
    return out.squeeze(-2)


def _publish_power_mean(dims: int) -> None:
    from backscope.ops.core.namespace import functional

    name, mean = f"lp_pool{dims}d", functional[f"avg_pool{dims}d"]

    def largest(value: Value, kernel_size: Shape, stride: Shape, ceil_mode: bool) -> Any:
        if dims == 1:
            return max_pool_line(value, kernel_size, stride, 0, 1, ceil_mode, True)[0]
        return max_pool(dims, value, kernel_size, stride, 0, 1, ceil_mode, True)[0]

    def pooled(
        input: Tensor,  # noqa: A002
        norm_type: Value,
        kernel_size: Shape,
        stride: Shape = None,
        ceil_mode: bool = False,
    ) -> Any:
        given: Any = input
        if norm_type == math.inf:
            return largest(given.abs(), kernel_size, stride, ceil_mode)
        if norm_type == -math.inf:
            return -largest(-given.abs(), kernel_size, stride, ceil_mode)
        count = (
            kernel_size if dims == 1 else kernel_size**dims if isinstance(kernel_size, int) else math.prod(kernel_size)
        )
        out = mean(given.pow(norm_type), kernel_size, stride, 0, ceil_mode)
        positive = torch_functions["sign"](out) * out.abs().relu()
        return positive.mul(count).pow(1.0 / norm_type)

    pooled.__name__ = pooled.__qualname__ = name
    pooled.__doc__ = f"The p-norm of each window of the last {dims} dims."
    export(name, function=False, method=False, nn=True)(pooled)


for _dims in (1, 2, 3):
    _publish_power_mean(_dims)
