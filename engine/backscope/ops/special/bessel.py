"""Bessel and Airy functions; PyTorch sends no gradient through any of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.namespace import public
from backscope.ops.special import bessel_values, special_values
from backscope.runtime.given import Value


def _declare(name: str, symbol: str, words: str, compute: Callable[[Any], Any]) -> None:
    def forward(self: A) -> A:
        return compute(self).astype(self.dtype)[()]

    forward.__annotations__ = {"self": "A"}
    body = type(name, (), {"forward": forward, "__doc__": words})
    op = elementwise(result="float", symbol=symbol, name=f"special_{name}", exported=False)(body)
    public(op, names=(f"special_{name}",), method=False)


def _grown(order: int) -> Callable[[Any], Any]:
    scaled = special_values.i1e if order else special_values.i0e

    def compute(x: Value) -> Any:
        with np.errstate(all="ignore"):
            return scaled(x) * np.exp(np.abs(np.asarray(x, np.float64)))

    return compute


_declare("airy_ai", "Ai", "The Airy function.", bessel_values.airy)
_declare("spherical_bessel_j0", "j₀", "sin(x) / x.", bessel_values.spherical_j0)
for _order, _sign in ((0, "₀"), (1, "₁")):
    _of = f"function of order {_order}."
    _declare(f"bessel_j{_order}", f"J{_sign}", f"The Bessel {_of}", partial(bessel_values.bessel_j, order=_order))
    _declare(
        f"bessel_y{_order}", f"Y{_sign}", f"The second Bessel {_of}", partial(bessel_values.bessel_y, order=_order)
    )
    _declare(f"modified_bessel_i{_order}", f"I{_sign}", f"The modified Bessel {_of}", _grown(_order))
    for _scaled in (False, True):
        _declare(
            f"{'scaled_' * _scaled}modified_bessel_k{_order}",
            f"K{_sign}",
            f"The {'scaled ' * _scaled}second modified Bessel {_of}",
            partial(bessel_values.bessel_k, order=_order, scaled=_scaled),
        )
