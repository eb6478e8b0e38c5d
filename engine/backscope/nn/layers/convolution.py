"""Convolutions, plain and transposed, as modules."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from backscope.autograd.modes.grad_mode import no_grad
from backscope.nn import init
from backscope.nn.layers.lengths import each, reversed_pairs
from backscope.nn.module.module import Module
from backscope.ops.core.namespace import functional
from backscope.runtime.given import Device, Dtype, Shape, Value
from backscope.tensor.parameter import new_parameter
from backscope.tensor.typename import belongs


class _ConvNd(Module):
    """The parts of all convolutions: weight, bias and the window's geometry."""

    bias: Any
    weight: Any

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: Shape,
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        _check(in_channels, out_channels, groups, stride, padding, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._frame()
        channels = (in_channels, out_channels // groups) if transposed else (out_channels, in_channels // groups)
        self.weight = new_parameter((*channels, *kernel_size), dtype, device)
        if bias:
            self.bias = new_parameter((out_channels,), dtype, device)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _frame(self) -> Any:
        """Return the arguments of `pad` that add the padding to the input."""
        if not isinstance(self.padding, str):
            return reversed_pairs(self.padding)
        frame: list[int] = []
        for d, k in reversed(list(zip(self.dilation, self.kernel_size, strict=False))):
            total = d * (k - 1) if self.padding == "same" else 0
            frame += [total // 2, total - total // 2]
        return frame

    def reset_parameters(self) -> None:
        """Draw weight and bias uniformly within 1 / sqrt(elements of a window)."""
        with no_grad():
            init.kaiming_uniform_(self.weight, a=math.sqrt(5))
            if self.bias is not None:
                fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
                if fan_in != 0:
                    bound = 1 / math.sqrt(fan_in)
                    init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        """Channels, and the settings that are not the usual ones."""
        parts = [
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}",
        ]
        if self.padding != (0,) * len(self.padding):
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * len(self.dilation):
            parts.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * len(self.output_padding):
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


def _check(
    in_channels: int, out_channels: int, groups: int, stride: tuple[int, ...], padding: Shape, padding_mode: str
) -> None:
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups != 0:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups != 0:
        raise ValueError("out_channels must be divisible by groups")
    if isinstance(padding, str):
        names = {"same", "valid"}
        if padding not in names:
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {names}")
        if padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    modes = {"zeros", "reflect", "replicate", "circular"}
    if padding_mode not in modes:
        raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")


class _Conv(_ConvNd):
    """A convolution over `_dims` dims.

    Shape: [N, in_channels, ...] -> [N, out_channels, ...], or both without the batch.
    """

    _dims: ClassVar[int]

    def __init__(
        self,
        in_channels: int,
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
        dims = self._dims
        super().__init__(
            in_channels, out_channels, each(kernel_size, dims), each(stride, dims),
            padding if isinstance(padding, str) else each(padding, dims), each(dilation, dims), False, each(0, dims),
            groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _conv_forward(self, input: Value, weight: Value, bias: Value) -> Any:  # noqa: A002
        conv = functional[f"conv{self._dims}d"]
        if self.padding_mode == "zeros":
            return conv(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
        framed = functional["pad"](input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        return conv(framed, weight, bias, self.stride, 0, self.dilation, self.groups)

    def forward(self, input: Value) -> Any:  # noqa: A002
        """The kernels slid over the input."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """A convolution over one dim."""

    _dims = 1


class Conv2d(_Conv):
    """A convolution over two dims."""

    _dims = 2


class Conv3d(_Conv):
    """A convolution over three dims."""

    _dims = 3


class _ConvTransposeNd(_ConvNd):
    """The transpose of a convolution over `_dims` dims.

    Shape: [N, in_channels, ...] -> [N, out_channels, ...], or both without the batch.
    """

    _dims: ClassVar[int]

    def __init__(
        self,
        in_channels: int,
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
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {self.__class__.__name__}')
        dims = self._dims
        super().__init__(
            in_channels, out_channels, each(kernel_size, dims), each(stride, dims), each(padding, dims),
            each(dilation, dims), True, each(output_padding, dims), groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _output_padding_for(self, input: Value, output_size: Shape) -> Any:  # noqa: A002
        """Return the output padding for a given output size; ValueError for a size that is impossible."""
        if output_size is None:
            return self.output_padding
        ndim, dims = input.dim(), self._dims
        lead = 2 if ndim == dims + 2 else 1
        wanted = list(output_size)
        if len(wanted) == lead + dims:
            wanted = wanted[lead:]
        if len(wanted) != dims:
            raise ValueError(
                f"ConvTranspose{dims}D: for {ndim}D input, output_size must have {dims} or {lead + dims} elements "
                f"(got {len(wanted)})"
            )
        least = [
            (input.size(d + lead) - 1) * self.stride[d]
            - 2 * self.padding[d]
            + self.dilation[d] * (self.kernel_size[d] - 1)
            + 1
            for d in range(dims)
        ]
        most = [n + s - 1 for n, s in zip(least, self.stride, strict=True)]
        if any(not low <= n <= high for low, n, high in zip(least, wanted, most, strict=True)):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range from {least} to {most} (for an input of "
                f"{input.size()[2:]})"
            )
        return [n - low for n, low in zip(wanted, least, strict=True)]

    def forward(self, input: Value, output_size: Shape = None) -> Any:  # noqa: A002
        """The input spread by the kernels, to `output_size` where several sizes are possible."""
        if self.padding_mode != "zeros":
            raise ValueError(f"Only `zeros` padding mode is supported for ConvTranspose{self._dims}d")
        extra = self._output_padding_for(input, output_size)
        conv = functional[f"conv_transpose{self._dims}d"]
        return conv(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)


class ConvTranspose1d(_ConvTransposeNd):
    """The transpose of Conv1d."""

    _dims = 1


class ConvTranspose2d(_ConvTransposeNd):
    """The transpose of Conv2d."""

    _dims = 2


class ConvTranspose3d(_ConvTransposeNd):
    """The transpose of Conv3d."""

    _dims = 3


belongs(
    "torch.nn.modules.conv",
    _ConvNd, _ConvTransposeNd, Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d,
)  # fmt: skip
