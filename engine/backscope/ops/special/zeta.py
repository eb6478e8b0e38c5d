"""The Hurwitz zeta function of two tensors, or of a tensor and a number."""

from __future__ import annotations

from typing import Any

from backscope.autograd.not_implemented import no_derivative
from backscope.ops.core.declaration import A, V, primitives, xp
from backscope.ops.core.elementwise import elementwise
from backscope.ops.core.namespace import export
from backscope.ops.pointwise.arithmetic import like
from backscope.ops.special import special_values
from backscope.runtime.given import Dtype, Value
from backscope.tensor.tensor import Tensor

_SLOPE = r"-g \cdot \text{self} \cdot \zeta(\text{self} + 1, \text{other})"
_SLOPE_TEXT = "multiplies the incoming {g} by −{self} × ζ({self} + 1, {other})"


def _zeta(s: A, q: A, kind: Dtype) -> A:
    return special_values.zeta(s, q).astype(kind)[()]


@elementwise(
    result="float",
    exported=False,
    symbol="ζ",
    latex={"self": r"\text{no derivative}", "other": _SLOPE},
    summary={"self": "is an error: PyTorch has no derivative for it", "other": _SLOPE_TEXT},
)
class special_zeta:
    """The sum of (other + k) ** -self over k = 0, 1, ..."""

    def forward(self: A, other: A) -> A:
        return _zeta(self, other, self.dtype)

    def grad_self(g: V) -> V:
        raise no_derivative("zeta")

    def grad_other(g: V, self: V, other: V) -> V:
        return g * -self * xp.special_zeta(self + 1, other)


@elementwise(
    result="float",
    grad_fn="SpecialZetaBackward1",
    exported=False,
    symbol="ζ",
    latex={"other": _SLOPE},
    summary={"other": _SLOPE_TEXT},
)
class special_zeta_of_number:
    """The sum of (other + k) ** -self for a number as self."""

    def forward(other: A, self: Value) -> A:
        return _zeta(like(self, other), other, other.dtype)

    def grad_other(g: V, other: V, self: V) -> V:
        return g * -self * xp.special_zeta_of_number(other, self + 1)


@elementwise(
    result="float",
    grad_fn="SpecialZetaBackward2",
    exported=False,
    symbol="ζ",
    latex={"self": r"\text{no derivative}"},
    summary={"self": "is an error: PyTorch has no derivative for it"},
)
class special_zeta_number:
    """The sum of (other + k) ** -self for a number as other."""

    def forward(self: A, other: Value) -> A:
        return _zeta(self, like(other, self), self.dtype)

    def grad_self(g: V) -> V:
        raise no_derivative("zeta")


@export("special_zeta", method=False)
def _special_zeta(input: Value, other: Value) -> Any:  # noqa: A002
    """The Hurwitz zeta function; NotImplementedError for a derivative by the exponent."""
    if not isinstance(other, Tensor):
        return primitives["special_zeta_number"].slow(input, other)
    if not isinstance(input, Tensor):
        return primitives["special_zeta_of_number"].slow(other, input)
    return primitives["special_zeta"].call(input, other)
