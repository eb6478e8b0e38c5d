"""Columns: the windows that a kernel sees as it slides over images, laid out as one matrix, and the way back.

A window is described by `kernel`, `stride`, `padding` and `dilation`, each with one number per dim of the image.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

Lengths = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """How a kernel slides over an image."""

    kernel: Lengths
    stride: Lengths
    padding: Lengths
    dilation: Lengths

    def lengths(self, image: Lengths) -> Lengths:
        """How many places the kernel has along each dim of an image."""
        return tuple(
            [
                (n + 2 * p - d * (k - 1) - 1) // s + 1
                for n, k, s, p, d in zip(image, self.kernel, self.stride, self.padding, self.dilation, strict=True)
            ]
        )

    def is_single(self) -> bool:
        """True for a kernel of one element that visits every pixel once."""
        return all(k == s == 1 for k, s in zip(self.kernel, self.stride, strict=True)) and not any(self.padding)

    def parts(self, places: Lengths) -> Any:
        """For each element of the kernel: its index, and the slices of the padded image that it meets."""
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


def padded(value: Any, padding: Lengths, fill: float = 0) -> Any:
    """An image [N, C, ...] with a frame of `fill`."""
    if not any(padding):
        return value
    shape = (*value.shape[:2], *(n + 2 * p for n, p in zip(value.shape[2:], padding, strict=True)))
    out = np.full(shape, fill, value.dtype) if fill else np.zeros(shape, value.dtype)
    out[(slice(None), slice(None), *(slice(p, p + n) for p, n in zip(padding, value.shape[2:], strict=True)))] = value
    return out


def take(image: Any, window: Window, places: Lengths) -> Any:
    """The windows of images at the first `places` of each dim, as columns.

    Shape: [N, C, ...] -> [N, C, elements of the kernel, all places].
    """
    n, c = image.shape[:2]
    if window.is_single():
        return image.reshape(n, c, 1, math.prod(image.shape[2:]))
    image = padded(image, window.padding)
    out = np.empty((n, c, *window.kernel, *places), image.dtype)
    for offset, part in window.parts(places):
        out[(slice(None), slice(None), *offset)] = image[(slice(None), slice(None), *part)]
    return out.reshape(n, c, math.prod(window.kernel), math.prod(places))


def reach(lengths: Lengths, framed: Lengths) -> int:
    """How many elements of a row-major `framed` image lie from the first to the last of `lengths` places."""
    count, step = 1, 1
    for n, m in zip(reversed(lengths), reversed(framed), strict=True):
        count += (n - 1) * step
        step *= m
    return count


def framed_lengths(image: Lengths, window: Window) -> Lengths:
    """The lengths of an image with its padding."""
    return tuple([n + 2 * p for n, p in zip(image, window.padding, strict=True)])


def takes_runs(image: Lengths, window: Window, places: Lengths) -> bool:
    """True for windows that move by one element and seldom over the end of a row; see `take_runs`."""
    if max(window.stride) != 1 or min(window.padding) < 0 or window.is_single():
        return False
    return reach(places, framed_lengths(image, window)) <= 1.5 * math.prod(places)


def take_runs(image: Any, window: Window, places: Lengths) -> Any:
    """The windows as columns like `take`, in one run of memory for each element of the kernel.

    The places follow each other as in the padded image, so those between the end of a row and the start of the next
    are there too: `rows_of_runs` leaves them out.

    Shape: [N, C, ...] -> [N, C * elements of the kernel, reach of the places].
    """
    n, c = image.shape[:2]
    framed = framed_lengths(image.shape[2:], window)
    image = np.ascontiguousarray(padded(image, window.padding))
    steps = [d * math.prod(framed[i + 1 :]) * image.itemsize for i, d in enumerate(window.dilation)]
    count = reach(places, framed)
    strides = (*image.strides[:2], *steps, image.itemsize)
    runs: Any = np.ndarray((n, c, *window.kernel, count), image.dtype, image, 0, strides)
    return runs.reshape(n, c * math.prod(window.kernel), count)


def rows_of_runs(runs: Any, framed: Lengths, places: Lengths) -> Any:
    """What lies at the places of runs, as a view: [N, C, reach of the places] -> [N, C, *places]."""
    steps = [math.prod(framed[i + 1 :]) * runs.itemsize for i in range(len(framed))]
    return np.ndarray((*runs.shape[:2], *places), runs.dtype, runs, 0, (*runs.strides[:2], *steps))


def as_runs(value: Any, framed: Lengths) -> Any:
    """Values at places as runs, with zeros in between: the transpose of `rows_of_runs`."""
    out = np.zeros((*value.shape[:2], reach(value.shape[2:], framed)), value.dtype)
    rows_of_runs(out, framed, value.shape[2:])[...] = value
    return out


def put(columns: Any, image: Lengths, window: Window, places: Lengths) -> Any:
    """Images in which every element is the sum of the columns' elements that `take` reads there.

    Shape: [N, C, elements of the kernel, all places] -> [N, C, *image].
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
