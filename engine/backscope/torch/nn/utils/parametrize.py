"""The names of `torch.nn.utils.parametrize`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.parametrization.parametrize import (
    ParametrizationList,
    cached,
    is_parametrized,
    register_parametrization,
    remove_parametrizations,
    transfer_parametrizations_and_params,
    type_before_parametrizations,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.utils.parametrize", name, globals())
