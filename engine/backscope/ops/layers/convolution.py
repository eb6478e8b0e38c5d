"""Convolution: images and kernels to feature maps, plain and transposed, and its gradient as an op of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from math import isfinite
from typing import Any

import numpy as np

from backscope.autograd.unbroadcast import fold
from backscope.ops.core.channels_last import following
from backscope.ops.core.declaration import A, V, op, xp
from backscope.ops.core.low_precision import wide
from backscope.ops.layers.im2col import Lengths, Window, put, take
from backscope.ops.layers.padded_images import COLUMN_BYTES, contracted, correlated, correlated_and_contracted, framing
from backscope.runtime.given import Option, Shape
from backscope.tensor.dtype import bfloat16, cast, dtype, float16


def correlate(image: A, weight: A, window: Window, places: Lengths, groups: int, bias: A | None = None) -> A:
    """Multiply every kernel with every window and add the bias.

    Shape: image [N, C, ...], weight [O, C / groups, *kernel] -> [N, O, *places].
    """
    frame = framing(image.shape, window, places, len(weight), groups, image.itemsize)
    if frame is not None:
        return correlated(image, weight, frame, bias)
    n, out_channels = len(image), len(weight)
    out = np.empty((n, groups, out_channels // groups, math.prod(places)), image.dtype)
    kernels = weight.reshape(groups, out_channels // groups, -1)
    for some, columns in _columns(image, window, places, groups):
        np.matmul(kernels, columns, out=out[some])
    out = out.reshape(n, out_channels, *places)
    if bias is not None:
        flat = out.reshape(n, out_channels, math.prod(places))
        flat += bias[:, None]
    return out


def _columns(image: A, window: Window, places: Lengths, groups: int) -> Iterator[tuple[slice, A]]:
    """The windows of some images after others: which, and their columns.

    Shape: [N, C, ...] -> [images, groups, C / groups * elements of the kernel, all places] each.
    """
    n, c = image.shape[:2]
    rows, count = c * math.prod(window.kernel), math.prod(places)
    step = n if window.is_single() else max(COLUMN_BYTES // max(rows * count * image.itemsize, 1), 1)
    for start in range(0, n, step):
        some = slice(start, min(start + step, n))
        columns = take(image[some], window, places)
        yield some, columns.reshape(len(columns), groups, rows // groups, count)


def correlate_within(image: A, weight: A, window: Window, places: Lengths, groups: int, bias: A | None) -> A:
    """correlate, one element of the kernels after another and never with the padding, where NaN would spread."""
    n, c = image.shape[:2]
    kernels = weight.reshape(groups, len(weight) // groups, c // groups, -1)
    out = np.zeros((n, len(weight), *places), image.dtype)
    for i, element in enumerate(np.ndindex(window.kernel)):
        here: list[slice] = [slice(None)] * 2
        there = list(here)
        parts = zip(element, window.stride, window.padding, window.dilation, image.shape[2:], places, strict=True)
        for k, s, p, d, length, count in parts:
            first, end = max(-((k * d - p) // s), 0), min((length - 1 - k * d + p) // s + 1, count)
            here.append(slice(first, max(end, first)))
            there.append(slice(first * s + k * d - p, max((end - 1) * s + k * d - p + 1, 0), s))
        part = image[tuple(there)] if all(h.stop > h.start for h in here[2:]) else None
        if part is not None:
            products = np.matmul(kernels[..., i], part.reshape(n, groups, c // groups, -1))
            out[tuple(here)] += products.reshape(n, len(weight), *part.shape[2:])
    return out if bias is None else out + bias.reshape(-1, *(1,) * len(places))


def _leaves_padding_out(image: A, weight: A, window: Window, groups: int) -> bool:
    """Return True where PyTorch uses a library that skips padding, which matters for NaN and infinities."""
    if image.dtype.type is not np.float32 or not any(window.padding) or isfinite(np.vdot(weight, weight)):
        return False
    large = len(window.kernel) == 2 and min(window.kernel) > 3
    return groups > 1 or large or len(image) > 1 or image.size > 20480


def mirrored(weight: A, groups: int) -> A:
    """The kernels back to front, inputs and outputs of each group exchanged.

    Shape: [O, C / groups, *kernel] -> [C, O / groups, *kernel].
    """
    kernels = weight[(slice(None), slice(None), *[slice(None, None, -1)] * (weight.ndim - 2))]
    if groups == 1:
        return kernels.swapaxes(0, 1)
    o, c, *kernel = kernels.shape
    return kernels.reshape(groups, o // groups, c, *kernel).swapaxes(1, 2).reshape(groups * c, o // groups, *kernel)


@lru_cache(1024)
def _mirrored_framing(maps: Lengths, image: Lengths, window: Window, out: int, groups: int, itemsize: int) -> Any:
    """The frame in which correlating maps and mirrored kernels spreads them over images; None where none does."""
    if max(window.stride) != 1:
        return None
    parts = zip(window.kernel, window.padding, window.dilation, strict=True)
    found = Window(window.kernel, window.stride, tuple([d * (k - 1) - p for k, p, d in parts]), window.dilation)
    return framing(maps, found, image, out, groups, itemsize) if found.lengths(maps[2:]) == image else None


def spread(maps: A, weight: A, image: Lengths, window: Window, groups: int, stored: dtype | None = None) -> A:
    """The transpose of correlate in its image: the gradient of the image, or a transposed convolution.

    Products, and their sums so far, are rounded to the type that they are `stored` in, if there is one.
    Shape: maps [N, O, *places], weight [O, C / groups, *kernel] -> [N, C, *image].
    """
    n, out_channels = maps.shape[:2]
    c = weight.shape[1] * groups
    if stored is None and isfinite(np.vdot(weight, weight).real):
        frame = _mirrored_framing(maps.shape, image, window, c, groups, maps.itemsize)
        if frame is not None:
            return correlated(maps, mirrored(weight, groups), frame)
    size, count = math.prod(weight.shape[2:]), math.prod(maps.shape[2:])
    flat = maps.reshape(n, groups, out_channels // groups, count)
    kernels = weight.reshape(groups, out_channels // groups, weight.shape[1] * size).swapaxes(1, 2)
    if window.is_single() and stored is None:
        return np.matmul(kernels, flat).reshape(n, c, *image)
    step = max(COLUMN_BYTES // max(c * size * count * maps.itemsize, 1), 1)
    out = np.empty((n, c, *image), maps.dtype if stored is None else stored.np)
    for start in range(0, n, step):
        columns = np.matmul(kernels, flat[start : start + step])
        columns = columns.reshape(len(columns), c, size, count)
        out[start : start + step] = put(
            columns if stored is None else cast(columns, stored), image, window, maps.shape[2:]
        )
    return out


def spread_and_contract(maps: A, image: A, weight: A, window: Window, groups: int) -> tuple[A, A]:
    """Both transposes of correlate at once; the windows of the maps serve both."""
    lengths = image.shape[2:]
    frame = _mirrored_framing(maps.shape, lengths, window, image.shape[1], groups, maps.itemsize)
    if frame is not None and isfinite(np.vdot(weight, weight).real):
        of_image, found = correlated_and_contracted(maps, mirrored(weight, groups), image, frame)
        if _is_finite(found):
            return of_image, mirrored(found, groups)
    of_weight, _ = contract(maps, image, weight.shape, window, groups)
    return spread(maps, weight, lengths, window, groups), of_weight


def _is_finite(total: A) -> bool:
    """Return True for a finite sum: NaN or infinity times the zeros of a frame may add NaN."""
    return bool(np.isfinite(np.add.reduce(total, None)))


def contract(
    maps: A, image: A, kernel_shape: Lengths, window: Window, groups: int, *, sums: bool = False
) -> tuple[A, A | None]:
    """Compute the gradient of the weight; with `sums` also that of the bias where it costs no further pass.

    Shape: maps [N, O, *places], image [N, C, ...] -> [O, C / groups, *kernel], [O].
    """
    n, out_channels = maps.shape[:2]
    frame = framing(image.shape, window, maps.shape[2:], 0, groups, image.itemsize)
    if frame is not None:
        found, of_bias = contracted(image, maps, frame, sums=sums)
        if _is_finite(found):
            return found, of_bias
    flat = maps.reshape(n, groups, out_channels // groups, math.prod(maps.shape[2:])).swapaxes(2, 3)
    found = np.zeros((groups, math.prod(kernel_shape[1:]), out_channels // groups), image.dtype)
    for some, columns in _columns(image, window, maps.shape[2:], groups):
        found += np.matmul(columns, flat[some]).sum(0)
    return found.swapaxes(1, 2).reshape(kernel_shape), None


def transposed_lengths(image: Lengths, window: Window, output_padding: Lengths) -> Lengths:
    """The lengths of a transposed convolution's result."""
    parts = zip(image, window.kernel, window.stride, window.padding, window.dilation, output_padding, strict=True)
    return tuple([(n - 1) * s - 2 * p + d * (k - 1) + o + 1 for n, k, s, p, d, o in parts])


