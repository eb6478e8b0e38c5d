"""Internal ops of PyTorch that no function of torch is named after, in torch.ops.aten alone."""

from __future__ import annotations

from typing import Any

from backscope.ops.namespace import internal, torch_functions
from backscope.tensor import Tensor


@internal
def _local_scalar_dense(self: Tensor) -> Any:
    """The only element as a Python number."""
    return self.item()


@internal
def lift_fresh(self: Tensor) -> Tensor:
    """A tensor that was just made from data: itself."""
    return self


@internal
def silu_backward(grad_output: Tensor, self: Tensor) -> Any:
    """The gradient of silu's input, of the shape of both arguments."""
    sigmoid = torch_functions["sigmoid"](self)
    return grad_output * sigmoid * (1 + self * (1 - sigmoid))


@internal
def mish_backward(grad_output: Tensor, self: Tensor) -> Any:
    """The gradient of mish's input, of the shape of both arguments."""
    sigmoid, tanh = torch_functions["sigmoid"](self), torch_functions["log1p"](torch_functions["exp"](self)).tanh()
    return grad_output * (tanh + self * sigmoid * (1 - tanh * tanh))
