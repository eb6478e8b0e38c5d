"""unfold and fold, and the shuffles: pixels of images rearranged."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import argument_error, export
from backscope.ops.layers.im2col import Lengths, Window, put, take
from backscope.runtime.given import Shape, Value, Values
from backscope.tensor.tensor import Tensor


@op(
    grad_fn="Im2ColBackward0",
    symbol="unfold",
    latex={"self": r"\text{fold}(g)"},
    summary={"self": "adds the incoming gradient of all windows at the pixels that they see"},
)
class im2col:
    """The windows of images as columns."""

    def forward(self: A, kernel_size: Lengths, dilation: Lengths, padding: Lengths, stride: Lengths) -> A:
        window = Window(kernel_size, stride, padding, dilation)
        images = self if self.ndim == 4 else self[None]
        n, c = images.shape[:2]
        places = window.lengths(images.shape[2:])
        out = take(images, window, places).reshape(n, c * math.prod(kernel_size), math.prod(places))
        return out.copy() if self.ndim == 4 else out[0].copy()

    def grad_self(g: V, self_shape: V, kernel_size: V, dilation: V, padding: V, stride: V) -> V:
        return xp.col2im(g, tuple(self_shape)[-2:], kernel_size, dilation, padding, stride)


@op(
    grad_fn="Col2ImBackward0",
    symbol="fold",
    latex={"self": r"\text{unfold}(g)"},
    summary={"self": "takes the windows of the incoming gradient"},
)
class col2im:
    """Images in which every pixel is the sum of what the columns have there."""

    def forward(
        self: A, output_size: Lengths, kernel_size: Lengths, dilation: Lengths, padding: Lengths, stride: Lengths
    ) -> A:
        window = Window(kernel_size, stride, padding, dilation)
        columns = self if self.ndim == 3 else self[None]
        size = math.prod(kernel_size)
        n, channels = columns.shape[0], columns.shape[1] // size
        places = window.lengths(output_size)
        out = put(columns.reshape(n, channels, size, math.prod(places)), output_size, window, places)
        return out.copy() if self.ndim == 3 else out[0].copy()

    def grad_self(g: V, kernel_size: V, dilation: V, padding: V, stride: V) -> V:
        return xp.im2col(g, kernel_size, dilation, padding, stride)


def _pair(name: str, parameter: str, value: Value) -> Lengths:
    found = (int(value),) * 2 if isinstance(value, int) else tuple([int(v) for v in value])
    if len(found) == 1:
        found = found * 2
    if len(found) != 2:
        raise RuntimeError(f"It is expected {parameter} equals to 2, but got size {len(found)}")
    return found


def _check_window(kernel: Lengths, dilation: Lengths, padding: Lengths, stride: Lengths) -> None:
    for word, lengths, least in (
        ("kernel size", kernel, 1), ("stride", stride, 1), ("dilation", dilation, 1), ("padding", padding, 0),
    ):  # fmt: skip
        if min(lengths) < least:
            names = {"kernel size": "kernel", "stride": "stride", "dilation": "dilation", "padding": "padding"}
            sign = "non-negative" if least == 0 else "greater than zero"
            short = names[word]
            raise RuntimeError(
                f"{word} should be {sign}, but got {short}_height: {lengths[0]} {short}_width: {lengths[1]}"
            )


@export("unfold", function=False, method=False, nn=True)
def _unfold(input: Value, kernel_size: Shape, dilation: Shape = 1, padding: Shape = 0, stride: Shape = 1) -> Any:  # noqa: A002
    """The windows of images as columns; RuntimeError for images too small for one.

    Shape: [N, C, H, W] -> [N, C * elements of a window, windows].
    """
    if not isinstance(input, Tensor):
        raise argument_error("im2col", "input", 1, input)
    kernel, gaps, pads, steps = (
        _pair("im2col", name, v)
        for name, v in (
            ("kernel_size", kernel_size), ("dilation", dilation), ("padding", padding), ("stride", stride),
        )
    )  # fmt: skip
    _check_window(kernel, gaps, pads, steps)
    shape = input._data.shape
    if len(shape) < 3:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [-{len(shape)}, {len(shape) - 1}], but got "
            f"{max(len(shape), 1)})"
        )
    if len(shape) > 4 or 0 in shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            f"input, but got: {list(shape)}"
        )
    places = Window(kernel, steps, pads, gaps).lengths(shape[-2:])
    if min(places) < 1:
        raise RuntimeError(
            f"Given input with spatial size {_of(shape[-2:])}, kernel_size={_of(kernel)}, dilation={_of(gaps)}, "
            f"padding={_of(pads)}, calculated shape of the array of sliding blocks as {_of(places)}, but its "
            "components must be at least one."
        )
    return apply(primitives["im2col"], input, kernel, gaps, pads, steps)


def _of(lengths: Values) -> str:
    return "(" + ", ".join(str(n) for n in lengths) + ")"


@export("fold", function=False, method=False, nn=True)
def _fold(
    input: Value,  # noqa: A002
    output_size: Shape,
    kernel_size: Shape,
    dilation: Shape = 1,
    padding: Shape = 0,
    stride: Shape = 1,
) -> Any:
    """Images in which every pixel is the sum of what the columns have there; RuntimeError for columns that do not fit.

    Shape: [N, C * elements of a window, windows] -> [N, C, *output_size].
    """
    if not isinstance(input, Tensor):
        raise argument_error("col2im", "input", 1, input)
    size, kernel, gaps, pads, steps = (
        _pair("col2im", name, v)
        for name, v in (
            ("output_size", output_size), ("kernel_size", kernel_size), ("dilation", dilation),
            ("padding", padding), ("stride", stride),
        )
    )  # fmt: skip
    _check_window(kernel, gaps, pads, steps)
    shape = input._data.shape
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(shape)}"
        )
    count = math.prod(kernel)
    if shape[-2] % count:
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={shape[-2]} and kernel_size={_of(kernel)}."
        )
    places = Window(kernel, steps, pads, gaps).lengths(size)
    if math.prod(places) != shape[-1]:
        raise RuntimeError(
            f"Given output_size={_of(size)}, kernel_size={_of(kernel)}, dilation={_of(gaps)}, padding={_of(pads)}, "
            f"stride={_of(steps)}, expected size of input's dimension 2 to match the calculated number of sliding "
            f"blocks {places[0]} * {places[1]} = {math.prod(places)}, but got input.size(2)={shape[-1]}."
        )
    return apply(primitives["col2im"], input, size, kernel, gaps, pads, steps)


@op(
    symbol="shuffle",
    latex={"self": r"\text{unshuffle}(g)"},
    summary={"self": "puts the pixels of the incoming gradient back into channels"},
)
class pixel_shuffle:
    """Channels turned into pixels: images larger by a factor."""

    def forward(self: A, upscale_factor: int) -> A:
        r = upscale_factor
        *lead, c, h, w = self.shape
        n = len(lead)
        parts = self.reshape(*lead, c // (r * r), r, r, h, w)
        turned = parts.transpose(*range(n + 1), n + 3, n + 1, n + 4, n + 2)
        return np.array(turned.reshape(*lead, c // (r * r), h * r, w * r), order="C")

    def grad_self(g: V, upscale_factor: V) -> V:
        return xp.pixel_unshuffle(g, upscale_factor)


@op(
    symbol="unshuffle",
    latex={"self": r"\text{shuffle}(g)"},
    summary={"self": "turns the channels of the incoming gradient back into pixels"},
)
class pixel_unshuffle:
    """Pixels turned into channels: images smaller by a factor."""

    def forward(self: A, downscale_factor: int) -> A:
        r = downscale_factor
        *lead, c, h, w = self.shape
        n = len(lead)
        parts = self.reshape(*lead, c, h // r, r, w // r, r)
        turned = parts.transpose(*range(n + 1), n + 2, n + 4, n + 1, n + 3)
        return np.array(turned.reshape(*lead, c * r * r, h // r, w // r), order="C")

    def grad_self(g: V, downscale_factor: V) -> V:
        return xp.pixel_shuffle(g, downscale_factor)


@op(
    symbol="shuffle",
    latex={"self": r"\text{unshuffle}(g)"},
    summary={"self": "puts the channels of the incoming gradient back in order"},
)
class channel_shuffle:
    """Groups of channels interleaved."""

    def forward(self: A, groups: int) -> A:
        n, c = self.shape[:2]
        parts = self.reshape(n, groups, c // groups, *self.shape[2:])
        return np.array(parts.swapaxes(1, 2).reshape(self.shape), order="C")

    def grad_self(g: V, groups: V) -> V:
        return xp.channel_shuffle(g, g.shape[1] // groups)


def _check_shuffle(name: str, input: Tensor, factor: int) -> None:  # noqa: A002
    if input._data.ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {input._data.ndim} dimension(s)"
        )
    if factor <= 0:
        word = "n upscale_factor" if name == "pixel_shuffle" else " positive downscale_factor"
        but = f"{name} expects a positive {word.split()[-1]}, but got {factor}"
        raise RuntimeError(but)


@export("pixel_shuffle", method=False, nn=True)
def _pixel_shuffle(input: Tensor, upscale_factor: int) -> Any:  # noqa: A002
    """Channels turned into pixels.

    Shape: [..., C * r * r, H, W] -> [..., C, H * r, W * r].
    """
    _check_shuffle("pixel_shuffle", input, upscale_factor)
    channels = input._data.shape[-3]
    if channels % (upscale_factor**2):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {upscale_factor**2}"
        )
    return apply(primitives["pixel_shuffle"], input, int(upscale_factor))


@export("pixel_unshuffle", method=False, nn=True)
def _pixel_unshuffle(input: Tensor, downscale_factor: int) -> Any:  # noqa: A002
    """Pixels turned into channels.

    Shape: [..., C, H * r, W * r] -> [..., C * r * r, H, W].
    """
    _check_shuffle("pixel_unshuffle", input, downscale_factor)
    for d, word in ((-2, "height"), (-1, "width")):
        n = input._data.shape[d]
        if n % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {word} to be divisible by downscale_factor, but input.size({d})={n} is not "
                f"divisible by {downscale_factor}"
            )
    return apply(primitives["pixel_unshuffle"], input, int(downscale_factor))


@export("channel_shuffle", "native_channel_shuffle", method=False, nn=True)
def _channel_shuffle(input: Tensor, groups: int) -> Any:  # noqa: A002
    """Groups of channels interleaved.

    Shape: [N, C, ...] -> [N, C, ...].
    """
    if input._data.ndim < 3:
        raise RuntimeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input._data.shape)}"
        )
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    channels = input._data.shape[1]
    if channels % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )
    return apply(primitives["channel_shuffle"], input, int(groups))
