"""The error function and its complement."""

from __future__ import annotations

import math

import numpy as np

from backscope.ops.declaration import A, V, xp
from backscope.ops.elementwise import elementwise

_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)
_exact = np.vectorize(math.erf, otypes=[np.float64])
_exact_complement = np.vectorize(math.erfc, otypes=[np.float64])


@elementwise(
    result="float",
    symbol="erf",
    names=("special_erf",),
    latex={"self": r"g \cdot \frac{2}{\sqrt\pi} e^{-\text{self}^2}"},
    summary={"self": "multiplies the incoming {g} by 2/√π × exp(−{self}²)"},
)
class erf:
    """The error function."""

    def forward(self: A) -> A:
        return _exact(self).astype(self.dtype)[()] if self.size else self

    def grad_self(g: V, self: V) -> V:
        return _TWO_OVER_ROOT_PI * xp.exp(-(self**2)) * g


@elementwise(
    result="float",
    symbol="erfc",
    names=("special_erfc",),
    latex={"self": r"-g \cdot \frac{2}{\sqrt\pi} e^{-\text{self}^2}"},
    summary={"self": "multiplies the incoming {g} by −2/√π × exp(−{self}²)"},
)
class erfc:
    """1 - erf(self), exact where erf is near 1."""

    def forward(self: A) -> A:
        return _exact_complement(self).astype(self.dtype)[()] if self.size else self

    def grad_self(g: V, self: V) -> V:
        return -_TWO_OVER_ROOT_PI * xp.exp(-(self**2)) * g
