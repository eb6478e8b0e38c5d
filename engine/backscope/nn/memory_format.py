"""Convolution weights in another memory format."""

from __future__ import annotations

from typing import Any

from backscope.nn.layers.convolution import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d


def _convert(module: Any, kinds: tuple[type, ...], memory_format: Any) -> Any:
    for part in module.modules():
        if isinstance(part, kinds):
            weight: Any = vars(part)["_parameters"]["weight"]
            weight.data = weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """The module itself, the weights of its convolutions of two dims laid out anew."""
    return _convert(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """The module itself, the weights of its convolutions of three dims laid out anew."""
    return _convert(module, (Conv3d, ConvTranspose3d), memory_format)
