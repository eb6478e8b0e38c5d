"""Linear layers: Identity, Linear."""

from __future__ import annotations

import math
from typing import Any

from backscope.nn import init
from backscope.nn.module import Module
from backscope.ops.products import linear
from backscope.parameter import new_parameter
from backscope.typename import belongs


class Identity(Module):
    """The input as it is; takes any arguments and ignores them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:  # noqa: A002
        """The input."""
        return input


class Linear(Module):
    """input @ weight.T + bias.

    Shape: [..., in_features] -> [..., out_features].
    """

    in_features: int
    out_features: int
    weight: Any

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
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

    def forward(self, input: Any) -> Any:  # noqa: A002
        """input @ weight.T + bias."""
        return linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes, and whether there is a bias."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear by another name, which attention uses for its output."""


belongs("torch.nn.modules.linear", Identity, Linear, NonDynamicallyQuantizableLinear)
