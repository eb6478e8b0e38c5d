"""The names of `torch.nn.modules`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.torch.missing import missing_name as _missing_name
from backscope.torch.nn.modules import (
    activation,
    adaptive,
    batchnorm,
    channelshuffle,
    container,
    conv,
    distance,
    dropout,
    flatten,
    fold,
    instancenorm,
    lazy as lazy,
    linear,
    loss,
    module as module,
    normalization,
    padding,
    pixelshuffle,
    pooling,
    rnn,
    sparse,
    transformer,
    upsampling,
    utils as utils,
)
from backscope.torch.nn.modules.module import Module

_modules = (
    activation,
    adaptive,
    batchnorm,
    channelshuffle,
    container,
    conv,
    distance,
    dropout,
    flatten,
    fold,
    instancenorm,
    linear,
    loss,
    normalization,
    padding,
    pixelshuffle,
    pooling,
    rnn,
    sparse,
    transformer,
    upsampling,
)

__all__ = ["Module"]

for _module in _modules:
    globals().update({_name: getattr(_module, _name) for _name in _module.__all__})
    __all__ += _module.__all__


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules", name, globals())
