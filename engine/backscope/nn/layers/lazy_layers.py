"""Convolutions and norms that take their number of input channels from their first input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backscope.nn.layers.batch_normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)
from backscope.nn.layers.convolution import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from backscope.nn.module.lazy_module import LazyModuleMixin
from backscope.nn.module.uninitialized_parameter import UninitializedBuffer, UninitializedParameter
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Device, Dtype, Shape, Value
from backscope.tensor.typename import belongs

if TYPE_CHECKING:
    from backscope.nn.module.module import Module


class _LazyConvMixin(LazyModuleMixin):
    """A convolution without its number of input channels."""

    def _make(self, out_channels: int, bias: bool, device: Device, dtype: Dtype) -> None:
        own: Any = self
        own.weight = UninitializedParameter(device=device, dtype=dtype)
        own.out_channels = out_channels
        if bias:
            own.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw weight and bias once they have a shape."""
        own: Any = self
        if not self.has_uninitialized_params() and own.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Value, *args: Any, **kwargs: Any) -> None:  # noqa: A002
        """Give weight and bias their shapes by the first input."""
        own: Any = self
        if not self.has_uninitialized_params():
            return
        own.in_channels = _channels(own, input)
        if own.in_channels % own.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        pair = own.in_channels, own.out_channels
        first, second = pair if own.transposed else pair[::-1]
        own.weight.materialize((first, second // own.groups, *own.kernel_size))
        if own.bias is not None:
            own.bias.materialize((own.out_channels,))
        own.reset_parameters()


def _channels(module: Module, input: Value) -> int:  # noqa: A002
    dims, ndim = module._dims, input.dim()
    if ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {type(module).__name__}, but got "
            f"input of size: {input.shape}"
        )
    return int(input.shape[1 if ndim == dims + 2 else 0])


def _lazy_convolution(kind: Any) -> Any:
    """The lazy form of a convolution."""
    plain = kind.__name__

    class lazy(_LazyConvMixin, kind):  # type: ignore[misc]
        cls_to_become = kind

        if "Transpose" in plain:

            def __init__(
                self,
                out_channels: int,
                kernel_size: Shape,
                stride: Shape = 1,
                padding: Shape = 0,
                output_padding: Shape = 0,
                groups: int = 1,
                bias: bool = True,
                dilation: Shape = 1,
                padding_mode: str = "zeros",
                device: Device = None,
                dtype: Dtype = None,
            ) -> None:
                super().__init__(
                    0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device,
                    dtype,
                )  # fmt: skip
                self._make(out_channels, bias, device, dtype)

        else:

            def __init__(  # type: ignore[misc]
                self,
                out_channels: int,
                kernel_size: Shape,
                stride: Shape = 1,
                padding: Shape = 0,
                dilation: Shape = 1,
                groups: int = 1,
                bias: bool = True,
                padding_mode: str = "zeros",
                device: Device = None,
                dtype: Dtype = None,
            ) -> None:
                super().__init__(
                    0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype
                )
                self._make(out_channels, bias, device, dtype)

    lazy.__name__ = lazy.__qualname__ = f"Lazy{plain}"
    lazy.__doc__ = f"A {plain} that learns its number of input channels from its first input."
    return lazy


class _LazyNormMixin(LazyModuleMixin):
    """A norm without its number of channels."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device = None,
        dtype: Dtype = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        own: Any = self
        own.affine = affine
        own.track_running_stats = track_running_stats
        if affine:
            own.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                own.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            own.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            own.running_var = UninitializedBuffer(device=device, dtype=dtype)
            own.num_batches_tracked = torch_functions["tensor"](0)

    def reset_parameters(self) -> None:
        """Set weight, bias and statistics once they have a shape."""
        own: Any = self
        if not self.has_uninitialized_params() and own.num_features != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Value) -> None:  # noqa: A002
        """Give weight, bias and statistics their shapes by the first input."""
        own: Any = self
        if not self.has_uninitialized_params():
            return
        own.num_features = input.shape[1]
        parts = [own.weight, own.bias] if own.affine else []
        if own.track_running_stats:
            parts += [own.running_mean, own.running_var]
        for part in parts:
            if part is not None:
                part.materialize((own.num_features,))
        own.reset_parameters()


def _lazy_norm(kind: type[Module]) -> Any:
    """The lazy form of a norm."""
    body = {"cls_to_become": kind, "__doc__": f"A {kind.__name__} that learns its size from its first input."}
    return type(f"Lazy{kind.__name__}", (_LazyNormMixin, kind), body)


LazyConv1d, LazyConv2d, LazyConv3d = (_lazy_convolution(k) for k in (Conv1d, Conv2d, Conv3d))
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = (
    _lazy_convolution(k) for k in (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
)
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = (_lazy_norm(k) for k in (BatchNorm1d, BatchNorm2d, BatchNorm3d))
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = (
    _lazy_norm(k) for k in (InstanceNorm1d, InstanceNorm2d, InstanceNorm3d)
)

belongs(
    "torch.nn.modules.conv",
    LazyConv1d, LazyConv2d, LazyConv3d, LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d,
)  # fmt: skip
belongs("torch.nn.modules.batchnorm", LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d)
belongs("torch.nn.modules.instancenorm", LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d)
