"""Determinants, and their signs and logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, linalg, torch_functions
from backscope.ops.core.return_types import return_type
from backscope.ops.linalg.linear_systems import divided, factored, inverse_of, solved
from backscope.ops.linalg.matrices import adjoint, check_square, conjugate
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor


@op(
    name="linalg_det",
    symbol="det",
    conjugates=False,
    latex={"A": r"g\,\operatorname{conj} \det A\;A^{-H}"},
    summary={"A": "multiplies the incoming {g} by the cofactors of the saved {A}"},
)
class linalg_det:
    """The determinants of matrices."""

    def forward(A: A) -> A:
        found = _signed_zeros(A, np.linalg.det(A))
        # The exchange of rows may drop a NaN.
        broken = np.isnan(A).any((-2, -1))
        return np.where(broken, np.nan, found).astype(A.dtype)[()] if broken.any() else found

    def grad_A(g: V, A: V, result: V) -> V:
        if A.shape[-1] == 1:
            return xp.expand(xp.unsqueeze(xp.unsqueeze(g, -1), -1), tuple(A.shape))
        if isinstance(A, Tensor):
            from backscope.ops.linalg.singular_determinant import recorded_gradient

            return recorded_gradient(g, A, result)
        return _det_gradient(g, A, result)


def _signed_zeros(a: Value, found: Value) -> Any:
    """Determinants of singular matrices, or their signs, with the sign of 0 that the pivots multiply to."""
    if a.dtype.kind == "c" or not np.any(found == 0):
        return found
    found = np.array(found)
    for place in np.argwhere(found == 0):
        lu, pivots, _ = factored(a[tuple(place)].T)
        exchanges = np.count_nonzero(pivots != np.arange(1, len(pivots) + 1))
        found[tuple(place)] = lu.diagonal().prod() * (-1 if exchanges % 2 else 1)
    return found[()]


def _det_gradient(g: Value, a: Value, det: Value) -> Any:
    """Solve A^H X = g conj(det) I with the smallest number in place of pivots of 0."""
    if not a.size:
        return np.zeros_like(a)
    right = np.zeros_like(a)
    places = np.arange(a.shape[-1])
    right[..., places, places] = np.asarray(g * np.conjugate(det), a.dtype)[..., None]
    singular = np.asarray(det == 0)
    found = np.empty_like(a)
    turned = np.swapaxes(a, -1, -2).conj()
    if not singular.all():
        found[~singular] = solved(turned[~singular], right[~singular])[0]
    least = np.finfo(a.dtype).eps
    for place in np.argwhere(singular):
        at = tuple(place)
        found[at] = divided(turned[at], right[at], least)
    return found


@op(
    name="linalg_slogdet",
    outputs=2,
    returns=("sign", "logabsdet"),
    symbol="slogdet",
    conjugates=False,
    latex={"A": r"g\,A^{-H}"},
    summary={"A": "multiplies the incoming gradient by the inverse of the saved {A}, transposed"},
)
class linalg_slogdet:
    """Sign and logarithm of the determinants of matrices."""

    def forward(A: A) -> A:
        sign, logabsdet = np.linalg.slogdet(A)
        return _signed_zeros(A, sign), logabsdet

    def grad_A(g: V, A: V, sign: V) -> V:
        g_sign, g_log = g
        kind = sign._data.dtype if isinstance(sign, Tensor) else sign.dtype
        scale = g_log
        if kind.kind == "c":
            if g_sign is not None:
                turn = (conjugate(g_sign) * sign).imag
                scale = -1j * turn if scale is None else scale - 1j * turn
        elif scale is None:
            return None
        return xp.unsqueeze(xp.unsqueeze(scale, -1), -1) * adjoint(inverse_of(A))


Slogdet = return_type("slogdet", "sign", "logabsdet")
LinalgSlogdet = return_type("linalg_slogdet", "sign", "logabsdet")


def det(A: Tensor) -> Value:
    """The determinants of square matrices."""
    check_square("linalg.det", A)
    return apply(primitives["linalg_det"], A)


def slogdet(A: Tensor) -> Values:
    """Sign and logarithm of the absolute value of the determinants."""
    check_square("linalg.slogdet", A)
    return LinalgSlogdet(*apply(primitives["linalg_slogdet"], A))


@export("slogdet")
def _slogdet(input: Tensor) -> Any:  # noqa: A002
    """Sign and logarithm of the absolute value of the determinants."""
    return Slogdet(*slogdet(input))


@export("logdet")
def logdet(input: Tensor) -> Value:  # noqa: A002
    """The logarithm of the determinants, NaN where one is negative."""
    sign, logabsdet = slogdet(input)
    if input._dtype.is_complex:
        return logabsdet + torch_functions["log"](sign)
    return torch_functions["where"](sign == -1.0, float("nan"), logabsdet)


linalg.update(det=det, slogdet=slogdet)
export("det", "linalg_det")(lambda input: det(input))  # noqa: A006
