"""im2col and its inverse: the windows of a kernel over images as the columns of one matrix.

A window is described by `kernel`, `stride`, `padding` and `dilation`, each with one number per dim of the image.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from backscope.runtime.given import Array, Value

Lengths = tuple[int, ...]


class Window(NamedTuple):
    """The geometry of a kernel that slides over an image."""

    kernel: Lengths
    stride: Lengths
    padding: Lengths
    dilation: Lengths

    def lengths(self, image: Lengths) -> Lengths:
        """Return the number of positions of the kernel along each dim of an image."""
        return tuple(
            [
                (n + 2 * p - d * (k - 1) - 1) // s + 1
                for n, k, s, p, d in zip(image, self.kernel, self.stride, self.padding, self.dilation, strict=True)
            ]
        )

    def is_single(self) -> bool:
        """True for a kernel of one element that visits every pixel once."""
        return all(k == s == 1 for k, s in zip(self.kernel, self.stride, strict=True)) and not any(self.padding)

    def parts(self, places: Lengths) -> Iterator[tuple[Any, ...]]:
        """Yield for each element of the kernel its index, and the slices of the padded image under it."""
        for offset in itertools.product(*[range(k) for k in self.kernel]):
            yield (
                offset,
                tuple(
                    [
                        slice(o * d, o * d + s * (n - 1) + 1, s)
                        for o, d, s, n in zip(offset, self.dilation, self.stride, places, strict=True)
                    ]
                ),
            )


def padded(value: Value, padding: Lengths, fill: float = 0) -> Array:
    """An image [N, C, ...] with a frame of `fill`."""
    if not any(padding):
        return value
    shape = (*value.shape[:2], *(n + 2 * p for n, p in zip(value.shape[2:], padding, strict=True)))
    out = np.full(shape, fill, value.dtype) if fill else np.zeros(shape, value.dtype)
    out[(slice(None), slice(None), *(slice(p, p + n) for p, n in zip(padding, value.shape[2:], strict=True)))] = value
    return out


def take(image: Value, window: Window, places: Lengths) -> Array:
    """The windows of images at the first `places` of each dim, as columns.

    Shape: [N, C, ...] -> [N, C, elements of the kernel, all places].
    """
    n, c = image.shape[:2]
    if window.is_single():
        return image.reshape(n, c, 1, math.prod(image.shape[2:]))
    image = np.ascontiguousarray(padded(image, window.padding))
    outer, steps = image.strides[:2], image.strides[2:]
    strides = (
        *outer,
        *[d * t for d, t in zip(window.dilation, steps, strict=True)],
        *[s * t for s, t in zip(window.stride, steps, strict=True)],
    )
    windows: Any = np.ndarray((n, c, *window.kernel, *places), image.dtype, image, 0, strides)
    return windows.reshape(n, c, math.prod(window.kernel), math.prod(places))


def put(columns: Value, image: Lengths, window: Window, places: Lengths) -> Array:
    """Add up the columns' elements at the pixels that `take` reads them from.

    Shape: [N, C, elements of the kernel, all places] -> [N, C, ...].
    """
    n, c = columns.shape[:2]
    if window.is_single():
        return columns.reshape(n, c, *image)
    columns = columns.reshape(n, c, *window.kernel, *places)
    framed = [m + 2 * p for m, p in zip(image, window.padding, strict=True)]
    out = np.zeros((n, c, *framed), columns.dtype)
    for offset, part in window.parts(places):
        out[(slice(None), slice(None), *part)] += columns[(slice(None), slice(None), *offset)]
    inner = tuple([slice(p, p + m) for p, m in zip(window.padding, image, strict=True)])
    return out[(slice(None), slice(None), *inner)]
