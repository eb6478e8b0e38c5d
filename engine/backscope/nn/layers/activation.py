"""Layers that are one activation function: ReLU, Sigmoid, GELU, PReLU, ..."""

from __future__ import annotations

from typing import Any

from backscope.nn import init
from backscope.nn.module.module import Module
from backscope.ops.core.namespace import functional as F, torch_functions
from backscope.runtime.given import Device, Dtype, Value
from backscope.runtime.warning import warn
from backscope.tensor.parameter import new_parameter
from backscope.tensor.typename import belongs


def _joined(*parts: str, inplace: bool = False) -> str:
    return ", ".join([*parts, "inplace=True"] if inplace else parts)


class _Plain(Module):
    """An activation without options."""

    _function = ""

    def forward(self, input: Value) -> Any:  # noqa: A002
        """The activation of the input."""
        return F[self._function](input)


class _Inplace(Module):
    """An activation with `inplace` as its only option."""

    _function = ""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Value) -> Any:  # noqa: A002
        """The activation of the input."""
        return F[self._function](input, inplace=self.inplace)

    def extra_repr(self) -> str:
        """Return `inplace=True` for modules that work in place."""
        return _joined(inplace=self.inplace)


class ReLU(_Inplace):
    """The input where positive, else 0."""

    _function = "relu"


class SiLU(_Inplace):
    """input * sigmoid(input)."""

    _function = "silu"


class Mish(_Inplace):
    """input * tanh(softplus(input))."""

    _function = "mish"


class SELU(_Inplace):
    """elu with the constants that keep mean and variance."""

    _function = "selu"


class Hardswish(_Inplace):
    """input * hardsigmoid(input)."""

    _function = "hardswish"

    def extra_repr(self) -> str:
        """Return an empty text, as in PyTorch."""
        return ""


class Hardsigmoid(_Inplace):
    """input / 6 + 1/2 limited to 0 and 1."""

    _function = "hardsigmoid"

    def extra_repr(self) -> str:
        """Return an empty text, as in PyTorch."""
        return ""


class Sigmoid(Module):
    """1 / (1 + exp(-input))."""

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The sigmoid of the input."""
        return torch_functions["sigmoid"](input)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The hyperbolic tangent of the input."""
        return torch_functions["tanh"](input)


class LogSigmoid(_Plain):
    """log(sigmoid(input))."""

    _function = "logsigmoid"


class Softsign(_Plain):
    """input / (1 + abs(input))."""

    _function = "softsign"


class Tanhshrink(_Plain):
    """input - tanh(input)."""

    _function = "tanhshrink"


class Threshold(Module):
    """The input where above `threshold`, else `value`."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The activation of the input."""
        return F["threshold"](input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return _joined(f"threshold={self.threshold}", f"value={self.value}", inplace=self.inplace)


class RReLU(Module):
    """The input where positive, else times a slope drawn while training."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The activation of the input."""
        return F["rrelu"](input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return _joined(f"lower={self.lower}", f"upper={self.upper}", inplace=self.inplace)


class Hardtanh(Module):
    """The input limited to two bounds."""

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        if min_value is not None:
            warn("keyword argument `min_value` is deprecated and renamed to `min_val`", FutureWarning)
            min_val = min_value
        if max_value is not None:
            warn("keyword argument `max_value` is deprecated and renamed to `max_val`", FutureWarning)
            max_val = max_value
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The activation of the input."""
        return F["hardtanh"](input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return _joined(f"min_val={self.min_val}", f"max_val={self.max_val}", inplace=self.inplace)


class ReLU6(Hardtanh):
    """The input limited to 0 and 6."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """Return `inplace=True` for modules that work in place."""
        return _joined(inplace=self.inplace)


class _Alpha(Module):
    """An activation with `alpha` and `inplace`."""

    _function = ""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Value) -> Any:  # noqa: A002
        """The activation of the input."""
        return F[self._function](input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return _joined(f"alpha={self.alpha}", inplace=self.inplace)


class ELU(_Alpha):
    """The input where positive, else alpha * (exp(input) - 1)."""

    _function = "elu"


class CELU(_Alpha):
    """The input where positive, else alpha * (exp(input / alpha) - 1)."""

    _function = "celu"


class LeakyReLU(Module):
    """The input where positive, else negative_slope * input."""

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The activation of the input."""
        return F["leaky_relu"](input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return _joined(f"negative_slope={self.negative_slope}", inplace=self.inplace)


class GLU(Module):
    """The first half along `dim`, times the sigmoid of the second half."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The gated half of the input."""
        return F["glu"](input, self.dim)

    def extra_repr(self) -> str:
        """The dim."""
        return f"dim={self.dim}"


class GELU(Module):
    """The input times the share of a normal distribution below it."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The activation of the input."""
        return F["gelu"](input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """Return the method of approximation."""
        return f"approximate={self.approximate!r}"


class _Shrink(Module):
    """An activation that takes small values away."""

    _function = ""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Value) -> Any:  # noqa: A002
        """The activation of the input."""
        return F[self._function](input, self.lambd)

    def extra_repr(self) -> str:
        """Return `lambd`, the largest value that becomes 0."""
        return str(self.lambd)


class Hardshrink(_Shrink):
    """The input where it is further than `lambd` from 0, else 0."""

    _function = "hardshrink"


class Softshrink(_Shrink):
    """The input brought nearer to 0 by `lambd`, at most to 0."""

    _function = "softshrink"


class Softplus(Module):
    """log(1 + exp(beta * input)) / beta."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The activation of the input."""
        return F["softplus"](input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """The options."""
        return f"beta={self.beta}, threshold={self.threshold}"


class PReLU(Module):
    """The input where not negative, else times a learned weight, one for all or one for each channel."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Device = None, dtype: Dtype = None) -> None:
        self.num_parameters = num_parameters
        super().__init__()
        self.init = init
        self.weight = new_parameter((num_parameters,), dtype, device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to what it was first."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The activation of the input."""
        return F["prelu"](input, self.weight)

    def extra_repr(self) -> str:
        """Return the number of weights."""
        return f"num_parameters={self.num_parameters}"


belongs(
    "torch.nn.modules.activation",
    *(CELU, ELU, GELU, GLU, Hardshrink, Hardsigmoid, Hardswish, Hardtanh, LeakyReLU, LogSigmoid, Mish, PReLU, ReLU),
    *(ReLU6, RReLU, SELU, SiLU, Sigmoid, Softplus, Softshrink, Softsign, Tanh, Tanhshrink, Threshold),
)
