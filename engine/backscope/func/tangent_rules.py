"""Tangents of ops with a formula in PyTorch that differs from their gradients', by the op's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.autograd.modes.grad_mode import mode
from backscope.func.tangent import applied, is_recorded, or_zeros
from backscope.ops.core.declaration import primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Value
from backscope.tensor.dtype import bool_
from backscope.tensor.tensor import Tensor, make

Rule = Callable[[list[Any], list[Any], tuple[Any, ...]], list[Any]]


def _tracked(value: Value) -> bool:
    """True for a tensor that is recorded at its level or at one below."""
    return isinstance(value, Tensor) and mode.enabled and is_recorded(value)


def _bilinear(name: str) -> Rule:
    """Declare the rule of a product: each factor's tangent times the other factor."""

    def rule(args: list[Any], tangents: list[Any], outputs: tuple[Any, ...]) -> list[Any]:
        op = primitives[name]
        call: Callable[..., Any] = op.call if op.elementwise else lambda *a: apply(op, *a)
        a, b = args[:2]
        first, second = tangents[:2]
        parts = []
        if op.elementwise and (first is None or second is None):
            # Zeros remain zeros beside infinities, and adding -0.0 changes nothing.
            parts.append(call(a, second) if first is None else call(first, b))
            other = b if first is None else a
            if _tracked(other):
                parts.append(torch_functions["masked_fill"](other, make(np.array(True), bool_), -0.0))
            return [parts[0] if len(parts) == 1 else parts[0] + parts[1]]
        if first is not None or _tracked(b):
            parts.append(call(or_zeros(first, a), b))
        if second is not None or _tracked(a):
            parts.append(call(a, or_zeros(second, b)))
        return [parts[0] if len(parts) == 1 else parts[0] + parts[1]]

    return rule


def _quotient(args: list[Any], tangents: list[Any], outputs: tuple[Any, ...]) -> list[Any]:
    over, under = tangents[:2]
    if under is None and not _tracked(outputs[0]):
        return [over / args[1]]
    change = or_zeros(under, args[1]) * outputs[0]
    return [(-change if over is None else over - change) / args[1]]


def _added_product(args: list[Any], tangents: list[Any], outputs: tuple[Any, ...]) -> list[Any]:
    """beta * input + alpha * a product: the input's tangent, and those of the product."""
    _, a, b, beta, alpha = args
    first, left, right = tangents
    parts = []
    if first is not None:
        parts.append(first if beta == 1 else first * beta)
    factors = []
    if left is not None or _tracked(b):
        factors.append((or_zeros(left, a), b))
    if right is not None or _tracked(a):
        factors.append((a, or_zeros(right, b)))
    for one, other in factors:
        product = one @ other
        parts.append(product if alpha == 1 else product * alpha)
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return [total.expand(outputs[0].shape) if total.shape != outputs[0].shape else total]


def _unpacked(args: list[Any], tangents: list[Any], outputs: tuple[Any, ...]) -> list[Any]:
    """Compute the tangents of both triangles of a packed decomposition; L's diagonal and the permutation have none."""
    packed = tangents[0]
    k = min(packed.shape[-2:])
    return [packed.narrow(-1, 0, k).tril(-1), packed.narrow(-2, 0, k).triu(), None] if args[2] else [None, None, None]


def _written(name: str) -> Rule:
    """Declare the rule of an op that writes values at indices: it writes tangents in the same order."""

    def rule(args: list[Any], tangents: list[Any], outputs: tuple[Any, ...]) -> list[Any]:
        return applied(primitives[name], args, tangents, outputs)

    return rule


def _sign(args: list[Any], tangents: list[Any], outputs: tuple[Any, ...]) -> list[Any]:
    """Compute the tangent of sgn of complex numbers by its gradient's formula, 0 where the number is 0."""
    return [primitives["sgn"].formulas["self"](or_zeros(tangents[0], args[0]), args[0], outputs[0])]


rules: dict[str, Rule] = {
    **{name: _written(name) for name in ("scatter", "index_copy", "index_put", "put")},
    "lu_unpack": _unpacked,
    **{name: _bilinear(name) for name in ("mul", "mm", "mv", "dot", "bmm")},
    **dict.fromkeys(("addmm", "addmv", "baddbmm"), _added_product),
    "div": _quotient,
    "sgn": _sign,
}
