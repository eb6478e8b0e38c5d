"""Statistics of all elements of a tensor, a histogram, and the tensor's position in its memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.protocol import commands as c
from backscope.runtime.given import Dtype, Value
from backscope.summary.json_numbers import element, number
from backscope.summary.summary import Array
from backscope.tensor.dtype import dtype

BINS = 32
_AT_ONCE = 1 << 20
"""The number of elements that are widened at once."""


def measure(command: c.MeasureTensor, array: Array, offset: int) -> c.TensorMeasured:
    """Return the answer for an array that begins `offset` elements into its memory."""
    flat = array.reshape(-1)
    parts = [flat[at : at + _AT_ONCE] for at in range(0, flat.size, _AT_ONCE)]
    count = nan_count = inf_count = zeros = 0
    total = 0.0
    least, most = math.inf, -math.inf
    low: Any = None
    high: Any = None
    for part in parts:
        wide = _wide(part)
        keep = np.isfinite(wide)
        nan_count += int(np.isnan(wide).sum())
        inf_count += int(np.isinf(wide).sum())
        zeros += int((wide == 0).sum())
        finite, whole = wide[keep], part[keep]
        if not finite.size:
            continue
        count += finite.size
        total += float(finite.sum())
        at, to = int(finite.argmin()), int(finite.argmax())
        if finite[at] < least:
            least, low = float(finite[at]), whole[at]
        if finite[to] > most:
            most, high = float(finite[to]), whole[to]
    # Rounding must not move it out of the range: equal elements have no spread.
    mean = min(max(total / count, least), most) if count else math.nan
    spread, counts = 0.0, np.zeros(BINS, np.int64)
    # A range with an infinite width has no bins of equal width.
    ends = (least, most) if count and math.isfinite(most - least) else None
    if ends and least == most:
        ends = (least - 0.5, most + 0.5) if abs(least) < 2**52 else None
    for part in parts:
        wide = _wide(part)
        finite = wide[np.isfinite(wide)]
        with np.errstate(over="ignore"):
            spread += float(np.square(finite - mean).sum())
        if ends:
            counts += np.histogram(finite, BINS, ends)[0]
    kind = dtype.table[array.dtype]
    return c.TensorMeasured(
        id=command.id,
        shape=list(array.shape),
        dtype=kind.name,
        strides=[s // array.itemsize for s in array.strides],
        storage_offset=offset,
        contiguous=bool(array.flags.c_contiguous),
        count=count,
        nan_count=nan_count,
        inf_count=inf_count,
        zeros=zeros,
        min=_extreme(low, kind),
        max=_extreme(high, kind),
        mean=number(mean) if count else None,
        std=number(math.sqrt(spread / (count - 1))) if count > 1 else None,
        norm=number(_norm(parts)),
        ends=[number(end) for end in ends] if ends else [],
        counts=[int(n) for n in counts] if ends else [],
    )


def _wide(part: Array) -> Array:
    """Real numbers wide enough to compute with; of complex ones their magnitudes."""
    if part.dtype.kind == "c":
        return np.abs(part).astype(np.float64)
    return part.astype(np.float64)


def _norm(parts: list[Array]) -> float:
    """Compute the 2-norm of the finite elements, even where their squares overflow."""
    norm = 0.0
    for part in parts:
        wide = _wide(part)
        finite = np.abs(wide[np.isfinite(wide)])
        top = float(finite.max()) if finite.size else 0.0
        if top > 0:
            norm = math.hypot(norm, top * math.sqrt(float(np.square(finite / top).sum())))
    return norm


def _extreme(found: Value, kind: Dtype) -> Any:
    if found is None:
        return None
    return number(abs(found)) if kind.is_complex else element(found)
