"""The names of `torch.nn.grad`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.convolution_gradients import (
    conv1d_input,
    conv1d_weight,
    conv2d_input,
    conv2d_weight,
    conv3d_input,
    conv3d_weight,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "conv1d_input",
    "conv1d_weight",
    "conv2d_input",
    "conv2d_weight",
    "conv3d_input",
    "conv3d_weight",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.grad", name, globals())
