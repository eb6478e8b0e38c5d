"""Elementwise rounding; its gradients are zero almost everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.declaration import A, V, xp
from backscope.ops.elementwise import elementwise


def _rounds(name: str, symbol: str, function: Any, what: str) -> None:
    def forward(self: A) -> A:
        return self if self.dtype.kind in "iub" else function(self)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)

    forward.__annotations__ = {"self": "A"}
    body = type(name, (), {"forward": forward, "grad_self": grad_self, "__doc__": f"Rounded {what}."})
    elementwise(
        name=name,
        symbol=symbol,
        latex={"self": "0"},
        summary={"self": "sends 0: rounding is constant almost everywhere"},
    )(body)


_rounds("floor", "⌊x⌋", np.floor, "down")
_rounds("ceil", "⌈x⌉", np.ceil, "up")
_rounds("trunc", "trunc", np.trunc, "towards zero")


@elementwise(
    name="round",
    symbol="round",
    latex={"self": "0"},
    summary={"self": "sends 0: rounding is constant almost everywhere"},
)
class nearest:
    """Rounded to the nearest integer or to `decimals` places, halves to even."""

    def forward(self: A, decimals: int = 0) -> A:
        return self if self.dtype.kind in "iub" else np.round(self, decimals)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@elementwise(
    symbol="frac",
    latex={"self": "g"},
    summary={"self": "passes the incoming {g} on to {self}"},
)
class frac:
    """What truncation takes away."""

    def forward(self: A) -> A:
        return self - np.trunc(self)

    def grad_self(g: V) -> V:
        return g


@elementwise(
    symbol="nan→0",
    latex={"self": r"g \cdot [\text{self is finite}]"},
    summary={"self": "passes the incoming {g} on where {self} is finite, 0 elsewhere"},
)
class nan_to_num:
    """NaN, infinity and minus infinity replaced by numbers."""

    def forward(self: A, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> A:
        return np.nan_to_num(self, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)

    def grad_self(g: V, self: V) -> V:
        return g * xp.isfinite(self)
