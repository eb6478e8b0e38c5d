"""The largest element of each window of an image, and where it is."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from backscope.ops.pool_geometry import Lengths, Pool
from backscope.ops.recollection import recalled


def largest_at(value: Any, places: list[Any]) -> tuple[Any, Any]:
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


def _last_nan_or_first_largest(found: Any) -> Any:
    which = found.argmax(-1)
    if found.dtype.kind not in "iu":
        nan = np.isnan(found)
        if nan.any():
            last = found.shape[-1] - 1 - nan[..., ::-1].argmax(-1)
            which = np.where(nan.any(-1), last, which)
    return which


@recalled
def _places(length: int, count: int, k: int, s: int, p: int, d: int) -> Any:
    """The indices of each window along a dim; what lies outside is replaced by the first one inside."""
    at = np.arange(count)[:, None] * s - p + np.arange(k) * d
    inside = (at >= 0) & (at < length)
    first = at[np.arange(count), inside.argmax(1)][:, None]
    # In front: the first of equal elements, and the last NaN, are then the same ones.
    ordered = np.where(inside, at, -1)
    ordered.sort(1)
    return np.where(ordered < 0, first, ordered)


def largest(value: Any, pool: Pool, out: Lengths) -> tuple[Any, Any]:
    """The largest element of each window and its index in the flat image.

    Shape: [..., *image] -> [..., *out] twice.
    """
    dims = len(out)
    image = value.shape[value.ndim - dims :]
    if value.dtype.kind == "f" and value.size:
        found = _by_offsets(value, pool, image, out)
        if found is not None:
            return found
    parts = zip(image, out, pool.kernel, pool.stride, pool.padding, pool.dilation, strict=True)
    return largest_at(value, [_places(*part) for part in parts])


@recalled
def _offsets(pool: Pool, image: Lengths, out: Lengths) -> tuple[Lengths, list[Any], Any, Any]:
    """How windows are read one element of the kernel after the other.

    The elements that the last window reaches over the end of each dim, the slices that read each element of all
    windows, how far it is from the window's start, and where the windows start, both in the flat image.
    """
    weights = tuple([math.prod(image[d + 1 :]) for d in range(len(image))])
    parts = list(zip(image, out, pool.kernel, pool.stride, pool.padding, pool.dilation, weights, strict=True))
    ends = tuple([max((o - 1) * s + d * (k - 1) + 1 - p - n, 0) for n, o, k, s, p, d, _ in parts])
    keys: list[Any] = []
    steps = []
    for offset in itertools.product(*[range(k) for k in pool.kernel]):
        each = list(zip(offset, parts, strict=True))
        keys.append((..., *[slice(i * d, i * d + s * (o - 1) + 1, s) for i, (_, o, _, s, _, d, _) in each]))
        steps.append(sum([i * d * w for i, (*_, d, w) in each]))
    starts: Any = np.zeros((1,) * len(out), np.int64)
    for i, (_, o, _, s, p, _, w) in enumerate(parts):
        starts = starts + ((np.arange(o) * s - p) * w).reshape([-1 if i == j else 1 for j in range(len(out))])
    return ends, keys, np.array(steps, np.int64), starts


def _by_offsets(value: Any, pool: Pool, image: Lengths, out: Lengths) -> tuple[Any, Any] | None:
    """One comparison per element of the kernel; None where NaN or windows of nothing but -inf need more care."""
    lead = value.shape[: value.ndim - len(out)]
    ends, keys, steps, starts = _offsets(pool, image, out)
    if any(pool.padding) or any(ends):
        lengths = [n + p + e for n, p, e in zip(image, pool.padding, ends, strict=True)]
        frame: Any = np.full((*lead, *lengths), -np.inf, value.dtype)
        frame[(..., *[slice(p, p + n) for n, p in zip(image, pool.padding, strict=True)])] = value
        value = frame
    windows: Any = [value[key] for key in keys]
    if pool.stride[-1] > 1 and len(keys) <= 16:
        apart = np.empty((len(keys), *lead, *out), value.dtype)  # Side by side they are compared many at a time.
        for i, part in enumerate(windows):
            apart[i] = part
        windows = apart
    best = windows[0].copy() if len(keys) == 1 else np.maximum(windows[0], windows[1])
    for part in windows[2:]:
        np.maximum(best, part, out=best)
    if not best.min() > -np.inf:
        return None
    # The number of elements in front that are all smaller than the largest one is where the largest one is.
    smaller = (windows[0] < best).view(np.uint8)
    which = smaller.copy() if len(keys) < 256 else smaller.astype(np.int64)
    for part in windows[1:-1]:
        smaller &= (part < best).view(np.uint8)
        which += smaller
    indices = steps.take(which)
    indices += starts
    return best, indices


def placed(values: Any, indices: Any, image: Lengths, dims: int, *, apart: bool) -> Any:
    """Zeros with `values` added at their indices in the flat image; `apart` where no index comes twice.

    Shape: values and indices [..., *out] -> [..., *image].
    """
    lead = values.shape[: values.ndim - dims]
    rows, size = math.prod(lead), math.prod(image)
    count = math.prod(values.shape[values.ndim - dims :])
    at = (indices.reshape(rows, count) + (np.arange(rows) * size)[:, None]).ravel()
    if apart or values.dtype.kind != "f" or values.dtype.itemsize < 4:
        out = np.zeros(rows * size, values.dtype)
        if apart:
            out[at] = values.ravel()
        else:
            np.add.at(out, at, values.ravel())
    else:
        out = np.bincount(at, values.ravel(), rows * size).astype(values.dtype)
    return out.reshape(*lead, *image)


def read(value: Any, indices: Any, dims: int) -> Any:
    """The elements of images at indices into the flat image.

    Shape: value [..., *image], indices [..., *out] -> [..., *out].
    """
    lead = value.shape[: value.ndim - dims]
    flat = value.reshape(*lead, math.prod(value.shape[value.ndim - dims :]))
    at = indices.reshape(*lead, math.prod(indices.shape[indices.ndim - dims :]))
    return np.take_along_axis(flat, at, -1).reshape(indices.shape)
