"""max_pool: the largest element of each window, and the ops that read and place elements where they were largest."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

from backscope.ops.core.channels_last import following
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import argument_error, export, internal
from backscope.ops.layers.pooling.max_windows import largest, placed, read, windows_over
from backscope.ops.layers.pooling.pool_declaration import declare_largest
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
from backscope.runtime.given import Shape, Value, Values
from backscope.tensor.tensor import Tensor


@op(
    symbol="at max",
    latex={"self": r"g\ \text{at the indices}"},
    summary={"self": "puts the incoming gradient back at the places it was read from"},
    grad_fn="GatherBackward0",
)
class read_at_largest:
    """The elements of images at the indices of their largest ones."""

    def forward(self: A, indices: K, dims: int) -> A:
        return read(self, indices, dims)

    def grad_self(g: V, self_shape: V, indices: V, dims: V) -> V:
        return xp.place_at_largest(g, indices, tuple(self_shape)[-dims:], dims)


@op(
    symbol="at max",
    latex={"self": r"g\ \text{at the indices}"},
    summary={"self": "reads the incoming gradient at the places it was put"},
    grad_fn="ScatterAddBackward0",
)
class place_at_largest:
    """Zeros with self added at the indices of the largest elements."""

    def forward(self: A, indices: K, image: Lengths, dims: int) -> A:
        return placed(self, indices, image, dims, apart=False)

    def grad_self(g: V, indices: V, dims: V) -> V:
        return xp.read_at_largest(g, indices, dims)


def _declare(dims: int) -> None:
    name = f"max_pool{dims}d_with_indices"

    class max_pool:
        def forward(
            self: A, kernel_size: Lengths, stride: Lengths, padding: Lengths, dilation: Lengths, ceil_mode: bool
        ) -> Any:
            windows = windows_over(self.shape[-dims:], kernel_size, stride or kernel_size, padding, dilation, ceil_mode)
            values, indices = largest(self, windows)
            return following(values, self), following(indices, self)

        def grad_self(g: V, self: V, result1: V, kernel_size: V, stride: V, padding: V, dilation: V, ceil_mode: V) -> V:
            backward = getattr(xp, name + "_backward")
            return backward(g, self, kernel_size, stride, padding, dilation, ceil_mode, result1)

    class max_pool_backward:
        def forward(
            grad_output: A,
            self: A,
            kernel_size: Lengths,
            stride: Lengths,
            padding: Lengths,
            dilation: Lengths,
            ceil_mode: bool,
            indices: K,
        ) -> A:
            image = self.shape[-dims:]
            windows = windows_over(image, kernel_size, stride or kernel_size, padding, dilation, ceil_mode)
            return following(placed(grad_output, indices, image, dims, apart=windows.apart), self)

        def grad_grad_output(g: V, indices: V) -> V:
            return xp.read_at_largest(g, indices, dims)

        def grad_self(g: V, self: V) -> V:
            return xp.zeros_like(self)

    max_pool.__doc__ = f"The largest element of each window of the last {dims} dims, and its index in the flat image."
    declare_largest(name, f"MaxPool{dims}DWithIndices", max_pool, max_pool_backward)


for _dims in (2, 3):
    _declare(_dims)


def pool_of(
    name: str, dims: int, kernel_size: Shape, stride: Shape, padding: Shape, dilation: Shape
) -> tuple[Lengths, ...]:
    """The arguments of a pooling as nodes keep them; TypeError and RuntimeError for wrong ones."""
    return (
        lengths_of(name, "kernel_size", kernel_size, dims),
        lengths_of(name, "stride", () if stride is None else stride, dims, optional=True),
        lengths_of(name, "padding", padding, dims),
        lengths_of(name, "dilation", dilation, dims),
    )


@lru_cache(1024)
def _check_geometry(
    shape: Lengths, kernel: Lengths, stride: Lengths, padding: Lengths, dilation: Lengths, ceil_mode: bool
) -> None:
    """Raise RuntimeError for windows that don't fit images of this shape; results are cached by arguments."""
    dims = len(kernel)
    pool = Pool(kernel, stride or kernel, padding, dilation, ceil_mode)
    pool.lengths(shape[-dims:])
    if dims == 2:
        if min(*pool.kernel, *pool.stride, *pool.dilation) > 0:
            check_image(shape, dims)
    else:
        pool.check_positive()
        check_volume("max_pool3d_with_indices_out_cpu_template", shape)
    pool.check(shape[-dims:], shape[-dims - 1])


