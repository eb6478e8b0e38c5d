"""Tensor.grad_dtype: the dtype of a leaf's `.grad`, which may differ from the leaf's."""

from __future__ import annotations

from backscope.autograd.hooks.user_hooks import extra_of
from backscope.autograd.task import Demands
from backscope.runtime.given import Dtype
from backscope.tensor.dtype import dtype
from backscope.tensor.tensor import Tensor


def grad_dtype(tensor: Tensor) -> Dtype:
    """Return Tensor.grad_dtype; RuntimeError for a non-leaf."""
    if tensor._node() is not None:
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    return tensor._dtype if tensor._extra is None else tensor._extra.grad_dtype(tensor)


def set_grad_dtype(tensor: Tensor, kind: Dtype) -> None:
    """Set Tensor.grad_dtype; RuntimeError for a non-leaf and where there is a `.grad` of another dtype."""
    if kind is not None and not isinstance(kind, dtype):
        raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(kind).__name__}")
    if tensor._node() is not None:
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    held = tensor._grad
    if kind is not None and held is not None and held._dtype is not kind:
        raise RuntimeError(
            f"Cannot set grad_dtype to '{kind.type_name}' because there is already a gradient with dtype "
            f"'{_c_name(held._dtype)}'. Please clear the gradient (.grad = None) before changing grad_dtype, or ensure "
            "the new grad_dtype matches the existing gradient's dtype."
        )
    Demands.stepwise = True
    extra_of(tensor).set_grad_dtype(kind)
    node = None if tensor._accumulator is None else tensor._accumulator()
    if node is not None:
        node.dtype = kind


def _c_name(kind: dtype) -> str:
    names = {"float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16"}
    return names.get(kind.name, kind.name)
