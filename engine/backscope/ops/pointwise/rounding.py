"""Elementwise rounding; its gradients are zero almost everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, primitives, xp
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.namespace import export
from backscope.ops.core.unsupported import no_kernel
from backscope.tensor.dtype import COMPLEX, INTEGER
from backscope.tensor.tensor import Tensor


def _rounds(name: str, symbol: str, function: Callable[..., Any], what: str) -> None:
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
    """Rounded to the nearest integer, halves to even."""

    def forward(self: A) -> A:
        return self if self.dtype.kind in "iub" else np.round(self)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@elementwise(
    grad_fn="RoundBackward1",
    exported=False,
    symbol="round",
    latex={"self": "0"},
    summary={"self": "sends 0: rounding is constant almost everywhere"},
)
class round_decimals:
    """Rounded to a number of decimal places, halves to even."""

    def forward(self: A, decimals: int) -> A:
        if self.dtype.kind in "iub":
            return self
        tens = self.dtype.type(10.0 ** abs(decimals))
        return np.round(self * tens) / tens if decimals > 0 else np.round(self / tens) * tens

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@export("round")
def _round(input: Tensor, *, decimals: int | None = None) -> Any:  # noqa: A002
    """Rounded to the nearest integer or to `decimals` places, halves to even."""
    if decimals == 0 and input._dtype.category in (INTEGER, COMPLEX):
        raise no_kernel("round_vml_cpu", input._dtype)
    return primitives["round"].call(input) if decimals is None else primitives["round_decimals"].call(input, decimals)


@export("round_", function=False)
def _round_in_place(self: Tensor, *, decimals: int | None = None) -> Any:
    """Rounded to the nearest integer or to `decimals` places, in place."""
    if decimals is not None:
        return primitives["round_decimals"].call_in_place(self, decimals)
    return primitives["round"].call_in_place(self)


@elementwise(
    symbol="frac",
    latex={"self": "g"},
    summary={"self": "passes the incoming {g} on to {self}"},
)
class frac:
    """self - trunc(self)."""

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
