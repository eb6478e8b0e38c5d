"""Conversion of the values that are assigned to elements or to a part of a tensor."""

from __future__ import annotations

import numpy as np

from backscope.ops.core.arguments.number_casts import check_assigned
from backscope.runtime.given import Value
from backscope.tensor.dtype import FLOATING, INTEGER
from backscope.tensor.tensor import Tensor, make
from backscope.tensor.typename import c_name


def assigned(target: Tensor, value: Value) -> Tensor:
    """Return an assigned value as a tensor; TypeError for anything but a number or a tensor."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, (int, float, complex, np.integer)):
        raise TypeError(f"can't assign a {c_name(type(value))} to a {target.type()}")  # type: ignore[attr-defined]
    check_assigned(value, target._dtype)
    if isinstance(value, complex) and target._dtype.category in (INTEGER, FLOATING):
        value = value.real
    return make(np.asarray(value).astype(target._dtype.np)[()], target._dtype)  # type: ignore[no-any-return]
