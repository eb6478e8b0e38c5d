"""Orthogonal polynomials of any degree; PyTorch sends no gradient through any of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.namespace import public
from backscope.runtime.given import Value

Step = Callable[[int, Any, Any, Any], Any]
"""The polynomial of degree k + 1 from k, x and those of degrees k and k - 1."""


def _declare(name: str, symbol: str, first: Callable[[Any], Any], step: Step) -> None:
    def forward(self: A, n: A) -> A:
        return _by_recurrence(self, n, first, step).astype(self.dtype)[()]

    forward.__annotations__ = {"self": "A", "n": "A"}
    words = f"The {name.replace('_', ' ')} of degree n, 0 below 0."
    body = type(name, (), {"forward": forward, "__doc__": words})
    op = elementwise(result="float", symbol=symbol, name=f"special_{name}", exported=False)(body)
    public(op, names=(f"special_{name}",), method=False)


def _by_recurrence(x: Value, n: Value, first: Callable[[Any], Any], step: Step) -> Any:
    x, degree = np.broadcast_arrays(np.asarray(x, np.float64), np.trunc(np.asarray(n, np.float64)))
    with np.errstate(all="ignore"):
        before, here = np.ones_like(x), first(x)
        found = np.where((degree < 0) | np.isnan(degree), 0.0, np.where(degree == 0, 1.0, here))
        for k in range(1, int(min(np.nanmax(degree, initial=0), 10_000))):
            before, here = here, step(k, x, here, before)
            found = np.where(degree == k + 1, here, found)
        return np.where(np.isnan(x), np.nan, found)


def _chebyshev(k: int, x: Value, here: Any, before: Value) -> Any:
    return 2 * x * here - before


def _shifted(k: int, x: Value, here: Any, before: Value) -> Any:
    return 2 * (2 * x - 1) * here - before


def _moved(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: function(2 * x - 1)


for _kind, _symbol, _first in (
    ("t", "T", lambda x: x),
    ("u", "U", lambda x: 2 * x),
    ("v", "V", lambda x: 2 * x - 1),
    ("w", "W", lambda x: 2 * x + 1),
):
    _declare(f"chebyshev_polynomial_{_kind}", _symbol, _first, _chebyshev)
    _declare(f"shifted_chebyshev_polynomial_{_kind}", _symbol + "*", _moved(_first), _shifted)
_declare("hermite_polynomial_h", "H", lambda x: 2 * x, lambda k, x, here, before: 2 * x * here - 2 * k * before)
_declare("hermite_polynomial_he", "He", lambda x: x, lambda k, x, here, before: x * here - k * before)
_declare(
    "laguerre_polynomial_l",
    "L",
    lambda x: 1 - x,
    lambda k, x, here, before: ((2 * k + 1 - x) * here - k * before) / (k + 1),
)
_declare(
    "legendre_polynomial_p",
    "P",
    lambda x: x,
    lambda k, x, here, before: ((2 * k + 1) * x * here - k * before) / (k + 1),
)
