"""Tensors of numbers in a row: by steps, or evenly spaced between two ends."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.namespace import export
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.create.creation import born
from backscope.runtime.given import Device, Dtype, Value
from backscope.runtime.warning import warn
from backscope.tensor import dtype as types
from backscope.tensor.dtype import default
from backscope.tensor.tensor import Tensor


def _number(value: Value) -> str:
    """A number as C++ prints it."""
    return f"{value:g}"


@export(method=False)
def arange(
    start: Value,
    end: Value = None,
    step: Value = 1,
    *,
    dtype: Dtype = None,
    device: Device = None,
    requires_grad: bool = False,
) -> Value:
    """Numbers from start to end, without it, by steps; int64 when all three are integers."""
    if end is None:
        start, end = 0, start
    start, end, step = (v.item() if isinstance(v, (Tensor, np.generic)) else v for v in (start, end, step))
    whole = all(isinstance(v, int) for v in (start, end, step))
    kind = dtype or (types.int64 if whole else default.floating)
    if any(isinstance(v, complex) for v in (start, end, step)):
        raise RuntimeError("value cannot be converted to type double without overflow")
    if kind is types.bool_ or kind.is_complex:
        raise no_kernel("arange_cpu", kind)
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {_number(start)} -> {_number(end)}")
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = math.ceil((end - start) / step)
    if kind.category == types.INTEGER:
        end, start, step = int(end), int(start), int(step)
        if kind is types.int64:
            if step == 0:
                raise ValueError("step must be nonzero")
            count = -((start - end) // step)
        whole = True
    data = (start + step * np.arange(count, dtype=np.int64 if whole else np.float64)).astype(kind.np)
    return born(data, kind, "arange", requires_grad, device)


def _refuse_dims(name: str, start: Value, end: Value) -> None:
    """Raise RuntimeError for ends of a row that are tensors with dims."""
    ranks = [v._data.ndim if isinstance(v, Tensor) else 0 for v in (start, end)]
    if any(ranks):
        raise RuntimeError(
            f"{name} only supports 0-dimensional start and end tensors, but got start with {ranks[0]} dimension(s) and "
            f"end with {ranks[1]} dimension(s)."
        )


@export(method=False)
def linspace(
    start: Value, end: Value, steps: int, *, dtype: Dtype = None, device: Device = None, requires_grad: bool = False
) -> Value:
    """`steps` numbers from start to end, evenly spaced, ends included."""
    _refuse_dims("linspace", start, end)
    start, end = (v.item() if isinstance(v, Tensor) else v for v in (start, end))
    steps = int(steps)
    kind = dtype or default.floating
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if kind is types.bool_ and steps > 1:
        raise no_kernel("linspace_cpu", kind)
    if kind.category == types.FLOATING and steps > 1:
        exact: Any = np.float64 if kind is types.float64 else np.float32
        step = exact(types.cast(exact((exact(end) - exact(start)) / exact(steps - 1)), kind))
        places = np.arange(steps)
        rising = exact(start) + step * places.astype(exact)
        falling = exact(end) - step * (steps - 1 - places).astype(exact)
        data = np.where(places < steps // 2, rising, falling).astype(kind.np)
    else:
        data = np.linspace(start, end, steps).astype(kind.np)
    return born(data, kind, "linspace", requires_grad, device)


@export("range", method=False)
def _range(
    start: Value,
    end: Value = None,
    step: Value = 1,
    *,
    dtype: Dtype = None,
    device: Device = None,
    requires_grad: bool = False,
) -> Any:
    """Numbers from start to end, end included."""
    if end is None:
        start, end = 0, start
    warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
    )
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    kind = dtype or default.floating
    if kind is types.bool_ or kind.is_complex:
        raise no_kernel("range_cpu", kind)
    count = int((end - start) / step) + 1
    return born((start + step * np.arange(count)).astype(kind.np), kind, "range", requires_grad, device)


@export(method=False)
def logspace(
    start: Value, end: Value, steps: int, base: float = 10.0, *, dtype: Dtype = None, device: Device = None,
    requires_grad: bool = False,
) -> Value:  # fmt: skip
    """`steps` powers of a base, evenly spaced in the exponent."""
    _refuse_dims("logspace", start, end)
    kind = dtype or default.floating
    if kind is types.bool_ and steps > 1:
        raise no_kernel("logspace_cpu", kind)
    exponents = linspace(start, end, steps, dtype=types.float64)._data
    data = np.power(float(base), exponents).astype(kind.np)
    return born(data, kind, "logspace", requires_grad, device)
