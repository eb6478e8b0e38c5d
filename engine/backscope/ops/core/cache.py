"""A cache of arrays that depend on lengths alone; all its entries together stay within a bound of bytes."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from backscope.runtime.given import Value

Result = TypeVar("Result")

KEPT_BYTES = 16 << 20
"""The bytes that all cached functions may keep together; a result above a quarter of it is not cached."""

_kept: OrderedDict[Any, tuple[Any, int]] = OrderedDict()
_lock = threading.Lock()
_total = 0


def recalled(function: Callable[..., Result]) -> Callable[..., Result]:
    """Cache the results of a function of hashable arguments; the least recently used ones are dropped first."""

    @functools.wraps(function)
    def recall(*args: Any) -> Result:
        global _total
        key = function, args
        with _lock:
            known = _kept.get(key)
            if known is not None:
                _kept.move_to_end(key)
                kept: Result = known[0]
                return kept
        result = function(*args)
        size = nbytes(result)
        if size <= KEPT_BYTES >> 2:
            with _lock:
                if key not in _kept:
                    _kept[key] = result, size
                    _total += size
                while _total > KEPT_BYTES:
                    _total -= _kept.popitem(last=False)[1][1]
        return result

    return recall


def nbytes(value: Value) -> int:
    """Return about how many bytes arrays take, or lists and objects made of them."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, (list, tuple)):
        return 64 + sum([nbytes(v) for v in value])
    own: int | None = getattr(value, "nbytes", None)
    return 64 if own is None else own
