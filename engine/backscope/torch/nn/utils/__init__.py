"""The names of `torch.nn.utils`."""

from __future__ import annotations

from typing import Any as _Any

import backscope.torch.nn.utils.spectral_norm
import backscope.torch.nn.utils.weight_norm  # noqa: F401 - both modules before the functions of the same names
from backscope.nn.clipping import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from backscope.nn.fusion import (
    fuse_conv_bn_eval,
    fuse_conv_bn_weights,
    fuse_linear_bn_eval,
    fuse_linear_bn_weights,
)
from backscope.nn.memory_format import (
    convert_conv2d_weight_memory_format,
    convert_conv3d_weight_memory_format,
)
from backscope.nn.parametrization.spectral_norm import remove_spectral_norm, spectral_norm
from backscope.nn.parametrization.weight_norm import remove_weight_norm, weight_norm
from backscope.nn.skip_init import skip_init
from backscope.nn.vectors import parameters_to_vector, vector_to_parameters
from backscope.torch.missing import missing_name as _missing_name
from backscope.torch.nn.utils import (
    clip_grad,
    convert_parameters,
    fusion,
    init,
    memory_format,
    parametrizations,
    parametrize,
    prune,
    rnn,
    stateless,
)

__all__ = [
    "clip_grad",
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "convert_conv2d_weight_memory_format",
    "convert_conv3d_weight_memory_format",
    "convert_parameters",
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "fusion",
    "get_total_norm",
    "init",
    "memory_format",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "prune",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "skip_init",
    "spectral_norm",
    "stateless",
    "vector_to_parameters",
    "weight_norm",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.utils", name, globals())
