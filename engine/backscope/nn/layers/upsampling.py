"""Upsample, Fold, Unfold and the shuffles as modules."""

from __future__ import annotations

from typing import Any

from backscope.nn.module.module import Module
from backscope.ops.core.namespace import functional
from backscope.runtime.given import Option, Shape, Value
from backscope.tensor.typename import belongs


class Upsample(Module):
    """The input resampled to a size, or by factors."""

    def __init__(
        self,
        size: Shape = None,
        scale_factor: Value = None,
        mode: str = "nearest",
        align_corners: Option = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        self.scale_factor: Any
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple([float(f) for f in scale_factor])
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The input resampled."""
        return functional["interpolate"](
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        """The factors or the size, and the mode."""
        info = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{info}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images resampled by the nearest pixel."""

    def __init__(self, size: Shape = None, scale_factor: Value = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images resampled between pixels, with aligned corners."""

    def __init__(self, size: Shape = None, scale_factor: Value = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class Fold(Module):
    """Adds columns up to images, each element at the pixel that unfold takes it from."""

    def __init__(
        self, output_size: Shape, kernel_size: Shape, dilation: Shape = 1, padding: Shape = 0, stride: Shape = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The images."""
        return functional["fold"](input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """The settings."""
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """The windows of images as columns."""

    def __init__(self, kernel_size: Shape, dilation: Shape = 1, padding: Shape = 0, stride: Shape = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The columns."""
        return functional["unfold"](input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """The settings."""
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class PixelShuffle(Module):
    """Channels turned into pixels."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The larger images."""
        return functional["pixel_shuffle"](input, self.upscale_factor)

    def extra_repr(self) -> str:
        """The factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Pixels turned into channels."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The smaller images."""
        return functional["pixel_unshuffle"](input, self.downscale_factor)

    def extra_repr(self) -> str:
        """The factor."""
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Groups of channels interleaved."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The channels in another order."""
        return functional["channel_shuffle"](input, self.groups)

    def extra_repr(self) -> str:
        """The number of groups."""
        return f"groups={self.groups}"


belongs("torch.nn.modules.upsampling", Upsample, UpsamplingNearest2d, UpsamplingBilinear2d)
belongs("torch.nn.modules.fold", Fold, Unfold)
belongs("torch.nn.modules.pixelshuffle", PixelShuffle, PixelUnshuffle)
belongs("torch.nn.modules.channelshuffle", ChannelShuffle)
