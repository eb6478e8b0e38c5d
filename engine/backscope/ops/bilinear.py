"""bilinear: for each output, a form of two vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.declaration import A, V, op, primitives, xp
from backscope.ops.dispatch import apply
from backscope.ops.namespace import export
from backscope.tensor import Tensor


def _spread(g: V, i1: V, i2: V, i3: V) -> tuple[V, V, V, V]:
    """All four as [batch, out, in1, in2], to be multiplied with broadcasting."""
    return (
        xp.unsqueeze(xp.unsqueeze(g, 2), 3),
        xp.unsqueeze(xp.unsqueeze(i1, 1), 3),
        xp.unsqueeze(i2, 0),
        xp.unsqueeze(xp.unsqueeze(i3, 1), 2),
    )


@op(
    symbol="x W y",
    latex={
        "i1": r"\textstyle\sum g\, W y",
        "i2": r"\textstyle\sum g\, x\, y",
        "i3": r"\textstyle\sum g\, x W",
    },
    summary={
        "i1": "sums the incoming gradient times {i2} times {i3}",
        "i2": "sums the incoming gradient times {i1} times {i3} over the batch",
        "i3": "sums the incoming gradient times {i1} times {i2}",
    },
)
class trilinear:
    """sum over i and j of i1[b, i] * i2[o, i, j] * i3[b, j]."""

    def forward(i1: A, i2: A, i3: A) -> A:
        return np.einsum("bi,oij,bj->bo", i1, i2, i3, optimize=True).astype(i1.dtype)

    def grad_i1(g: V, i1: V, i2: V, i3: V) -> V:
        grad, _, weight, right = _spread(g, i1, i2, i3)
        return xp.sum(grad * weight * right, (1, 3))

    def grad_i2(g: V, i1: V, i2: V, i3: V) -> V:
        grad, left, _, right = _spread(g, i1, i2, i3)
        return xp.sum(grad * left * right, (0,))

    def grad_i3(g: V, i1: V, i2: V, i3: V) -> V:
        grad, left, weight, _ = _spread(g, i1, i2, i3)
        return xp.sum(grad * left * weight, (1, 2))


@export("_trilinear", method=False)
def _trilinear(i1: Any, i2: Any, i3: Any, expand1: Any, expand2: Any, expand3: Any, sumdim: Any) -> Any:
    """The sum behind bilinear(); RuntimeError for sums over other dims."""
    if ([*expand1], [*expand2], [*expand3], [*sumdim]) != ([1, 3], [0], [1, 2], [2, 3]):
        raise RuntimeError("_trilinear: Backscope has the sum of bilinear() alone; einsum has all others")
    return apply(primitives["trilinear"], i1, i2, i3)


@export(method=False, nn=True)
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """input1 @ weight[k] @ input2 + bias[k] for each output k; RuntimeError for sizes that don't fit."""
    _check(input1, input2, weight, bias)
    *batch, width1 = input1._data.shape
    width2 = input2._data.shape[-1]
    count = math.prod(batch)
    left, right = input1.reshape(count, width1), input2.reshape(count, width2)
    out = apply(primitives["trilinear"], left, weight, right).reshape(*batch, weight._data.shape[0])
    return out if bias is None else out + bias


def _check(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    a, b, w = input1._data.shape, input2._data.shape, weight._data.shape
    if len(a) != len(b):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(a)} and {len(b)}")
    for dim, (m, n) in enumerate(zip(a[:-1], b[:-1], strict=True)):
        if m != n:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {m} and {n}")
    for which, length, at in (("input1", a[-1], 1), ("input2", b[-1], 2)):
        if length != w[at]:
            raise RuntimeError(
                f"bilinear(): {which} size does not match weight size: got {length} but expected {w[at]}"
            )
    if bias is not None and bias._data.shape[0] != w[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias._data.shape[0]} but expected {w[0]}"
        )
