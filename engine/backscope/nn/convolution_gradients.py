"""Functions for the gradients of convolutions: of the input, and of the weight."""

from __future__ import annotations

from typing import Any

from backscope.nn.layers.lengths import each
from backscope.ops.core.namespace import functional
from backscope.runtime.given import Shape, Value


def _gradient(dims: int, which: int, input: Value, weight: Value, grad_output: Value, settings: Any) -> Any:  # noqa: A002
    from backscope.autograd.backward_and_grad import grad
    from backscope.autograd.modes.grad_mode import enable_grad

    stride, padding, dilation, groups = settings
    with enable_grad():
        pair = [input.detach().requires_grad_(which == 0), weight.detach().requires_grad_(which == 1)]
        out = functional[f"conv{dims}d"](
            *pair, None, each(stride, dims), each(padding, dims), each(dilation, dims), groups
        )
    return grad(out, pair[which], grad_output)[0]


def _of_input(dims: int) -> Any:
    def gradient(
        input_size: Shape,
        weight: Value,
        grad_output: Value,
        stride: Shape = 1,
        padding: Shape = 0,
        dilation: Shape = 1,
        groups: int = 1,
    ) -> Any:
        given = grad_output.new_zeros(tuple(input_size))
        return _gradient(dims, 0, given, weight, grad_output, (stride, padding, dilation, groups))

    gradient.__name__ = gradient.__qualname__ = f"conv{dims}d_input"
    gradient.__doc__ = f"The gradient of a conv{dims}d with respect to its input, of the size given."
    return gradient


def _of_weight(dims: int) -> Any:
    def gradient(
        input: Value,  # noqa: A002
        weight_size: Shape,
        grad_output: Value,
        stride: Shape = 1,
        padding: Shape = 0,
        dilation: Shape = 1,
        groups: int = 1,
    ) -> Any:
        given = grad_output.new_zeros(tuple(weight_size))
        return _gradient(dims, 1, input, given, grad_output, (stride, padding, dilation, groups))

    gradient.__name__ = gradient.__qualname__ = f"conv{dims}d_weight"
    gradient.__doc__ = f"The gradient of a conv{dims}d with respect to its weight, of the size given."
    return gradient


conv1d_input, conv2d_input, conv3d_input = (_of_input(n) for n in (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = (_of_weight(n) for n in (1, 2, 3))
