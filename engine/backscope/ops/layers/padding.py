"""pad: tensors made larger at the ends of their last dims, by a constant, by reflection, repetition or wrapping."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.axis_map import AxisMap, picking
from backscope.ops.core.cache import recalled
from backscope.ops.core.channels_last import following
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export
from backscope.ops.core.stepwise_sums import added_in_order, grid_places, in_rows
from backscope.runtime.given import Shape, Value
from backscope.tensor.dtype import LOW_PRECISION, cast, dtype
from backscope.tensor.tensor import Tensor, make

Pads = tuple[int, ...]
"""Lengths before and after, of the last dim first."""


@op(
    symbol="pad",
    latex={"self": r"g\ \text{without the padding}"},
    summary={"self": "cuts the padding {pad} off the incoming gradient"},
)
class constant_pad_nd:
    """self with `value` around it; negative lengths cut off."""

    def forward(self: A, pad: Pads, value: float = 0) -> A:
        shape, lead = list(self.shape), self.ndim - len(pad) // 2
        target = [slice(None)] * self.ndim
        source = [slice(None)] * self.ndim
        for i in range(len(pad) // 2):
            dim = self.ndim - 1 - i
            before, after = pad[2 * i], pad[2 * i + 1]
            shape[dim] += before + after
            target[dim] = slice(max(before, 0), shape[dim] - max(after, 0))
            source[dim] = slice(max(-before, 0), self.shape[dim] - max(-after, 0))
        assert lead >= 0
        kind = dtype.table[self.dtype]
        out = np.full(shape, cast(np.asarray(value), kind)) if value else np.zeros(shape, self.dtype)
        out[tuple(target)] = self[tuple(source)]
        return following(out, self)

    def grad_self(g: V, pad: V) -> V:
        return xp.constant_pad_nd(g, tuple([-p for p in pad]), 0)


@recalled
def reflection(length: int, before: int, after: int) -> AxisMap:
    """A dim of `length` mirrored at its ends, without repeating the edge."""
    at = np.abs(np.arange(-before, length + after))
    return picking(np.where(at >= length, 2 * (length - 1) - at, at), length)


@recalled
def replication(length: int, before: int, after: int) -> AxisMap:
    """A dim of `length` with its edges repeated."""
    return picking(np.clip(np.arange(-before, length + after), 0, length - 1), length)


def _mapped(value: A, shape: Shape, padding: Pads, make_map: Any, *, transposed: bool) -> A:
    ndim = len(shape)
    if transposed and dtype.table[value.dtype] in LOW_PRECISION:
        dims = len(padding) // 2
        lengths = tuple(shape)[-dims:]
        along = [
            make_map(n, padding[2 * i], padding[2 * i + 1]).columns
            for n, i in zip(lengths, reversed(range(dims)), strict=True)
        ]
        found = added_in_order(math.prod(lengths), grid_places(lengths, along), in_rows(value, dims))
        return found.reshape(shape)
    out = value
    for i in range(len(padding) // 2):
        axis = ndim - 1 - i
        found = make_map(shape[axis], padding[2 * i], padding[2 * i + 1])
        out = (found.transposed if transposed else found).apply(out, axis)
    return out


def _declare(name: str, title: str, dims: int, make_map: Any, verb: str) -> None:
    """Declare the padding of the last `dims` dims and its gradient as an op of its own."""

    class forward_op:
        def forward(self: A, padding: Pads) -> A:
            return following(_mapped(self, self.shape, padding, make_map, transposed=False), self)

        def grad_self(g: V, self: V, padding: V) -> V:
            return getattr(xp, name + "_backward")(g, self, padding)

    class backward_op:
        def forward(grad_output: A, self: A, padding: Pads) -> A:
            return following(_mapped(grad_output, self.shape, padding, make_map, transposed=True), self)

        def grad_grad_output(g: V, padding: V) -> V:
            return getattr(xp, name)(g, padding)

        def grad_self(g: V, self: V) -> V:
            return xp.zeros_like(self)

    forward_op.__doc__ = f"The last {dims} dims padded: each end {verb}."
    backward_op.__doc__ = f"The gradient of {name} as an op of its own."
    op(
        name=name,
        grad_fn=f"{title}{dims}DBackward0",
        symbol="pad",
        latex={"self": r"\textstyle\sum g\ \text{over the copies}"},
        summary={"self": "adds up the incoming gradient of all copies of an element that the padding {padding} made"},
    )(forward_op)
    op(
        name=name + "_backward",
        grad_fn=f"{title}{dims}DBackwardBackward0",
        symbol="pad′",
        latex={"grad_output": r"\text{pad}(g)", "self": "0"},
        summary={
            "grad_output": "pads the incoming gradient by {padding}",
            "self": "sends 0: only the shape of {self} counts",
        },
    )(backward_op)


for _dims in (1, 2, 3):
    _declare(f"reflection_pad{_dims}d", "ReflectionPad", _dims, reflection, "is mirrored")
    _declare(f"replication_pad{_dims}d", "ReplicationPad", _dims, replication, "is repeated")


_AXES = ("W", "H", "D")


def _check_lengths(input: Tensor, padding: Pads, *, mirrored: bool) -> None:  # noqa: A002
    shape = input._data.shape
    dims = len(padding) // 2
    batched = len(shape) == dims + 2
    if any(n == 0 for n in shape[1 if batched else 0 :]):
        raise RuntimeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(shape)}"
        )
    for i in range(dims):
        before, after = padding[2 * i], padding[2 * i + 1]
        dim = len(shape) - 1 - i
        if mirrored and (before >= shape[dim] or after >= shape[dim]):
            raise RuntimeError(
                f"Argument #{4 + 2 * i}: Padding size should be less than the corresponding input dimension, but got: "
                f"padding ({before}, {after}) at dimension {dim} of input {list(shape)}"
            )
    lengths = [shape[len(shape) - 1 - i] + padding[2 * i] + padding[2 * i + 1] for i in range(dims)]
    if any(n < 1 for n in lengths):
        own = " ".join(f"{_AXES[i]}: {shape[len(shape) - 1 - i]}" for i in reversed(range(dims)))
        made = " ".join(f"{_AXES[i]}: {lengths[i]}" for i in reversed(range(dims)))
        raise RuntimeError(f"input ({own}) is too small. Calculated output {made}")


def _wrapped(input: Tensor, padding: Pads) -> Any:  # noqa: A002
    """Padding by wrapping around: the input and then each end copied into an empty tensor."""
    ndim = input._data.ndim
    shape = list(input._data.shape)
    for i in range(len(padding) // 2):
        dim, before, after = ndim - 1 - i, padding[2 * i], padding[2 * i + 1]
        if before > shape[dim] or after > shape[dim]:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        shape[dim] += before + after
        if shape[dim] < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    out = make(np.zeros(shape, input._dtype.np), input._dtype)

    def cut(tensor: Value, dim: int, start: int, end: int) -> Any:
        return apply(primitives["slice"], tensor, dim, start, end, 1)

    target, source = out, input
    for i in range(len(padding) // 2):
        dim, before, after = ndim - 1 - i, padding[2 * i], padding[2 * i + 1]
        target = cut(target, dim, max(before, 0), shape[dim] - max(after, 0))
        source = cut(source, dim, max(-before, 0), input._data.shape[dim] - max(-after, 0))
    target.copy_(source)
    for i in range(len(padding) // 2):
        dim, before, after = ndim - 1 - i, padding[2 * i], padding[2 * i + 1]
        end = shape[dim]
        if before > 0:
            first, last = end - before - max(after, 0), end - max(after, 0)
            cut(out, dim, 0, before).copy_(cut(out, dim, first, last))
        if after > 0:
            cut(out, dim, end - after, end).copy_(cut(out, dim, max(before, 0), max(before, 0) + after))
    return out


def _pad_lengths(pad: Shape) -> Pads:
    lengths = tuple(pad)
    for i, p in enumerate(lengths):
        if isinstance(p, bool) or not hasattr(p, "__index__"):
            raise TypeError(
                f"pad(): argument 'pad' (position 2) must be tuple of ints, but found element of type "
                f"{type(p).__name__} at pos {i}"
            )
    return tuple([int(p.__index__()) for p in lengths])


def constant_pad(input: Tensor, lengths: Pads, value: float = 0) -> Value:  # noqa: A002
    """input with `value` around it; RuntimeError where it has too few dims or elements."""
    ndim = input._data.ndim
    if len(lengths) > 2 * ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(lengths)} and input of dimension {ndim}"
        )
    for i in range(len(lengths) // 2):
        if input._data.shape[ndim - 1 - i] + lengths[2 * i] + lengths[2 * i + 1] < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
    return apply(primitives["constant_pad_nd"], input, lengths, value)


@export("constant_pad_nd", method=False)
def _constant_pad_nd(input: Tensor, pad: Shape, value: float = 0) -> Any:  # noqa: A002
    """input with `value` around its last dims."""
    return constant_pad(input, _pad_lengths(pad), value)


@export("pad", function=False, method=False, nn=True)
def _pad(input: Tensor, pad: Shape, mode: str = "constant", value: Value = None) -> Any:  # noqa: A002
    """The last dims made larger by `pad`: lengths before and after, of the last dim first.

    Raises RuntimeError and NotImplementedError for lengths that do not fit the input.
    """
    lengths = _pad_lengths(pad)
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(lengths) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(lengths) > 2 * input._data.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(lengths)} and input of dimension {input._data.ndim}"
        )
    if mode == "constant":
        return constant_pad(input, lengths, 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    dims, ndim = len(lengths) // 2, input._data.ndim
    if dims not in (1, 2, 3) or ndim not in (dims + 1, dims + 2):
        raise NotImplementedError(
            f"Padding size {len(lengths)} is not supported for {ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if mode == "circular":
        return _wrapped(input, lengths)
    mirrored = mode == "reflect"
    _check_lengths(input, lengths, mirrored=mirrored)
    return apply(primitives[f"{'reflection' if mirrored else 'replication'}_pad{dims}d"], input, lengths)
