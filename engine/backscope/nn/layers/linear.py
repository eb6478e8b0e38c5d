"""Linear layers: Identity, Linear, Bilinear, LazyLinear."""

from __future__ import annotations

import math

from backscope.autograd.modes.grad_mode import no_grad
from backscope.nn import init
from backscope.nn.module.lazy_module import LazyModuleMixin
from backscope.nn.module.module import Module
from backscope.nn.module.uninitialized_parameter import UninitializedParameter
from backscope.ops.layers.bilinear import bilinear
from backscope.ops.linalg.products import linear
from backscope.runtime.given import Device, Dtype, Value
from backscope.tensor.parameter import new_parameter
from backscope.tensor.typename import belongs


class Identity(Module):
    """Returns the input unchanged; accepts any arguments and ignores them."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The input."""
        return input


class Linear(Module):
    """input @ weight.T + bias.

    Shape: [..., in_features] -> [..., out_features].
    """

    in_features: int
    out_features: int
    weight: Value

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Device = None, dtype: Dtype = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = new_parameter((out_features, in_features), dtype, device)
        if bias:
            self.bias = new_parameter((out_features,), dtype, device)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias uniformly within 1 / sqrt(in_features)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Value) -> Value:  # noqa: A002
        """input @ weight.T + bias."""
        return linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes, and the presence of a bias."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear with another name, which attention uses for its output."""


class Bilinear(Module):
    """input1 @ weight[k] @ input2 + bias[k] for each output k.

    Shape: [..., in1_features], [..., in2_features] -> [..., out_features].
    """

    in1_features: int
    in2_features: int
    out_features: int
    weight: Value

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got ({in1_features=})")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = new_parameter((out_features, in1_features, in2_features), dtype, device)
        if bias:
            self.bias = new_parameter((out_features,), dtype, device)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias uniformly within 1 / sqrt(in1_features)."""
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Value, input2: Value) -> Value:
        """The bilinear form of both inputs."""
        return bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes, and the presence of a bias."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class LazyLinear(LazyModuleMixin, Linear):
    """A Linear that takes in_features from its first input."""

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Device = None, dtype: Dtype = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw weight and bias, if they have shapes already."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Value) -> None:  # noqa: A002
        """Give the parameters the shapes that the input calls for."""
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        if self.in_features == 0:
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from "
                    f"self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]


belongs("torch.nn.modules.linear", Identity, Linear, NonDynamicallyQuantizableLinear, Bilinear, LazyLinear)
