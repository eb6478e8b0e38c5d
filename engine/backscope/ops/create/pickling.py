"""Copies of tensors by copy.deepcopy, and their parts in a pickle."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.runtime.error_facts import blame
from backscope.runtime.given import Array, Value
from backscope.tensor.dtype import dtype
from backscope.tensor.serialization import pickled_as
from backscope.tensor.sparse_values import Sparse
from backscope.tensor.tensor import Tensor, make


def deepcopy(tensor: Tensor, memo: dict[int, Any]) -> Value:
    """copy.deepcopy of a leaf, its `.grad` included; RuntimeError for a non-leaf."""
    if not tensor.is_leaf:
        error = RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
            "see https://github.com/pytorch/pytorch/pull/103001"
        )
        raise blame(error, "copied_in_graph", tensor=tensor)
    data = tensor._data
    if isinstance(data, Sparse):
        data = data.copy()
    elif not tensor.is_meta:
        data = np.array(data) if data.ndim else np.array(data)[()]
    out = make(data, tensor._dtype)
    if tensor.__class__ is not Tensor:
        out.__class__ = tensor.__class__
    out._requires_grad = tensor._requires_grad
    memo[id(tensor)] = out
    if tensor._grad is not None:
        out._grad = deepcopy(tensor._grad, memo)
    return out


@pickled_as("_rebuild_tensor")
def rebuild(array: Array, name: str, requires_grad: bool) -> Value:
    out = make(array, dtype.by_name[name])
    out._requires_grad = requires_grad
    return out


def reduce(tensor: Tensor) -> tuple[Any, ...]:
    """The parts that pickle stores of a tensor: values, dtype, requires_grad."""
    return rebuild, (np.array(tensor._data), tensor._dtype.name, tensor._requires_grad)
