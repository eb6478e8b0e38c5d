"""bilinear: for each output, a form of two vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export
from backscope.runtime.given import Dim, Value
from backscope.tensor.dtype import C_NAMES
from backscope.tensor.tensor import Tensor


def _letters(expanded: Any, ndim: int) -> str:
    """Return einsum's letters for the dims of an input, without those that it is expanded over."""
    return "".join([chr(97 + d) for d in range(ndim) if d not in expanded])


def _pairwise(parts: list[A], names: list[str], kept: str) -> A:
    """Sum products of low precision, rounded before the third input is multiplied in."""
    first, second, third = names
    both = "".join(sorted((set(first) | set(second)) & (set(third) | set(kept))))
    left = np.einsum(f"{first},{second}->{both}", wide(parts[0]), wide(parts[1]), optimize=True)
    rounded = wide(left.astype(parts[0].dtype))
    out = np.einsum(f"{both},{third}->{kept}", rounded, wide(parts[2]), optimize=True)
    return np.ascontiguousarray(out).astype(parts[0].dtype)


def _stepwise(parts: list[A], names: list[str], kept: str) -> A:
    """Compute the product; with a sum over dim 1, each term is added and rounded."""
    if "b" in kept:
        return _pairwise(parts, names, kept)
    count = max([p.shape[n.index("b")] for p, n in zip(parts, names, strict=True) if "b" in n])
    total: Any = None
    for k in range(count):
        at = [p.take(k, n.index("b")) if "b" in n else p for p, n in zip(parts, names, strict=True)]
        out = _pairwise(at, [n.replace("b", "") for n in names], kept)
        total = out if total is None else total + out
    return total


@op(
    symbol="x W y",
    latex={
        "i1": r"\textstyle\sum g\, W y",
        "i2": r"\textstyle\sum g\, x\, y",
        "i3": r"\textstyle\sum g\, x W",
    },
    summary={
        "i1": "sums the incoming gradient times {i2} times {i3}",
        "i2": "sums the incoming gradient times {i1} times {i3}",
        "i3": "sums the incoming gradient times {i1} times {i2}",
    },
)
class trilinear:
    """The product of three inputs, each spread over the dims that it lacks, summed over some dims."""

    def forward(i1: A, i2: A, i3: A, expand1: Value, expand2: Value, expand3: Value, sumdim: Dim) -> A:
        ndim = i1.ndim + len(expand1)
        names = [_letters(e, ndim) for e in (expand1, expand2, expand3, sumdim)]
        if wide(i1) is not i1:
            return _stepwise([i1, i2, i3], names[:3], names[3])
        return np.ascontiguousarray(np.einsum("{},{},{}->{}".format(*names), i1, i2, i3, optimize=True))

    def grad_i1(g: V, i2: V, i3: V, expand1: V, expand2: V, expand3: V, sumdim: V) -> V:
        return xp.trilinear(g, i2, i3, sumdim, expand2, expand3, expand1)

    def grad_i2(g: V, i1: V, i3: V, expand1: V, expand2: V, expand3: V, sumdim: V) -> V:
        return xp.trilinear(i1, g, i3, expand1, sumdim, expand3, expand2)

    def grad_i3(g: V, i1: V, i2: V, expand1: V, expand2: V, expand3: V, sumdim: V) -> V:
        return xp.trilinear(i1, i2, g, expand1, expand2, sumdim, expand3)


@export("_trilinear", method=False)
def _trilinear(
    i1: Any, i2: Any, i3: Any, expand1: Value, expand2: Value, expand3: Value, sumdim: Dim, unroll_dim: int = 1
) -> Any:
    """The sum behind bilinear()."""
    return apply(primitives["trilinear"], i1, i2, i3, *map(tuple, (expand1, expand2, expand3, sumdim)))


@export(method=False, nn=True)
def bilinear(input1: Value, input2: Value, weight: Value, bias: Value = None) -> Value:
    """input1 @ weight[k] @ input2 + bias[k] for each output k; RuntimeError for sizes that don't fit."""
    _check(input1, input2, weight, bias)
    *batch, width1 = input1._data.shape
    width2 = input2._data.shape[-1]
    count = math.prod(batch)
    left, right = input1.reshape(count, width1), input2.reshape(count, width2)
    out = _trilinear(left, weight, right, (1, 3), (0,), (1, 2), (2, 3)).reshape(*batch, weight._data.shape[0])
    return out if bias is None else out + bias


def _check(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    parts = {"input1": input1, "input2": input2, "weight": weight} | ({} if bias is None else {"bias": bias})
    if len({t._dtype for t in parts.values()}) > 1:
        given = ", ".join([f"{name}: {C_NAMES[t._dtype.name]}" for name, t in parts.items()])
        raise RuntimeError(f"All tensors must have the same dtype, got {given}")
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
