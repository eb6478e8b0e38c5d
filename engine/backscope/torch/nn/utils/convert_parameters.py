"""The names of `torch.nn.utils.convert_parameters`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.vectors import (
    parameters_to_vector,
    vector_to_parameters,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "parameters_to_vector",
    "vector_to_parameters",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.utils.convert_parameters", name, globals())
