"""Pooling as modules: max, average, adaptive, fractional, power mean, and max unpooling."""

from __future__ import annotations

from typing import Any, ClassVar

from backscope.nn.layers.lengths import each
from backscope.nn.module.module import Module
from backscope.ops.core.namespace import functional
from backscope.runtime.given import Option, Shape, Value, Values
from backscope.tensor.typename import belongs


class _MaxPoolNd(Module):
    """The largest element of each window of the last `dims` dims."""

    _dims: ClassVar[int]

    def __init__(
        self,
        kernel_size: Shape,
        stride: Shape = None,
        padding: Shape = 0,
        dilation: Shape = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """Return the geometry of the windows."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )

    def forward(self, input: Value) -> Any:  # noqa: A002
        """Return the largest elements, and their indices with `return_indices`."""
        pool = functional[f"max_pool{self._dims}d"]
        return pool(
            input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )  # fmt: skip


class MaxPool1d(_MaxPoolNd):
    """Max pooling of one dim."""

    _dims = 1


class MaxPool2d(_MaxPoolNd):
    """Max pooling of two dims."""

    _dims = 2


class MaxPool3d(_MaxPoolNd):
    """Max pooling of three dims."""

    _dims = 3


class _Framed(Module):
    """A module that shows kernel, stride and padding."""

    kernel_size: Any
    stride: Any
    padding: Any

    def extra_repr(self) -> str:
        """Return the geometry of the windows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _MaxUnpoolNd(_Framed):
    """The inverse of max pooling of the last `dims` dims."""

    _dims: ClassVar[int]

    def __init__(self, kernel_size: Shape, stride: Shape = None, padding: Shape = 0) -> None:
        super().__init__()
        self.kernel_size = each(kernel_size, self._dims)
        self.stride = each(kernel_size if stride is None else stride, self._dims)
        self.padding = each(padding, self._dims)

    def forward(self, input: Value, indices: Values, output_size: Shape = None) -> Any:  # noqa: A002
        """The elements back at their indices, zeros elsewhere."""
        unpool = functional[f"max_unpool{self._dims}d"]
        return unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_MaxUnpoolNd):
    """The inverse of MaxPool1d."""

    _dims = 1


class MaxUnpool2d(_MaxUnpoolNd):
    """The inverse of MaxPool2d."""

    _dims = 2


class MaxUnpool3d(_MaxUnpoolNd):
    """The inverse of MaxPool3d."""

    _dims = 3


class _AvgPoolNd(_Framed):
    """The mean of each window of the last `_dims` dims."""

    _dims: ClassVar[int]

    def __init__(
        self,
        kernel_size: Shape,
        stride: Shape = None,
        padding: Shape = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Value) -> Any:  # noqa: A002
        """The means."""
        return functional[f"avg_pool{self._dims}d"](
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            self.divisor_override,
        )  # fmt: skip


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of the last dim."""

    def __init__(
        self,
        kernel_size: Shape,
        stride: Shape = None,
        padding: Shape = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        steps = kernel_size if stride is None else stride
        super().__init__(each(kernel_size, 1), each(steps, 1), each(padding, 1), ceil_mode, count_include_pad)
        del self.divisor_override

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The means."""
        return functional["avg_pool1d"](
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class AvgPool2d(_AvgPoolNd):
    """The mean of each window of the last two dims."""

    _dims = 2


class AvgPool3d(_AvgPoolNd):
    """The mean of each window of the last three dims."""

    _dims = 3


class _FractionalMaxPoolNd(Module):
    """Max pooling with windows at random places."""

    _dims: ClassVar[int]

    def __init__(
        self,
        kernel_size: Shape,
        output_size: Shape = None,
        output_ratio: Shape = None,
        return_indices: bool = False,
        _random_samples: Option = None,
    ) -> None:
        super().__init__()
        if self._dims == 3 and not all(k > 0 for k in each(kernel_size, 3)):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.kernel_size = each(kernel_size, self._dims)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else each(output_size, self._dims)
        self.output_ratio = None if output_ratio is None else each(output_ratio, self._dims)
        name = f"FractionalMaxPool{self._dims}d"
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Value) -> Any:  # noqa: A002
        """Return the largest elements, and their indices with `return_indices`."""
        pool = functional[f"fractional_max_pool{self._dims}d"]
        return pool(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
            _random_samples=self._random_samples,
        )  # fmt: skip


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """Max pooling of two dims with windows at random places."""

    _dims = 2


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """Max pooling of three dims with windows at random places."""

    _dims = 3


class _LPPoolNd(Module):
    """The p-norm of each window."""

    _dims: ClassVar[int]

    def __init__(self, norm_type: float, kernel_size: Shape, stride: Shape = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """The norm and how the windows lie."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )

    def forward(self, input: Value) -> Any:  # noqa: A002
        """The norms."""
        pool = functional[f"lp_pool{self._dims}d"]
        return pool(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool1d(_LPPoolNd):
    """The p-norm of each window of the last dim."""

    _dims = 1


class LPPool2d(_LPPoolNd):
    """The p-norm of each window of the last two dims."""

    _dims = 2


class LPPool3d(_LPPoolNd):
    """The p-norm of each window of the last three dims."""

    _dims = 3


class _AdaptiveMaxPoolNd(Module):
    """Max pooling to a given size."""

    _dims: ClassVar[int]

    def __init__(self, output_size: Shape, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        """The size."""
        return f"output_size={self.output_size}"

    def forward(self, input: Value) -> Any:  # noqa: A002
        """Return the largest elements, and their indices with `return_indices`."""
        pool = functional[f"adaptive_max_pool{self._dims}d"]
        return pool(input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Max pooling of one dim to a given size."""

    _dims = 1


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """Max pooling of two dims to a given size."""

    _dims = 2


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Max pooling of three dims to a given size."""

    _dims = 3


class _AdaptiveAvgPoolNd(Module):
    """Average pooling to a given size."""

    _dims: ClassVar[int]

    def __init__(self, output_size: Shape) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        """The size."""
        return f"output_size={self.output_size}"

    def forward(self, input: Value) -> Any:  # noqa: A002
        """The means."""
        return functional[f"adaptive_avg_pool{self._dims}d"](input, self.output_size)


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Average pooling of one dim to a given size."""

    _dims = 1


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Average pooling of two dims to a given size."""

    _dims = 2


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Average pooling of three dims to a given size."""

    _dims = 3


belongs(
    "torch.nn.modules.pooling",
    _MaxPoolNd, MaxPool1d, MaxPool2d, MaxPool3d, _MaxUnpoolNd, MaxUnpool1d, MaxUnpool2d, MaxUnpool3d,
    _AvgPoolNd, AvgPool1d, AvgPool2d, AvgPool3d, FractionalMaxPool2d, FractionalMaxPool3d,
    _LPPoolNd, LPPool1d, LPPool2d, LPPool3d, _AdaptiveMaxPoolNd, AdaptiveMaxPool1d, AdaptiveMaxPool2d,
    AdaptiveMaxPool3d, _AdaptiveAvgPoolNd, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d,
)  # fmt: skip
