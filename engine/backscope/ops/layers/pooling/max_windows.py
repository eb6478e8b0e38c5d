"""The largest element of each window of an image, and where it is."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from backscope.ops.core.cache import recalled
from backscope.ops.layers.pooling.pool_geometry import Lengths, Pool
from backscope.runtime.given import Array, Value, Values


def largest_at(value: Value, places: list[Any]) -> tuple[Any, Any]:
    """The largest of the elements at `places`, and its index in the flat image; a NaN is larger than any number.

    Shape: value [..., *image], places one [out, kernel] per dim of the image -> [..., *out] twice.
    """
    dims = len(places)
    image = value.shape[value.ndim - dims :]
    flat: Any = np.zeros((1,) * (2 * dims), np.int64)
    for d, at in enumerate(places):
        shape = [1] * (2 * dims)
        shape[d], shape[dims + d] = at.shape
        flat = flat * image[d] + at.reshape(shape)
    out = tuple(at.shape[0] for at in places)
    flat = flat.reshape(math.prod(out), -1)
    lead = value.shape[: value.ndim - dims]
    found = value.reshape(*lead, math.prod(image))[..., flat]
    which = _last_nan_or_first_largest(found)
    best = np.take_along_axis(found, which[..., None], -1)[..., 0]
    return best.reshape(*lead, *out), flat[np.arange(len(flat)), which].reshape(*lead, *out)


def _last_nan_or_first_largest(found: Value) -> Any:
    which = found.argmax(-1)
    if found.dtype.kind not in "iu":
        nan = np.isnan(found)
        if nan.any():
            last = found.shape[-1] - 1 - nan[..., ::-1].argmax(-1)
            which = np.where(nan.any(-1), last, which)
    return which


@recalled
def _places(length: int, count: int, k: int, s: int, p: int, d: int) -> Any:
    """Return the indices of each window along a dim; those out of range are replaced by the first one in range."""
    at = np.arange(count)[:, None] * s - p + np.arange(k) * d
    inside = (at >= 0) & (at < length)
    first = at[np.arange(count), inside.argmax(1)][:, None]
    # In front: the first of equal elements, and the last NaN, are then the same ones.
    ordered = np.where(inside, at, -1)
    ordered.sort(1)
    return np.where(ordered < 0, first, ordered)


class Windows:
    """The layout of a pool's windows over images of some lengths, in elements of the flat image with its frame.

    `out` are the counts of windows along each dim, `framed` the lengths of the image with padding and with the overhang
    of the last windows, `starts` the windows' starts in the image alone.  `increments` are the distances from each
    element of a window to the next; `apart` is true when no two windows overlap.
    """

    def __init__(self, image: Lengths, pool: Pool) -> None:
        self.pool = pool
        self.image = image
        self.out = out = pool.lengths(image)
        parts = list(zip(image, out, pool.kernel, pool.stride, pool.padding, pool.dilation, strict=True))
        ends = [max((o - 1) * s + d * (k - 1) + 1 - p - n, 0) for n, o, k, s, p, d in parts]
        self.framed = [n + p + e for n, p, e in zip(image, pool.padding, ends, strict=True)]
        self.inside = tuple([slice(p, p + n) for n, p in zip(image, pool.padding, strict=True)])
        self.has_frame = any(pool.padding) or any(ends)
        self.apart = all(s >= d * (k - 1) + 1 for _, _, k, s, _, d in parts)
        self.offsets = list(itertools.product(*[range(k) for k in pool.kernel]))
        self.gathers = pool.stride[-1] > 1 and len(self.offsets) <= 16
        weights = [math.prod(image[i + 1 :]) for i in range(len(image))]
        distances = [sum([i * d * w for i, d, w in zip(o, pool.dilation, weights, strict=True)]) for o in self.offsets]
        kind = np.uint8 if distances[-1] < 256 else np.uint16 if distances[-1] < 65536 else np.int64
        self.increments = [None if b - a == 1 else kind(b - a) for a, b in itertools.pairwise(distances)]
        self.kind = kind
        starts: Any = np.zeros((1,) * len(out), np.int64)
        for i, ((_, o, _, s, p, _), w) in enumerate(zip(parts, weights, strict=True)):
            starts = starts + ((np.arange(o) * s - p) * w).reshape([-1 if i == j else 1 for j in range(len(out))])
        self.starts = starts
        self.nbytes = starts.nbytes + 64 * len(self.offsets)
        steps = [math.prod(self.framed[i + 1 :]) for i in range(len(image))]
        self.steps = (
            *[d * t for d, t in zip(pool.dilation, steps, strict=True)],
            math.prod(self.framed),
            *[s * t for s, t in zip(pool.stride, steps, strict=True)],
        )

    def of(self, value: Value) -> Array:
        """The elements of all windows: [..., *image] -> for each element of the kernel [rows, *out]."""
        lead = value.shape[: value.ndim - len(self.out)]
        if self.has_frame:
            frame: Any = np.full((*lead, *self.framed), -np.inf, value.dtype)
            frame[(..., *self.inside)] = value
            value = frame
        elif not value.flags.c_contiguous:
            value = np.ascontiguousarray(value)
        rows, size = math.prod(lead), value.itemsize
        windows: Any = np.ndarray(
            (*self.pool.kernel, rows, *self.out), value.dtype, value, 0, [s * size for s in self.steps]
        )
        if self.gathers:  # Side by side they are compared many at a time.
            return windows.reshape(len(self.offsets), rows, *self.out)
        return [windows[o] for o in self.offsets]


@recalled
def windows_over(
    image: Lengths, kernel: Lengths, stride: Lengths, padding: Lengths, dilation: Lengths, ceil_mode: bool
) -> Windows:
    """The windows over images of some lengths; RuntimeError for a stride or padding that is no good."""
    return Windows(image, Pool(kernel, stride, padding, dilation, ceil_mode))


def largest(value: Value, windows: Windows) -> tuple[Any, Any]:
    """The largest element of each window and its index in the flat image.

    Shape: [..., *image] -> [..., *out] twice.
    """
    if value.dtype.kind == "f" and value.size:
        found = _by_offsets(value, windows)
        if found is not None:
            return found
    pool = windows.pool
    parts = zip(windows.image, windows.out, pool.kernel, pool.stride, pool.padding, pool.dilation, strict=True)
    return largest_at(value, [_places(*part) for part in parts])


def _by_offsets(value: Value, windows: Windows) -> tuple[Any, Any] | None:
    """Find maxima with one comparison per kernel element; None for NaN and for windows with nothing but -inf."""
    parts = windows.of(value)
    count = len(parts)
    best = parts[0].copy() if count == 1 else np.maximum(parts[0], parts[1])
    for i in range(2, count):
        np.maximum(best, parts[i], out=best)
    if not np.minimum.reduce(best, None) > -np.inf:
        return None
    # The preceding elements that are all smaller than the maximum are between the start and its position.
    front: Any = None
    distance: Any = None
    for part, increment in zip(parts, windows.increments, strict=False):
        smaller = np.less(part, best).view(np.uint8)
        front = smaller if front is None else np.bitwise_and(front, smaller, smaller)
        far = front if windows.kind is np.uint8 else front.astype(windows.kind)
        if increment is not None:
            far = far * increment
        distance = far if distance is None else distance + far
    shape = (*value.shape[: value.ndim - len(windows.out)], *windows.out)
    if count == 1:
        return best.reshape(shape), np.broadcast_to(windows.starts, shape).copy()
    return best.reshape(shape), np.add(windows.starts, distance).reshape(shape)


def placed(values: Values, indices: Values, image: Lengths, dims: int, *, apart: bool) -> Array:
    """Add `values` to zeros at their indices in the flat image; `apart` promises that no index occurs twice.

    Shape: values and indices [..., *out] -> [..., *image].
    """
    lead = values.shape[: values.ndim - dims]
    rows, size = math.prod(lead), math.prod(image)
    count = math.prod(values.shape[values.ndim - dims :])
    at = (indices.reshape(rows, count) + np.arange(0, rows * size, size)[:, None]).reshape(-1)
    if apart or values.dtype.kind != "f" or values.dtype.itemsize < 4:
        out = np.zeros(rows * size, values.dtype)
        if apart:
            out[at] = values.reshape(-1)
        else:
            np.add.at(out, at, values.reshape(-1))
    else:
        out = np.bincount(at, values.reshape(-1), rows * size).astype(values.dtype)
    return out.reshape(*lead, *image)


def read(value: Value, indices: Values, dims: int) -> Array:
    """The elements of images at indices into the flat image.

    Shape: value [..., *image], indices [..., *out] -> [..., *out].
    """
    lead = value.shape[: value.ndim - dims]
    flat = value.reshape(*lead, math.prod(value.shape[value.ndim - dims :]))
    at = indices.reshape(*lead, math.prod(indices.shape[indices.ndim - dims :]))
    return np.take_along_axis(flat, at, -1).reshape(indices.shape)
