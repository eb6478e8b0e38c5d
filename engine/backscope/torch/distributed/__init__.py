"""The names of `torch.distributed`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.tensor.single_process import (
    ProcessGroup,
    do_nothing as destroy_process_group,
    never_available as is_available,
    never_available as is_gloo_available,
    never_available as is_initialized,
    never_available as is_mpi_available,
    never_available as is_nccl_available,
    reject_other_processes as init_process_group,
    reject_without_group as all_gather,
    reject_without_group as all_reduce,
    reject_without_group as barrier,
    reject_without_group as broadcast,
    reject_without_group as get_rank,
    reject_without_group as get_world_size,
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