def max_pool(
    dims: int,
    input: Tensor,  # noqa: A002
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
    alone: bool = False,
) -> Values:
    """Return values and indices of the largest elements in windows of images or volumes, or the values `alone`."""
    name = f"max_pool{dims}d"
    if not isinstance(input, Tensor):
        raise argument_error(name, "input", 1, input)
    kernel, steps, pads, gaps = pool_of(name, dims, kernel_size, stride, padding, dilation)
    shape = input._data.shape
    if len(shape) not in (dims + 1, dims + 2):
        raise RuntimeError(f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input")
    _check_geometry(shape, kernel, steps, pads, gaps, bool(ceil_mode))
    check_kind(name, input._dtype, integers=True)
    op_name = f"max_pool{dims}d_with_indices"
    pool = primitives[op_name]
    return apply(pool.giving(1) if alone else pool, input, kernel, steps, pads, gaps, bool(ceil_mode))


def _publish_backward(dims: int) -> None:
    name = f"max_pool{dims}d_with_indices_backward"

    def call(
        grad_output: Tensor,
        input: Tensor,  # noqa: A002
        kernel_size: Shape,
        stride: Shape,
        padding: Shape,
        dilation: Shape,
        ceil_mode: bool,
        indices: Tensor,
    ) -> Any:
        geometry = pool_of(f"max_pool{dims}d", dims, kernel_size, stride, padding, dilation)
        return apply(primitives[name], grad_output, input, *geometry, bool(ceil_mode), indices)

    call.__name__ = name
    call.__doc__ = f"The gradient of a max pool of {dims} dims from that of its result."
    internal(call)


_publish_backward(2)
_publish_backward(3)


def _single(parameter: str, value: Value, alone: bool) -> int:
    name = "max_pool1d"
    if not alone:
        return one_length(name, parameter, value, f"{name}() argument '{parameter}' should contain one int (got {{}})")
    kinds = "None, an int, list of ints," if parameter == "stride" else "an int, list of ints"
    comma = "," if parameter == "padding" else ""
    return one_length(
        name, parameter, value,
        f"{name}() {parameter} must be {kinds}{comma} or tuple of ints of size 1 but got size {{}}",
    )  # fmt: skip


def _check_line(input: Tensor, k: int, s: int, p: int, d: int, ceil_mode: bool, alone: bool) -> None:  # noqa: A002
    shape = input._data.shape
    if not alone:
        check_line("max_pool1d", len(shape))
        _check_geometry((*shape[:-1], 1, shape[-1]), (1, k), (1, s), (0, p), (1, d), ceil_mode)
    elif len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(shape)}"
        )
    else:
        _check_line_alone(shape, k, s, p, d, ceil_mode)
    check_kind("max_pool2d", input._dtype, integers=True)


def _check_line_alone(shape: Lengths, k: int, s: int, p: int, d: int, ceil_mode: bool) -> None:
    """Raise RuntimeError for windows that don't fit lines of this shape, in a call that returns values only."""
    for name, value in (("kernel_size", k), ("stride", s), ("dilation", d)):
        if value <= 0 and name != "dilation":
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {value}")
        if name == "stride":
            if p < 0:
                raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {p}")
            if p > k // 2:
                raise RuntimeError(
                    "max_pool1d() padding should be at most half of kernel size, but got "
                    f"padding={p} and kernel_size={k}"
                )
        elif value <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {value}")
    out = Pool((k,), (s,), (p,), (d,), ceil_mode).lengths(shape[-1:])[0]
    if out <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {out}")


def max_pool_line(
    input: Tensor,  # noqa: A002
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
    alone: bool = False,
) -> tuple[Any, Any]:
    """Return the largest elements along the last dim, as for images of one row, with their indices unless `alone`."""
    if not isinstance(input, Tensor):
        raise argument_error("max_pool1d", "input", 1, input)
    k = _single("kernel_size", kernel_size, alone)
    s = k if stride is None or stride in ((), []) else _single("stride", stride, alone)
    p, d = _single("padding", padding, alone), _single("dilation", dilation, alone)
    _check_line(input, k, s, p, d, bool(ceil_mode), alone)
    rows = input.unsqueeze(-2)  # type: ignore[attr-defined]
    pool = primitives["max_pool2d_with_indices"]
    values, indices = apply(pool.giving(1) if alone else pool, rows, (1, k), (1, s), (0, p), (1, d), bool(ceil_mode))
    return values.squeeze(-2), None if alone else indices.squeeze(-2)


def _publish(dims: int) -> None:
    name = f"max_pool{dims}d"

    pool = max_pool_line if dims == 1 else partial(max_pool, dims)

    def both(
        input: Tensor,  # noqa: A002
        kernel_size: Shape,
        stride: Shape = None,
        padding: Shape = 0,
        dilation: Shape = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        return pool(input, kernel_size, stride, padding, dilation, ceil_mode, False)

    def pooled(
        input: Tensor,  # noqa: A002
        kernel_size: Shape,
        stride: Shape = None,
        padding: Shape = 0,
        dilation: Shape = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        found = pool(input, kernel_size, stride, padding, dilation, ceil_mode, not return_indices)
        return found if return_indices else found[0]

    def values(
        input: Tensor,  # noqa: A002
        kernel_size: Shape,
        stride: Shape = (),
        padding: Shape = 0,
        dilation: Shape = 1,
        ceil_mode: bool = False,
    ) -> Any:
        return pool(input, kernel_size, stride, padding, dilation, ceil_mode, True)[0]

    pooled.__name__ = pooled.__qualname__ = values.__name__ = values.__qualname__ = name
    pooled.__doc__ = values.__doc__ = f"The largest element of each window of the last {dims} dims."
    both.__name__ = both.__qualname__ = name + "_with_indices"
    both.__doc__ = f"The largest element of each window of the last {dims} dims, and where it is."
    export(name, function=False, method=False, nn=True)(pooled)
    export(name, method=False)(values)
    export(name + "_with_indices", function=False, method=False, nn=True)(both)
    if dims == 1:
        export(name + "_with_indices", method=False)(both)


for _dims in (1, 2, 3):
    _publish(_dims)
