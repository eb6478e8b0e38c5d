"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from backscope.ops.namespace import torch_functions
from backscope.tensor import Tensor
from backscope.typename import typename


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """The elements of all parameters, one after the other."""
    return torch_functions["cat"]([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Let parameters have parts of a vector as their data; TypeError for what is no tensor."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for parameter in parameters:
        count = parameter.numel()
        parameter.data = vec[start : start + count].view_as(parameter).data  # type: ignore[index]
        start += count
