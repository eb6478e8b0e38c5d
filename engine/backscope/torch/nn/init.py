"""The names of `torch.nn.init`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.init import (
    _calculate_correct_fan,
    _calculate_fan_in_and_fan_out,
    calculate_gain,
    constant,
    constant_,
    constant_ as _no_grad_fill_,
    dirac,
    dirac_,
    eye,
    eye_,
    kaiming_normal,
    kaiming_normal_,
    kaiming_uniform,
    kaiming_uniform_,
    normal,
    normal_,
    normal_ as _no_grad_normal_,
    ones_,
    orthogonal,
    orthogonal_,
    sparse,
    sparse_,
    trunc_normal_,
    trunc_normal_ as _no_grad_trunc_normal_,
    uniform,
    uniform_,
    uniform_ as _no_grad_uniform_,
    xavier_normal,
    xavier_normal_,
    xavier_uniform,
    xavier_uniform_,
    zeros_,
    zeros_ as _no_grad_zero_,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "_calculate_correct_fan",
    "_calculate_fan_in_and_fan_out",
    "_no_grad_fill_",
    "_no_grad_normal_",
    "_no_grad_trunc_normal_",
    "_no_grad_uniform_",
    "_no_grad_zero_",
    "calculate_gain",
    "constant",
    "constant_",
    "dirac",
    "dirac_",
    "eye",
    "eye_",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal",
    "normal_",
    "ones_",
    "orthogonal",
    "orthogonal_",
    "sparse",
    "sparse_",
    "trunc_normal_",
    "uniform",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.init", name, globals())
