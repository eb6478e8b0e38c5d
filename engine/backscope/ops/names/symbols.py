"""Arithmetic on the symbolic sizes of a compiler; here sizes are plain numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Value


def sym_int(a: Value) -> int:
    """A number rounded towards zero."""
    return math.trunc(a) if isinstance(a, float) else int(a)


def sym_float(a: Value) -> float:
    """A number as a float."""
    return float(a)


def sym_max(a: Value, b: Value) -> float:
    """The larger of two numbers, a float where one of them is."""
    return float(max(a, b)) if isinstance(a, float) or isinstance(b, float) else max(a, b)


def sym_min(a: Value, b: Value) -> float:
    """The smaller of two numbers, a float where one of them is."""
    return float(min(a, b)) if isinstance(a, float) or isinstance(b, float) else min(a, b)


def sym_not(a: Value) -> bool:
    """Return the negation of a bool."""
    return not a


# Any: one of two values of any type.
def sym_ite(b: Value, t: Value, f: Callable[..., Any]) -> Any:
    """Return one of two values."""
    return t if b else f


def sym_sqrt(a: Value) -> float:
    """The square root of a number."""
    return math.sqrt(a)


def sym_sum(args: Iterable[Any]) -> float:
    """The sum of numbers."""
    found: float = sum(args)
    return found


for _function in (sym_int, sym_float, sym_max, sym_min, sym_not, sym_ite, sym_sqrt, sym_sum):
    torch_functions[_function.__name__] = _function
