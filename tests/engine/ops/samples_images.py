"""Samples of the ops on images: padding, convolution, pooling, resampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from backscope_op_samples import WIDE, Sample, gradient_of, values

LINE = values(2, 3, 5, low=-1.0, seed=20)
IMAGE = values(2, 2, 4, 5, low=-1.0, seed=21)
VOLUME = values(1, 2, 3, 4, 3, low=-1.0, seed=22)
IMAGES = {1: LINE, 2: IMAGE, 3: VOLUME}


def pair(op: str, call: Callable[..., Any], *inputs: np.ndarray[Any, Any], backward: str = "", **options: Any) -> Any:
    """A sample of an op and one of the op that its gradient is, whose second input is the first's."""

    def again(t: Any, g: Any, x: Any, *rest: Any) -> Any:
        return gradient_of(call)(t, g.expand(call(t, x, *rest).shape), x, *rest)

    weight = values(1, low=0.4, high=0.6)
    return [
        Sample(op, call, inputs, **options),
        Sample(backward or op + "_backward", again, (weight, *inputs), **options),
    ]


def pad(mode: str, *lengths: int) -> Callable[..., Any]:
    """A call that pads."""
    return lambda t, x: t.nn.functional.pad(x, lengths, mode)


PADDING = [
    Sample("constant_pad_nd", lambda t, x: t.nn.functional.pad(x, (1, -1, 0, 2), value=0.5), (IMAGE,)),
    *[
        sample
        for d in (1, 2, 3)
        for name, mode in (("reflection", "reflect"), ("replication", "replicate"))
        for sample in pair(f"{name}_pad{d}d", pad(mode, *(1, 2) * d), IMAGES[d])
    ],
]

KERNEL = values(4, 2, 3, 2, low=-1.0, seed=23)
GROUPED = values(2, 1, 3, 2, low=-1.0, seed=24)
BIAS = values(4, low=-1.0, seed=25)

CONVOLUTION = [
    *pair("convolution", lambda t, x, w, b: t.conv2d(x, w, b, (1, 2), (1, 0), (1, 2)), IMAGE, KERNEL, BIAS, kinds=WIDE),
    *pair("convolution", lambda t, x, w: t.conv2d(x, w, groups=2), IMAGE, GROUPED),
    *pair("convolution", lambda t, x, w: t.conv2d(x, w, None, 2, groups=2), IMAGE, np.tile(GROUPED, (2, 1, 1, 1))),
    *pair("convolution", lambda t, x, w: t.conv1d(x, w), LINE, values(2, 3, 1, low=-1.0)),
    *pair("convolution", lambda t, x, w: t.conv_transpose1d(x, w, None, 2, 1, 1), LINE, values(3, 2, 3, low=-1.0)),
    *pair(
        "convolution",
        lambda t, x, w: t.conv_transpose2d(x, w, None, 2, groups=2, dilation=2),
        IMAGE[:, :, :2, :2],
        GROUPED[:, :, :2],
    ),
]


def pool(name: str, *args: Any, **options: Any) -> Callable[..., Any]:
    """A call of a pooling in torch.nn.functional."""
    return lambda t, x: getattr(t.nn.functional, name)(x, *args, **options)


def pool_at_random(dims: int) -> Callable[..., Any]:
    """A call of fractional pooling with windows at given places."""

    def call(t: Any, x: Any) -> Any:
        chances = t.linspace(0.1, 0.8, x.shape[0] * x.shape[1] * dims).to(x.dtype).reshape(*x.shape[:2], dims)
        return getattr(t.nn.functional, f"fractional_max_pool{dims}d")(x, 2, 2, _random_samples=chances)

    return call


def unpool(dims: int) -> Callable[..., Any]:
    """A call that puts the elements of an image of two elements a dim at every other place of a larger one."""

    def call(t: Any, x: Any) -> Any:
        _, indices = getattr(t.nn.functional, f"max_pool{dims}d")(t.ones(1, 1, *(4,) * dims), 2, return_indices=True)
        return getattr(t.nn.functional, f"max_unpool{dims}d")(x, indices, 2)

    return call


