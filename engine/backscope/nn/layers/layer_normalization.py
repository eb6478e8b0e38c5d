"""LayerNorm, GroupNorm, RMSNorm and response norms: values standardized within each sample."""

from __future__ import annotations

from typing import Any

from backscope.nn import init
from backscope.nn.module.module import Module
from backscope.ops.core.namespace import functional
from backscope.ops.layers.map_normalization import normalize_maps
from backscope.runtime.given import Device, Dtype, Shape, Value
from backscope.tensor.parameter import new_parameter
from backscope.tensor.typename import belongs


class _Affine(Module):
    """Weight 1 and bias 0, both optional."""

    weight: Any
    bias: Any

    def _make(self, shape: tuple[int, ...], weight: bool, bias: bool, device: Device, dtype: Dtype) -> None:
        for name, wanted in (("weight", weight), ("bias", weight and bias)):
            if wanted:
                setattr(self, name, new_parameter(shape, dtype, device))
            else:
                self.register_parameter(name, None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weight 1, bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if getattr(self, "bias", None) is not None:
            init.zeros_(self.bias)


def _shape(value: Value) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)


class LayerNorm(_Affine):
    """The last dims, of `normalized_shape`, standardized."""

    def __init__(
        self,
        normalized_shape: Shape,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._make(self.normalized_shape, elementwise_affine, bias, device, dtype)

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The input standardized, scaled and shifted."""
        return functional["layer_norm"](input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The settings."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class GroupNorm(_Affine):
    """Groups of channels standardized."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Device = None,
        dtype: Dtype = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._make((num_channels,), affine, bias, device, dtype)

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The input standardized, scaled and shifted."""
        return functional["group_norm"](input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The settings."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """The last dims divided by the root of their mean square."""

    weight: Value

    def __init__(
        self,
        normalized_shape: Shape,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            self.weight = new_parameter(self.normalized_shape, dtype, device)
        else:
            self.register_parameter("weight", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weight 1."""
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x: Value) -> Value:
        """The input divided and scaled."""
        return functional["rms_norm"](x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The settings."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LocalResponseNorm(Module):
    """Divides each channel by a power of the mean square of its neighbours."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The input divided."""
        return functional["local_response_norm"](input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """The settings."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(LocalResponseNorm):
    """Local response normalization across the channels of images, by PyTorch's older op."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The input divided."""
        return normalize_maps(input, self.size, self.alpha, self.beta, self.k)


belongs("torch.nn.modules.normalization", CrossMapLRN2d, LayerNorm, GroupNorm, RMSNorm, LocalResponseNorm)
