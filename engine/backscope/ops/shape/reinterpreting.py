"""The bytes of a tensor read as numbers of another dtype."""

from __future__ import annotations

from typing import Any

from backscope.autograd.views.lazy_views import is_conj, is_neg
from backscope.runtime.given import Array, Dtype, Value
from backscope.runtime.listening import hub
from backscope.tensor.dtype import dtype
from backscope.tensor.strides import element_strides, offset_in_storage
from backscope.tensor.tensor import Tensor, make


def read_as(tensor: Tensor, shape: tuple[Any, ...], kind: Dtype) -> Value:
    """view() without a shape: with a dtype, or TypeError."""
    given = [*shape, *([] if kind is None else [kind])]
    if len(given) == 1 and isinstance(given[0], dtype):
        return viewed_as(tensor, given[0])
    words = [type(v).__name__ for v in shape] + ([] if kind is None else [f"dtype={_word(kind)}"])
    wrong = ""
    if len(given) == 1:
        wrong = f"      didn't match because some of the arguments have invalid types: (!{', '.join(words)}!)\n"
    raise TypeError(
        f"view() received an invalid combination of arguments - got ({', '.join(words)}), but expected one of:\n"
        f" * (torch.dtype dtype)\n{wrong} * (tuple of ints size)\n{wrong}"
    )


def _word(value: Value) -> str:
    return "torch.dtype" if isinstance(value, dtype) else type(value).__name__


def viewed_as(tensor: Tensor, kind: dtype) -> Value:
    """A view as another dtype with the same version counter, off the tape; RuntimeError if elements don't line up."""
    for flag, what in ((is_conj(tensor), "conjugate view tensors"), (is_neg(tensor), "tensors with negative bit set")):
        if flag:
            raise RuntimeError(f"torch.Tensor.view is not supported for {what} when converting to a different dtype.")
    array = tensor._array()
    if kind.itemsize != tensor._dtype.itemsize:
        _check(array, tensor._dtype, kind)
    out = make(array.view(kind.np), kind)
    out._shared = tensor._counter()
    if hub.listener is not None:
        hub.listener.aliased(out, tensor)
    return out


def _check(array: Array, own: dtype, kind: dtype) -> None:
    what = f"to view {own.type_name} as {kind.type_name} (different element sizes)"
    if not array.ndim:
        raise RuntimeError(f"self.dim() cannot be 0 {what}")
    strides = element_strides(array)
    factor = kind.itemsize // own.itemsize
    if factor > 1 and array.shape[-1] % factor:
        raise RuntimeError(f"self.size(-1) must be divisible by {factor} {what}, but got {array.shape[-1]}")
    if strides[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {what}, but got {strides[-1]}")
    if factor < 2:
        return
    offset = offset_in_storage(array)
    if offset % factor:
        raise RuntimeError(f"self.storage_offset() must be divisible by {factor} {what}, but got {offset}")
    for i, stride in enumerate(strides[:-1]):
        if stride % factor:
            raise RuntimeError(f"self.stride({i}) must be divisible by {factor} {what}, but got {stride}")
