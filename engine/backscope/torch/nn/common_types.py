"""The names of `torch.nn.common_types`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.size_types import (
    maybe_indices as _maybe_indices_t,
    optional_size_2 as _size_2_opt_t,
    optional_size_3 as _size_3_opt_t,
    optional_size_any as _size_any_opt_t,
    ratio_2 as _ratio_2_t,
    ratio_3 as _ratio_3_t,
    ratio_any as _ratio_any_t,
    size_1 as _size_1_t,
    size_2 as _size_2_t,
    size_3 as _size_3_t,
    size_4 as _size_4_t,
    size_5 as _size_5_t,
    size_6 as _size_6_t,
    size_any as _size_any_t,
    tensors as _tensor_list_t,
)
from backscope.tensor.tensor import Tensor
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Tensor",
    "_maybe_indices_t",
    "_ratio_2_t",
    "_ratio_3_t",
    "_ratio_any_t",
    "_size_1_t",
    "_size_2_opt_t",
    "_size_2_t",
    "_size_3_opt_t",
    "_size_3_t",
    "_size_4_t",
    "_size_5_t",
    "_size_6_t",
    "_size_any_opt_t",
    "_size_any_t",
    "_tensor_list_t",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.common_types", name, globals())
