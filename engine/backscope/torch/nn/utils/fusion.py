"""The names of `torch.nn.utils.fusion`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.fusion import fuse_conv_bn_eval, fuse_conv_bn_weights, fuse_linear_bn_eval, fuse_linear_bn_weights
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.utils.fusion", name, globals())
