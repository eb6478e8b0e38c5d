"""Convolution weights in another memory format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backscope.nn.layers.convolution import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from backscope.runtime.given import MemoryFormat

if TYPE_CHECKING:
    from backscope.nn.module.module import Module


def _convert(module: Module, kinds: tuple[type, ...], memory_format: MemoryFormat) -> Module:
    for part in module.modules():
        if isinstance(part, kinds):
            weight: Any = vars(part)["_parameters"]["weight"]
            weight.data = weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: Module, memory_format: MemoryFormat) -> Module:
    """Change the memory format of the weights of 2d convolutions; returns the module."""
    return _convert(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: Module, memory_format: MemoryFormat) -> Module:
    """Change the memory format of the weights of 3d convolutions; returns the module."""
    return _convert(module, (Conv3d, ConvTranspose3d), memory_format)
