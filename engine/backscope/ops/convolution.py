"""Convolution: images and kernels to feature maps, plain and transposed, and its gradient as an op of its own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.dtype import bfloat16, cast, dtype, float16
from backscope.ops.columns import (
    Lengths,
    Window,
    as_runs,
    framed_lengths,
    put,
    rows_of_runs,
    take,
    take_runs,
    takes_runs,
)
from backscope.ops.declaration import A, V, op, xp
from backscope.ops.layout import following
from backscope.ops.low_precision import wide


def correlate(image: A, weight: A, window: Window, places: Lengths, groups: int, bias: A | None = None) -> A:
    """Every kernel's product with every window, plus its bias.

    Shape: image [N, C, ...], weight [O, C / groups, *kernel] -> [N, O, *places].
    """
    n, c = image.shape[:2]
    out_channels = weight.shape[0]
    if groups == 1 and takes_runs(image.shape[2:], window, places):
        runs = np.matmul(weight.reshape(out_channels, -1), take_runs(image, window, places))
        if bias is not None:
            runs += bias[:, None]
        return rows_of_runs(runs, framed_lengths(image.shape[2:], window), places)
    columns = take(image, window, places)
    size, count = columns.shape[2:]
    if groups == 1:
        out = np.matmul(weight.reshape(out_channels, c * size), columns.reshape(n, c * size, count))
    elif groups == c == out_channels:
        out = np.einsum("nckl,ck->ncl", columns, weight.reshape(c, size))
    else:
        grouped = columns.reshape(n, groups, c // groups * size, count)
        out = np.matmul(weight.reshape(groups, out_channels // groups, c // groups * size), grouped)
    out = out.reshape(n, out_channels, count)
    if bias is not None:
        out += bias[:, None]
    return out.reshape(n, out_channels, *places)


def mirrored(weight: A) -> A:
    """The kernels back to front, inputs and outputs exchanged: [O, C, *kernel] -> [C, O, *kernel]."""
    return weight[(slice(None), slice(None), *[slice(None, None, -1)] * (weight.ndim - 2))].swapaxes(0, 1)


def mirrored_window(maps: Lengths, image: Lengths, window: Window, groups: int) -> Window | None:
    """The window with which correlating maps and mirrored kernels spreads them; None where none does."""
    if groups != 1 or max(window.stride) != 1:
        return None
    parts = zip(window.kernel, window.padding, window.dilation, strict=True)
    found = Window(window.kernel, window.stride, tuple([d * (k - 1) - p for k, p, d in parts]), window.dilation)
    fits = takes_runs(maps, found, image) and found.lengths(maps) == tuple(image)
    return found if fits else None


def spread(maps: A, weight: A, image: Lengths, window: Window, groups: int, stored: dtype | None = None) -> A:
    """The transpose of correlate in its image: the gradient of the image, or a transposed convolution.

    Products, and their sums so far, are rounded to the type that they are `stored` in, if there is one.
    Shape: maps [N, O, *places], weight [O, C / groups, *kernel] -> [N, C, *image].
    """
    back = mirrored_window(maps.shape[2:], image, window, groups) if stored is None else None
    if back is not None:
        return correlate(maps, mirrored(weight), back, image, 1)
    n, out_channels = maps.shape[:2]
    c = weight.shape[1] * groups
    size, count = math.prod(weight.shape[2:]), math.prod(maps.shape[2:])
    flat = maps.reshape(n, groups, out_channels // groups, count)
    kernels = weight.reshape(groups, out_channels // groups, weight.shape[1] * size)
    if groups == 1:
        columns = np.matmul(kernels[0].T, flat[:, 0])
    elif groups == c == out_channels:
        columns = weight.reshape(c, size)[None, :, :, None] * maps.reshape(n, c, 1, count)
    else:
        columns = np.matmul(kernels.swapaxes(1, 2), flat)
    columns = columns.reshape(n, c, size, count)
    return put(columns if stored is None else cast(columns, stored), image, window, maps.shape[2:])


def spread_and_contract(maps: A, image: A, weight: A, window: Window, groups: int) -> tuple[A, A]:
    """Both transposes of correlate at once; the windows of the maps serve both."""
    lengths = image.shape[2:]
    back = mirrored_window(maps.shape[2:], lengths, window, groups)
    if back is None:
        return spread(maps, weight, lengths, window, groups), contract(maps, image, weight.shape, window, groups)
    framed = framed_lengths(maps.shape[2:], back)
    runs = take_runs(maps, back, lengths)
    kernels = mirrored(weight)
    of_image = rows_of_runs(np.matmul(kernels.reshape(len(kernels), -1), runs), framed, lengths)
    found = np.matmul(as_runs(image, framed), runs.swapaxes(1, 2)).sum(0)
    return of_image, mirrored(found.reshape(kernels.shape))


def contract(maps: A, image: A, kernel_shape: Lengths, window: Window, groups: int) -> A:
    """The transpose of correlate in its weight.

    Shape: maps [N, O, *places], image [N, C, ...] -> [O, C / groups, *kernel].
    """
    n, out_channels = maps.shape[:2]
    if groups == 1 and takes_runs(image.shape[2:], window, maps.shape[2:]):
        runs = take_runs(image, window, maps.shape[2:])
        flat = as_runs(maps, framed_lengths(image.shape[2:], window))
        return np.matmul(flat, runs.swapaxes(1, 2)).sum(0).reshape(kernel_shape)
    columns = take(image, window, maps.shape[2:])
    c, size, count = columns.shape[1:]
    if groups == 1:
        flat = maps.reshape(n, out_channels, count)
        columns = columns.reshape(n, c * size, count)
        found = np.matmul(flat, columns.swapaxes(1, 2)).sum(0) if n != 1 else flat[0] @ columns[0].T
    elif groups == image.shape[1] == out_channels:
        found = np.einsum("ncl,nckl->ck", maps.reshape(n, out_channels, count), columns)
    else:
        grouped = columns.reshape(n, groups, c // groups * size, count)
        found = np.matmul(maps.reshape(n, groups, out_channels // groups, count), grouped.swapaxes(2, 3)).sum(0)
    return found.reshape(kernel_shape)


def transposed_lengths(image: Lengths, window: Window, output_padding: Lengths) -> Lengths:
    """The lengths of a transposed convolution's result."""
    parts = zip(image, window.kernel, window.stride, window.padding, window.dilation, output_padding, strict=True)
    return tuple([(n - 1) * s - 2 * p + d * (k - 1) + o + 1 for n, k, s, p, d, o in parts])


