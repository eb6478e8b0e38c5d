"""A cache of Python numbers as NumPy scalars of each type, which NumPy computes with quickest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.autograd.node import SavedNumber
from backscope.ops.core.arguments.number_casts import check_integer
from backscope.runtime.given import Array, Value
from backscope.tensor.dtype import dtype

LIMIT = 1000
"""The largest count of numbers kept for one type."""


def constant(number: Value, kind: dtype, beside: Array) -> SavedNumber:
    """`number` as an operand beside a raw value of the floating point type `kind`: a numpy scalar, or a 0-d array.

    It is cached, except for numbers that are equal keys of a dict and yet differ: 0 and -0, 1 and 1.0, NaN.
    """
    if isinstance(number, int):
        check_integer(number)
    data: Any = kind.scalar(number)
    table = kind.scalars
    if beside.__class__ is not kind.scalar:
        data = np.asarray(data)
        table = kind.arrays
    made = SavedNumber(number, data)
    if number and number not in table and not math.isnan(number):
        if len(table) >= LIMIT:
            table.clear()
        table[number] = made
    return made
