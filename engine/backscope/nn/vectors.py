"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor
from backscope.tensor.typename import typename


def parameters_to_vector(parameters: Iterable[Any]) -> Value:
    """The elements of all parameters, one after the other."""
    return torch_functions["cat"]([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Value, parameters: Iterable[Any]) -> None:
    """Set the data of parameters to parts of a vector; TypeError for anything but a tensor."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for parameter in parameters:
        count = parameter.numel()
        parameter.data = vec[start : start + count].view_as(parameter).data  # type: ignore[index]
        start += count


def flatten_dense_tensors(tensors: Iterable[Any]) -> Value:
    """The elements of tensors of one type, one after the other."""
    given = [t.contiguous().view(-1) for t in tensors]
    return given[0] if len(given) == 1 else torch_functions["cat"](given)


def unflatten_dense_tensors(flat: Value, tensors: Iterable[Any]) -> tuple[Any, ...]:
    """The parts of a row as views in the shapes of tensors."""
    made, start = [], 0
    for tensor in tensors:
        made.append(flat.narrow(0, start, tensor.numel()).view_as(tensor))
        start += tensor.numel()
    return tuple(made)
