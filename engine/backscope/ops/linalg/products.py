"""Products composed of matrix products as PyTorch composes them: matmul, linear, inner, outer."""

from __future__ import annotations

import math
from types import NoneType
from typing import Any

import numpy as np

from backscope.ops.core.declaration import primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.core.elementwise import mismatch
from backscope.ops.core.namespace import argument_error, export, linalg, torch_functions
from backscope.ops.linalg.added_products import _addmm
from backscope.ops.linalg.matmul import _bmm, _mm, _mv
from backscope.ops.shape import dim_order  # noqa: F401 - declares `t`
from backscope.ops.shape.view_ops import _reshape, copied_as, reshaped
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor

_T, _VIEW, _UNSAFE_VIEW, _EXPAND = (primitives[name] for name in ("t", "view", "unsafe_view", "expand"))
_ADDMM = primitives["addmm"]


@export()
def inner(input: Tensor, other: Tensor) -> Value:  # noqa: A002
    """Sums of products over the last dim of both."""
    if not input._data.ndim or not other._data.ndim:
        return input * other  # type: ignore[operator]
    a, b = input._data.shape, other._data.shape
    if a[-1] != b[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(a)} and {list(b)}"
        )
    return torch_functions["tensordot"](input, other, ([-1], [-1]))


@export("outer", "ger")
def _outer(input: Tensor, vec2: Tensor) -> Any:  # noqa: A002
    """Multiply every element of input with every one of vec2."""
    if input._data.ndim != 1 or vec2._data.ndim != 1:
        bad = "self" if input._data.ndim != 1 else "vec2"
        ndim = input._data.ndim if bad == "self" else vec2._data.ndim
        raise RuntimeError(f"outer: Expected 1-D argument {bad}, but got {ndim}-D")
    return input.reshape(-1, 1) * vec2  # type: ignore[attr-defined]


@export("matmul")
def _matmul(input: Tensor, other: Tensor, *, out: Value = None) -> Any:  # noqa: A002
    """The matrix product with broadcasting, by the op for the operands' ranks."""
    if not isinstance(other, Tensor):
        return NotImplemented
    a, b = input._data.ndim, other._data.ndim
    if a == 2 and b == 2:
        return _mm(input, other)
    if a == 0 or b == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a == 1 and b == 1:
        return input.dot(other)  # type: ignore[attr-defined]
    if a == 2 and b == 1:
        return _mv(input, other)
    if a == 1 and b == 2:
        return _mm(input.unsqueeze(0), other).squeeze_(0)  # type: ignore[attr-defined]
    if a >= b:
        return _folded(input, other) if _folds(input, other) else _batched(input, other)
    large: Any = other.transpose(-2, -1)  # type: ignore[attr-defined]
    small: Any = input.t() if a == 2 else input  # type: ignore[attr-defined]
    if not _folds(large, small, reversed_matrix=a == 2):
        return _batched(input, other)
    out = _folded(large, small)
    return out.transpose(-2, -1).contiguous() if a == 2 else out


def _folds(large: Tensor, small: Tensor, *, reversed_matrix: bool = False) -> bool:
    """True where batches times one matrix or vector are computed as one tall matrix, as PyTorch decides it.

    That spares the backward pass an expanded matrix; without one it is done where it needs no copy.
    """
    array = large._array()
    if array.ndim < 3 or small._data.ndim > 2:
        return False
    if small._requires_grad:
        return True
    if reversed_matrix:
        return False
    return not array.size or all(
        array.strides[d] == array.strides[d + 1] * array.shape[d + 1] for d in range(array.ndim - 2)
    )


def _folded(input: Tensor, other: Tensor) -> Any:  # noqa: A002
    """Multiply batches with one matrix or vector, as one tall matrix."""
    *batch, k = input._data.shape
    flat = _reshape(input, (math.prod(batch), k))
    if other._data.ndim == 1:
        return apply(primitives["unsafe_view"], _mv(flat, other), tuple(batch))
    return apply(primitives["unsafe_view"], _mm(flat, other), (*batch, other._data.shape[1]))


