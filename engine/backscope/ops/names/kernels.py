"""Internal ops of PyTorch that have no function of torch, in torch.ops.aten only."""

from __future__ import annotations

from typing import Any

from backscope.func.forward_ad import zeros_with_meta
from backscope.ops.core.namespace import internal, torch_functions
from backscope.runtime.given import Shape, Value
from backscope.tensor.tensor import Tensor


@internal
def _local_scalar_dense(self: Tensor) -> Any:
    """The only element as a Python number."""
    return self.item()


@internal
def lift_fresh(self: Tensor) -> Tensor:
    """Return a tensor that was just made from data."""
    return self


@internal
def silu_backward(grad_output: Tensor, self: Tensor) -> Value:
    """The gradient of silu's input, of the shape of both arguments."""
    sigmoid = torch_functions["sigmoid"](self)
    return grad_output * sigmoid * (1 + self * (1 - sigmoid))


@internal
def mish_backward(grad_output: Tensor, self: Tensor) -> Value:
    """The gradient of mish's input, of the shape of both arguments."""
    sigmoid, tanh = torch_functions["sigmoid"](self), torch_functions["log1p"](torch_functions["exp"](self)).tanh()
    return grad_output * (tanh + self * sigmoid * (1 - tanh * tanh))


@internal
def _new_zeros_with_same_feature_meta(self: Tensor, other: Tensor, *, self_num_batch_dims: int = 0) -> Any:
    """Return zeros with the strides of `other` after the leading dims of `self`."""
    return zeros_with_meta(self, other, self_num_batch_dims)


@internal
def sym_size(self: Value, dim: int | None = None) -> Shape:
    """The lengths of all dims, or of one."""
    return list(self.shape) if dim is None else self.size(dim)


@internal
def sym_stride(self: Value, dim: int | None = None) -> Shape:
    """The strides of all dims, or of one."""
    return list(self.stride()) if dim is None else self.stride(dim)


@internal
def sym_numel(self: Value) -> int:
    """The number of elements."""
    return int(self.numel())