@lru_cache(1024)
def _sliding(
    image: Lengths,
    weight: Lengths,
    stride: Lengths,
    padding: Lengths,
    dilation: Lengths,
    transposed: bool,
    output_padding: Lengths,
) -> tuple[Window, Lengths]:
    """Return the window of a convolution over images of a shape, and the lengths of the result."""
    window = Window(weight[2:], stride, padding, dilation)
    return window, transposed_lengths(image[2:], window, output_padding) if transposed else window.lengths(image[2:])


def _stored(kind: dtype, window: Window, output_padding: Lengths) -> dtype | None:
    """Return the low precision type of PyTorch's sums in a transposed convolution that uses no library; else None."""
    beyond = any(o >= s for o, s in zip(output_padding, window.stride, strict=True))
    return kind if kind is float16 or (kind is bfloat16 and beyond) else None


def _sums_of_maps(maps: A) -> A:
    """The sum of each channel: [N, O, ...] -> [O]."""
    n, out_channels = maps.shape[:2]
    size = math.prod(maps.shape[2:])
    return fold(maps.reshape(n * out_channels, size), (n * out_channels, 1)).reshape(n, out_channels).sum(0)


@op(
    symbol="conv",
    latex={
        "input": r"g \star^T \text{weight}",
        "weight": r"\text{input} \star g",
        "bias": r"\textstyle\sum g",
    },
    summary={
        "input": "spreads the incoming gradient over the windows it came from, times the saved {weight}",
        "weight": "correlates the saved {input} with the incoming gradient",
        "bias": "sums the incoming gradient over the batch and all places",
    },
)
class convolution:
    """Kernels slid over images; `transposed`, the transpose of that."""

    def forward(
        input: A,  # noqa: A002
        weight: A,
        bias: A | None,
        stride: Lengths,
        padding: Lengths,
        dilation: Lengths,
        transposed: bool,
        output_padding: Lengths,
        groups: int,
    ) -> A:
        window, lengths = _sliding(input.shape, weight.shape, stride, padding, dilation, transposed, output_padding)
        image, kernels = wide(input), wide(weight)
        if transposed:
            out = spread(
                image, kernels, lengths, window, groups, _stored(dtype.table[input.dtype], window, output_padding)
            )
            if bias is not None:
                lifted = wide(bias).reshape(1, -1, *(1,) * len(stride))
                out = np.add(wide(out), lifted, out=out if out.flags.c_contiguous and wide(out) is out else None)
        else:
            correlating = correlate_within if _leaves_padding_out(image, kernels, window, groups) else correlate
            out = correlating(image, kernels, window, lengths, groups, None if bias is None else wide(bias))
        return following(cast(out, dtype.table[input.dtype]), input, weight)

    def grad(
        g: V,
        input: V,  # noqa: A002
        weight: V,
        bias_shape: V,
        stride: V,
        padding: V,
        dilation: V,
        transposed: V,
        output_padding: V,
        groups: V,
        needs: Option,
    ) -> V:
        return xp.convolution_backward(
            g, input, weight, bias_shape, stride, padding, dilation, transposed, output_padding, groups, needs
        )