def _batched(input: Value, other: Value) -> Any:  # noqa: A002
    """Multiply batches with batches, both expanded to their common batch shape."""
    a, b = input._data.shape, other._data.shape
    if len(a) == len(b) == 3 and a[0] != b[0]:
        if a[0] == 1 and input._requires_grad:
            return _matmul(input.squeeze(0), other)
        if b[0] == 1 and other._requires_grad:
            return _matmul(input, other.squeeze(0))
    batch = a[:-2]
    if batch != b[:-2]:
        try:
            batch = np.broadcast_shapes(batch, b[:-2])
        except ValueError:
            raise mismatch(a[:-2], b[:-2]) from None
    count = math.prod(batch)
    if len(a) > 1 and len(b) > 1:
        left = _stacked(_EXPAND.apply(input, (*batch, *a[-2:])), (count, *a[-2:]))
        right = _stacked(_EXPAND.apply(other, (*batch, *b[-2:])), (count, *b[-2:]))
        return _UNSAFE_VIEW.apply(_bmm(left, right), (*batch, a[-2], b[-1]))
    n = a[-2] if len(a) > 1 else 1
    left = _reshape(_expanded(input, (*batch, n, a[-1])), (count, n, a[-1]))
    if len(b) == 1:
        right = _reshape(_expanded(other, (*batch, b[0])), (count, b[0])).unsqueeze(2)
        out = _bmm(left, right).squeeze(-1)
    else:
        right = _reshape(_expanded(other, (*batch, *b[-2:])), (count, *b[-2:]))
        out = _bmm(left, right)
    shape = (*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))
    return apply(primitives["unsafe_view"], out, shape)


def _stacked(value: Value, shape: tuple[int, int, int]) -> Any:
    """Batches of matrices with their batch dims as one."""
    array = value._data
    strides, lengths = array.strides, array.shape
    for d in range(len(lengths) - 3):
        if strides[d] != strides[d + 1] * lengths[d + 1]:
            # Strides of dims with one element or none have no meaning.
            return copied_as(value, shape) if 1 not in lengths and array.size else reshaped(value, shape)
    return reshaped(value, shape)


def _expanded(value: Value, shape: tuple[int, ...]) -> Any:
    return apply(primitives["expand"], value, shape)


linalg["matmul"] = _matmul


@export(method=False, function=False, nn=True)
def linear(input: Value, weight: Value, bias: Value = None) -> Value:  # noqa: A002
    """input @ weight.T + bias; for a weight vector the sums of products alone."""
    if not (isinstance(input, Tensor) and isinstance(weight, Tensor) and isinstance(bias, (Tensor, NoneType))):
        for position, (name, value) in enumerate((("input", input), ("weight", weight), ("bias", bias)), 1):
            if not isinstance(value, Tensor):
                raise argument_error("linear", name, position, value)
    ndim = input._data.ndim
    if not ndim or not weight._data.ndim:
        raise RuntimeError(
            f"both arguments to linear need to be at least 1D, but they are {ndim}D and {weight._data.ndim}D"
        )
    if bias is None:
        return _matmul(input, _turned(weight))
    if ndim == 2:
        return _addmm(bias, input, _turned(weight))
    if not input._array().flags.c_contiguous:
        return _matmul(input, _turned(weight)) + bias
    shape = input._data.shape
    kind, sides = input._dtype, weight._data.shape
    flat = _VIEW.apply(input, (math.prod(shape[:-1]), shape[-1]))
    turned = _turned(weight)
    if kind is weight._dtype is bias._dtype and sides[1:] == shape[-1:] and bias._data.shape == sides[:1]:
        found = _ADDMM.apply(bias, flat, turned, 1, 1)
    else:
        found = _addmm(bias, flat, turned)
    return _VIEW.apply(found, (*shape[:-1], sides[0]))


def _turned(weight: Value) -> Any:
    return _T.apply(weight) if weight._data.ndim == 2 else weight.t()
