"""The names of `torch.mps`, as in a build without it."""

from backscope.torch._backend.cuda import device_count, is_available, nothing as empty_cache, nothing as manual_seed

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed"]
