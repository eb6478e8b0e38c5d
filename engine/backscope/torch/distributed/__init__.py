"""The names of `torch.distributed`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.tensor.single_process import (
    ProcessGroup,
    is_not_available as is_available,
    is_not_available as is_gloo_available,
    is_not_available as is_initialized,
    is_not_available as is_mpi_available,
    is_not_available as is_nccl_available,
    no_group as all_gather,
    no_group as all_reduce,
    no_group as barrier,
    no_group as broadcast,
    no_group as get_rank,
    no_group as get_world_size,
    nothing as destroy_process_group,
    one_process as init_process_group,
)
from backscope.torch.distributed import nn
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "ProcessGroup",
    "all_gather",
    "all_reduce",
    "barrier",
    "broadcast",
    "destroy_process_group",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "is_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "nn",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.distributed", name, globals())
