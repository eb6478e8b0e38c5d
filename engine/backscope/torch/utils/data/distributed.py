"""The names of `torch.utils.data.distributed`."""

from backscope.data.sampler import DistributedSampler

__all__ = ["DistributedSampler"]