@op(
    grad_fn="ConvolutionBackwardBackward0",
    outputs=3,
    symbol="conv′",
    latex={
        "grad_output": r"\text{conv}(g_\text{input}, \text{weight}) + \text{conv}(\text{input}, g_\text{weight})",
        "input": r"\text{grad\_output} \star^T g_\text{weight}",
        "weight": r"g_\text{input} \star \text{grad\_output}",
    },
    summary={
        "grad_output": "convolves the gradients that come in for {input} and {weight} with the other one",
        "input": "spreads {grad_output} by the gradient that comes in for {weight}",
        "weight": "correlates the gradient that comes in for {input} with {grad_output}",
    },
)
class convolution_backward:
    """The gradients of a convolution's input, weight and bias: those marked in `output_mask`."""

    def forward(
        grad_output: A,
        input: A,  # noqa: A002
        weight: A,
        bias_sizes: Shape,
        stride: Lengths,
        padding: Lengths,
        dilation: Lengths,
        transposed: bool,
        output_padding: Lengths,
        groups: int,
        output_mask: tuple[bool, ...],
    ) -> tuple[A, ...]:
        window, _ = _sliding(input.shape, weight.shape, stride, padding, dilation, transposed, output_padding)
        kind = dtype.table[input.dtype]
        maps, image, kernels = wide(grad_output), wide(input), wide(weight)
        if image.dtype.kind == "c":
            image, kernels = image.conj(), kernels.conj()
        found: list[Any] = [None, None, None]
        sums: Any = None
        stored = kind if kind is float16 else None
        if output_mask[0] and output_mask[1] and not transposed and stored is None:
            found[:2] = spread_and_contract(maps, image, kernels, window, groups)
        else:
            if output_mask[0] and transposed:
                found[0] = correlate(maps, kernels, window, input.shape[2:], groups)
            elif output_mask[0]:
                found[0] = spread(maps, kernels, input.shape[2:], window, groups, stored)
            if output_mask[1]:
                pair = (image, maps) if transposed else (maps, image)
                bias_wanted = output_mask[2] and not transposed
                found[1], sums = contract(*pair, weight.shape, window, groups, sums=bias_wanted)
        for i in (0, 1):
            if found[i] is not None:
                found[i] = following(cast(found[i], kind), input, weight)
        if output_mask[2]:
            found[2] = cast(_sums_of_maps(maps) if sums is None else sums, kind)
        return tuple(found)

    def grad(
        g: V,
        grad_output: V,
        input: V,  # noqa: A002
        weight: V,
        stride: V,
        padding: V,
        dilation: V,
        transposed: V,
        output_padding: V,
        groups: V,
        needs: Option,
    ) -> V:
        window = (stride, padding, dilation, transposed, output_padding, groups)
        of_input, of_weight, of_bias = g
        gradients: list[Any] = [None, None, None]
        if not math.prod(input.shape):
            return tuple(gradients)  # In PyTorch such a convolution is an op of its own.
        if needs[0]:
            parts = []
            if of_input is not None:
                parts.append(xp.convolution(of_input, weight, None, *window))
            if of_weight is not None:
                parts.append(xp.convolution(input, of_weight, None, *window))
            if of_bias is not None:
                lifted = xp.reshape(of_bias, (1, -1, *(1,) * len(stride)))
                parts.append(xp.expand(lifted, tuple(grad_output.shape)))
            gradients[0] = _total(parts)
        if needs[1] and of_weight is not None:
            mask = (True, False, False)
            gradients[1] = xp.convolution_backward(grad_output, input, of_weight, None, *window, mask)[0]
        if needs[2] and of_input is not None:
            mask = (False, True, False)
            gradients[2] = xp.convolution_backward(grad_output, of_input, weight, None, *window, mask)[1]
        return tuple(gradients)


def _total(parts: list[V]) -> V:
    total: Any = None
    for part in parts:
        total = part if total is None else total + part
    return total
