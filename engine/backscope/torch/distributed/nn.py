"""The names of `torch.distributed.nn`."""

from backscope.tensor.single_process import (
    reject_without_group as all_gather,
    reject_without_group as all_reduce,
    reject_without_group as broadcast,
)

__all__ = ["all_gather", "all_reduce", "broadcast"]