def second_gradient(call: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient, for v, of the gradient of a pooling with respect to its input."""

    def again(t: Any, v: Any, x: Any) -> Any:
        out = call(t, x)
        g = t.ones_like(out, requires_grad=True)
        (gradient,) = t.autograd.grad(out, x, g, create_graph=True)
        return t.autograd.grad(gradient, g, v, create_graph=True)[0]

    return again


POOLING = [
    *[
        sample
        for d in (2, 3)
        for sample in (
            *pair(f"max_pool{d}d_with_indices", pool(f"max_pool{d}d", 2, 1, 1), IMAGES[d]),
            *pair(f"avg_pool{d}d", pool(f"avg_pool{d}d", 2, 1, 1, count_include_pad=False), IMAGES[d], kinds=WIDE),
            *pair(
                f"avg_pool{d}d",
                pool(f"avg_pool{d}d", 3, 2, 1, ceil_mode=True, divisor_override=4),
                IMAGES[d],
                kinds=WIDE,
            ),
            *pair(f"adaptive_avg_pool{d}d", pool(f"adaptive_avg_pool{d}d", 2), IMAGES[d]),
            *pair(f"adaptive_max_pool{d}d", pool(f"adaptive_max_pool{d}d", 3), IMAGES[d]),
            *pair(f"fractional_max_pool{d}d", pool_at_random(d), values(1, 2, *(4,) * d, low=-1.0), kinds=()),
            Sample(f"max_unpool{d}d", unpool(d), (values(1, 1, *(2,) * d, low=-1.0),)),
        )
    ],
    Sample("read_at_largest", second_gradient(pool("max_pool2d", 2)), (IMAGE, IMAGE)),
    Sample(
        "place_at_largest",
        gradient_of(second_gradient(pool("max_pool2d", 2))),
        (values(2, 2, 2, 2, seed=26), IMAGE, IMAGE),
    ),
]


def resize(mode: str, **options: Any) -> Callable[..., Any]:
    """A call of interpolate."""
    return lambda t, x: t.nn.functional.interpolate(x, mode=mode, **options)


SAMPLED = values(2, 2, 3, 4, low=-1.0, seed=21)
"""Smaller than an image: second derivatives by differences take two passes for each element of it and of the grid."""
GRID = values(2, 2, 1, 2, low=-0.9, high=0.83, seed=27)
VOLUME_GRID = values(1, 2, 2, 1, 3, low=-0.9, high=0.83, seed=28)


def sample_grid(mode: str, padding_mode: str) -> Callable[..., Any]:
    """A call of grid_sample."""
    return lambda t, x, g: t.nn.functional.grid_sample(x, g, mode, padding_mode, align_corners=False)


RESAMPLING = [
    *[
        sample
        for d in (1, 2, 3)
        for sample in (
            *pair(f"upsample_nearest{d}d", resize("nearest", scale_factor=1.7), IMAGES[d]),
            *pair(f"upsample_nearest_exact{d}d", resize("nearest-exact", size=3), IMAGES[d]),
        )
    ],
    *pair("upsample_linear1d", resize("linear", size=4, align_corners=True), LINE, kinds=WIDE),
    *pair("upsample_bilinear2d", resize("bilinear", scale_factor=1.6), IMAGE, kinds=WIDE),
    *pair("upsample_trilinear3d", resize("trilinear", size=3), VOLUME, kinds=WIDE),
    *pair("upsample_bicubic2d", resize("bicubic", size=(3, 7)), IMAGE, kinds=WIDE),
    *pair("upsample_bilinear2d_aa", resize("bilinear", size=3, antialias=True), IMAGE, kinds=WIDE),
    *pair("upsample_bicubic2d_aa", resize("bicubic", size=3, antialias=True), IMAGE, kinds=WIDE),
    *pair("upsample_lanczos2d_aa", resize("lanczos", size=3, antialias=True), IMAGE, kinds=WIDE),
    Sample("im2col", lambda t, x: t.nn.functional.unfold(x, 2, (1, 2), 1, 2), (IMAGE,)),
    Sample("col2im", lambda t, x: t.nn.functional.fold(x, (3, 4), 2), (values(2, 8, 6, low=-1.0),)),
    Sample("pixel_shuffle", lambda t, x: t.pixel_shuffle(x, 2), (values(1, 4, 2, 3, low=-1.0),)),
    Sample("pixel_unshuffle", lambda t, x: t.pixel_unshuffle(x, 2), (values(1, 1, 4, 2, low=-1.0),)),
    Sample("channel_shuffle", lambda t, x: t.channel_shuffle(x, 2), (values(1, 6, 2, low=-1.0),)),
    *[
        Sample("grid_sampler_2d", sample_grid(mode, padding), (SAMPLED, GRID), kinds=WIDE)
        for mode, padding in (("bilinear", "zeros"), ("bilinear", "reflection"), ("bicubic", "border"))
    ],
    Sample("grid_sampler_3d", sample_grid("bilinear", "zeros"), (VOLUME, VOLUME_GRID), kinds=WIDE),
    *pair(
        "affine_grid_generator",
        lambda t, x: t.nn.functional.affine_grid(x, (2, 1, 2, 3), align_corners=False),
        values(2, 2, 3, low=-1.0),
        kinds=WIDE,
    ),
]

SAMPLES = [*PADDING, *CONVOLUTION, *POOLING, *RESAMPLING]
