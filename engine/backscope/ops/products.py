"""Products composed of matrix products as PyTorch composes them: matmul, linear, inner, outer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops import matmul  # noqa: F401 - declares what is composed here
from backscope.ops.declaration import primitives
from backscope.ops.dispatch import apply
from backscope.ops.elementwise import mismatch
from backscope.ops.namespace import export, torch_functions
from backscope.tensor import Tensor


@export()
def inner(input: Tensor, other: Tensor) -> Any:  # noqa: A002
    """Sums of products over the last dim of both."""
    if not input._data.ndim or not other._data.ndim:
        return input * other  # type: ignore[operator]
    a, b = input._data.shape, other._data.shape
    if a[-1] != b[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(a)} and {list(b)}"
        )
    if len(a) == len(b) == 1:
        return _matmul(input, other).view(())
    flat = torch_functions["mm"](input.reshape(-1, a[-1]), other.reshape(-1, b[-1]).t())  # type: ignore[attr-defined]
    return flat.view(*a[:-1], *b[:-1])


@export("outer", "ger")
def _outer(input: Tensor, vec2: Tensor) -> Any:  # noqa: A002
    """Every product of an element of input and one of vec2."""
    if input._data.ndim != 1 or vec2._data.ndim != 1:
        bad = "self" if input._data.ndim != 1 else "vec2"
        ndim = input._data.ndim if bad == "self" else vec2._data.ndim
        raise RuntimeError(f"outer: Expected 1-D argument {bad}, but got {ndim}-D")
    return input.reshape(-1, 1) * vec2  # type: ignore[attr-defined]


@export("matmul")
def _matmul(input: Tensor, other: Tensor, *, out: Any = None) -> Any:  # noqa: A002
    """The matrix product with broadcasting, by the op that the ranks call for."""
    if not isinstance(other, Tensor):
        return NotImplemented
    a, b = input._data.ndim, other._data.ndim
    if a == 2 and b == 2:
        return torch_functions["mm"](input, other)
    if a == 0 or b == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a == 1 and b == 1:
        return input.dot(other)  # type: ignore[attr-defined]
    if a == 2 and b == 1:
        return torch_functions["mv"](input, other)
    if a == 1 and b == 2:
        return torch_functions["mm"](input.unsqueeze(0), other).squeeze(0)  # type: ignore[attr-defined]
    if b <= 2:
        return _folded(input, other)
    return _batched(input, other)


def _folded(input: Tensor, other: Tensor) -> Any:  # noqa: A002
    """Batches times one matrix or vector: as one tall matrix."""
    *batch, k = input._data.shape
    flat = input.reshape(math.prod(batch), k)  # type: ignore[attr-defined]
    if other._data.ndim == 1:
        return apply(primitives["unsafe_view"], torch_functions["mv"](flat, other), tuple(batch))
    return apply(primitives["unsafe_view"], torch_functions["mm"](flat, other), (*batch, other._data.shape[1]))


def _batched(input: Tensor, other: Tensor) -> Any:  # noqa: A002
    one_left, one_right = input._data.ndim == 1, other._data.ndim == 1
    left: Any = input.unsqueeze(0) if one_left else input  # type: ignore[attr-defined]
    right: Any = other.unsqueeze(1) if one_right else other  # type: ignore[attr-defined]
    *left_batch, n, k = left._data.shape
    *right_batch, k2, m = right._data.shape
    try:
        batch = np.broadcast_shapes(tuple(left_batch), tuple(right_batch))
    except ValueError:
        raise mismatch(left_batch, right_batch) from None
    count = math.prod(batch)
    folded_left = left.expand(*batch, n, k).reshape(count, n, k)
    folded_right = right.expand(*batch, k2, m).reshape(count, k2, m)
    out = apply(primitives["unsafe_view"], torch_functions["bmm"](folded_left, folded_right), (*batch, n, m))
    if one_left:
        out = out.squeeze(-2)
    return out.squeeze(-1) if one_right else out


@export(method=False, function=False, nn=True)
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:  # noqa: A002
    """input @ weight.T + bias; for a weight vector the sums of products alone."""
    transposed = weight.t()  # type: ignore[attr-defined]
    if bias is None or weight._data.ndim != 2 or not bias._data.ndim:
        out = _matmul(input, transposed)
        return out if bias is None else out + bias
    if input._data.ndim == 2:
        return torch_functions["addmm"](bias, input, transposed)
    *batch, k = input._data.shape
    if not input._data.flags.c_contiguous and input._data.ndim != 1:
        return _matmul(input, transposed) + bias
    flat = input.reshape(math.prod(batch), k)  # type: ignore[attr-defined]
    return torch_functions["addmm"](bias, flat, transposed).view(*batch, weight._data.shape[0])