def _stored(kind: dtype, window: Window, output_padding: Lengths) -> dtype | None:
    """The low precision type in which PyTorch keeps what a transposed convolution adds up, without a library for it."""
    beyond = any(o >= s for o, s in zip(output_padding, window.stride, strict=True))
    return kind if kind is float16 or (kind is bfloat16 and beyond) else None


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
        window = Window(weight.shape[2:], stride, padding, dilation)
        image, kernels = wide(input), wide(weight)
        if transposed:
            lengths = transposed_lengths(input.shape[2:], window, output_padding)
            out = spread(
                image, kernels, lengths, window, groups, _stored(dtype.table[input.dtype], window, output_padding)
            )
            if bias is not None:
                lifted = wide(bias).reshape(1, -1, *(1,) * len(stride))
                out = np.add(wide(out), lifted, out=out if out.flags.c_contiguous and wide(out) is out else None)
        else:
            lengths = window.lengths(image.shape[2:])
            out = correlate(image, kernels, window, lengths, groups, None if bias is None else wide(bias))
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
        needs: Any,
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
        bias_sizes: Any,
        stride: Lengths,
        padding: Lengths,
        dilation: Lengths,
        transposed: bool,
        output_padding: Lengths,
        groups: int,
        output_mask: tuple[bool, ...],
    ) -> Any:
        window = Window(weight.shape[2:], stride, padding, dilation)
        kind = dtype.table[input.dtype]
        maps, image, kernels = wide(grad_output), wide(input), wide(weight)
        if image.dtype.kind == "c":
            image, kernels = image.conj(), kernels.conj()
        found: list[Any] = [None, None, None]
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
                found[1] = contract(*pair, weight.shape, window, groups)
        for i in (0, 1):
            if found[i] is not None:
                found[i] = following(cast(found[i], kind), input, weight)
        if output_mask[2]:
            found[2] = cast(maps.sum(axis=(0, *range(2, maps.ndim))), kind)
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
        needs: Any,
    ) -> V:
        window = (stride, padding, dilation, transposed, output_padding, groups)
        of_input, of_weight, of_bias = g
        gradients: list[Any] = [None, None, None]
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
