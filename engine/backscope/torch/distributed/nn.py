"""The names of `torch.distributed.nn`."""

from backscope.tensor.single_process import no_group as all_gather, no_group as all_reduce, no_group as broadcast

__all__ = ["all_gather", "all_reduce", "broadcast"]
