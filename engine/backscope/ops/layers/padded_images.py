"""Frames: images in one array with zeros between them, in which the windows of a kernel are runs of memory.

For a kernel that moves by one element, each of its elements is multiplied with a run of the framed image: the positions
of a row follow each other, and so do the rows.  Between two rows a run includes the zeros of the frame, and so a few
results that are dropped.  One copy per element of the kernel then makes columns for a matrix product of all windows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from backscope.ops.layers.im2col import Lengths, Window
from backscope.runtime.given import Array, Value, Values

COLUMN_BYTES = 1 << 20
"""The size of columns at once: they should fit in a core's own cache until the product is computed."""

NARROW = 16
"""The number of rows below which matrices are multiplied at half the speed."""


class Frame:
    """The layout of images [N, C, *lengths] in an array of zeros, and of the windows over them.

    The zeros behind a row are those in front of the next one.  `count` is the number of positions in a run, `rows` the
    number of kernel elements that make the columns of one matrix.  Where adding is cheaper than copying, each row of
    the kernel is a `part` of its own: all parts read the same runs, each a few rows of the image further.
    """

    def __init__(self, shape: Lengths, window: Window, places: Lengths, out: int, groups: int, itemsize: int) -> None:
        n, c, *lengths = shape
        kernel, padding = window.kernel, window.padding
        widths = [max(m + p, q) for m, p, q in zip(lengths, padding, places, strict=True)]
        steps = [math.prod(widths[i + 1 :]) for i in range(len(widths))]
        size = math.prod(widths)
        jumps = [d * s for d, s in zip(window.dilation, steps, strict=True)]
        far = sum([(k - 1) * j for k, j in zip(kernel, jumps, strict=True)])
        self.places = places
        self.kernel = kernel
        self.groups = groups
        self.itemsize = itemsize
        self.count = 1 + sum([(m - 1) * s for m, s in zip(places, steps, strict=True)])
        self.total = n * c * size + max(far + self.count - size, 0)
        self.shape = shape
        self.origin = sum([p * s for p, s in zip(padding, steps, strict=True)]) * itemsize
        self.strides = (c * size * itemsize, size * itemsize, *[s * itemsize for s in steps])
        apart = c * math.prod(kernel[1:])
        adds = groups == 1 and len(kernel) > 1 and kernel[0] > 1 and apart >= NARROW
        self.parts = kernel[0] if adds and apart * (kernel[0] - 1) > 2 * kernel[0] * out else 1
        inner = 1 if self.parts > 1 else 0
        runs = c * math.prod(kernel[inner:])
        length = self.count + (self.parts - 1) * jumps[0]
        self.rows = runs // groups
        self.step = min(max(COLUMN_BYTES // (runs * length * itemsize), 1), n)
        self.run_shape = shape = (c, *kernel[inner:], length)
        self.inner_strides = tuple([math.prod(shape[i + 1 :]) * itemsize for i in range(len(shape))])
        self.run_strides = (*self.strides[:2], *[j * itemsize for j in jumps[inner:]], itemsize)
        between = jumps[0] if self.parts > 1 else self.rows * length
        self.column_shape = (self.parts * groups, self.rows, self.count)
        self.column_strides = (between * itemsize, length * itemsize, itemsize)
        self.runs, self.length = runs, length
        self.takes_ones = self.parts == groups == 1

    def filled(self, image: Value) -> Array:
        """The array of zeros with the images in it."""
        flat = np.zeros(self.total, image.dtype)
        inside: Any = np.ndarray(self.shape, image.dtype, flat, self.origin, self.strides)
        inside[...] = image
        return flat

    def columns(self, image: Value, *, ones: bool = False) -> Iterator[tuple[slice, Any]]:
        """The windows of some images after others: which, and their columns [images, parts or groups, rows, count].

        With `ones` there is a last row of ones, where the frame `takes_ones`.
        """
        flat = self.filled(image)
        kind, n, step = image.dtype, self.shape[0], self.step
        rows = self.runs + ones
        copied = np.empty((step, rows, self.length), kind)
        stride = rows * self.length * self.itemsize
        shape = (self.column_shape[0], self.rows + ones, self.count)
        if ones:
            copied[:, -1] = 1
        for start in range(0, n, step):
            some = min(step, n - start)
            runs: Any = np.ndarray((some, *self.run_shape), kind, copied, 0, (stride, *self.inner_strides))
            runs[...] = np.ndarray((some, *self.run_shape), kind, flat, start * self.strides[0], self.run_strides)
            columns: Any = np.ndarray((some, *shape), kind, copied, 0, (stride, *self.column_strides))
            yield slice(start, start + some), columns

    def at_places(self, product: Array) -> Array:
        """The sums of all parts, or all groups, at the places alone: [N, parts or groups, O, count] -> [N, O, *places].

        The sums are made in the first part, of which this is a view.
        """
        for i in range(1, self.parts):
            product[:, 0] += product[:, i]
        n, _, out, _ = product.shape
        strides = (product.strides[0], product.strides[2], *self.strides[2:])
        return np.ndarray((n, out * self.groups, *self.places), product.dtype, product, 0, strides)

    def spaced(self, values: Values) -> Array:
        """Values at places, and zeros in between, as matrices: [N, O, *places] -> [N, groups, count, O of a group]."""
        n, o = values.shape[:2]
        width = self.count * self.itemsize
        out = np.zeros((n, self.groups, o // self.groups, self.count), values.dtype)
        inside: Any = np.ndarray(values.shape, values.dtype, out, 0, (o * width, width, *self.strides[2:]))
        inside[...] = values
        return out.swapaxes(2, 3)

    def matrices(self, weight: Value, bias: Value = None) -> Array:
        """Kernels for the columns: [O, C of a group, *kernel] -> [parts or groups, O of a group, rows].

        A bias, where the frame `takes_ones`, is what the kernels have for these.
        """
        if self.parts > 1:
            return weight.transpose(2, 0, 1, *range(3, weight.ndim)).reshape(self.parts, len(weight), self.rows)
        if bias is None:
            return weight.reshape(self.groups, len(weight) // self.groups, self.rows)
        made = np.empty((1, len(weight), self.rows + 1), weight.dtype)
        made[0, :, :-1] = weight.reshape(len(weight), self.rows)
        made[0, :, -1] = bias
        return made

    def kernels(self, found: Value) -> Array:
        """The reverse, of transposed matrices: [parts or groups, rows, O of a group] -> [O, C of a group, *kernel]."""
        c, out = self.shape[1], found.shape[2]
        if self.parts > 1:
            parted = found.reshape(self.parts, c, *self.kernel[1:], out)
            return parted.transpose(parted.ndim - 1, 1, 0, *range(2, parted.ndim - 1))
        return found.swapaxes(1, 2).reshape(self.groups * out, c // self.groups, *self.kernel)


@lru_cache(1024)
def framing(shape: Lengths, window: Window, places: Lengths, out: int, groups: int, itemsize: int) -> Frame | None:
    """Return the frame for the first `places` of a window over images, for sums of products with `out` kernels.

    Returns None where windows don't move by one element, or cross the end of a row too often.
    """
    if max(window.stride) != 1 or min(window.padding) < 0 or window.is_single() or 0 in shape or min(places) < 1:
        return None
    frame = Frame(shape, window, places, out, groups, itemsize)
    return frame if frame.count <= 1.5 * math.prod(places) else None


def correlated(image: Value, weight: Value, frame: Frame, bias: Value = None) -> Array:
    """Multiply every kernel with every window and add the bias.

    Shape: image [N, C, ...], weight [O, C of a group, *kernel] -> [N, O, *places].
    """
    ones = bias is not None and frame.takes_ones
    matrices = frame.matrices(weight, bias if ones else None)
    out = np.empty((len(image), len(weight), *frame.places), image.dtype)
    for some, columns in frame.columns(image, ones=ones):
        made = out[some]
        made[...] = frame.at_places(np.matmul(matrices, columns))
        if bias is not None and not ones:
            flat = made.reshape(len(made), len(weight), -1)
            flat += bias[:, None]
    return out


def contracted(image: Value, maps: Array, frame: Frame, *, sums: bool = False) -> tuple[Any, Any]:
    """The products of maps with windows, summed over the places; and, for `sums`, the maps' own sums.

    These are None where the frame can't give them along the way: it `takes_ones` or not.
    Shape: image [N, C, ...], maps [N, O, *places] -> [O, C of a group, *kernel], [O].
    """
    ones = sums and frame.takes_ones
    found: Any = None
    for some, columns in frame.columns(image, ones=ones):
        products = np.add.reduce(np.matmul(columns, frame.spaced(maps[some])), 0)
        found = products if found is None else found + products
    return (frame.kernels(found[:, :-1]), found[0, -1]) if ones else (frame.kernels(found), None)


def correlated_and_contracted(image: Value, weight: Value, maps: Array, frame: Frame) -> tuple[Any, Any]:
    """Compute correlated() and contracted(), without a bias and without sums, from the same columns."""
    matrices = frame.matrices(weight)
    out = np.empty((len(image), len(weight), *frame.places), image.dtype)
    found: Any = None
    for some, columns in frame.columns(image):
        out[some] = frame.at_places(np.matmul(matrices, columns))
        products = np.add.reduce(np.matmul(columns, frame.spaced(maps[some])), 0)
        found = products if found is None else found + products
    return out, frame.kernels(found)
