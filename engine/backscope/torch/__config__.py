"""The names of `torch.__config__`."""

from backscope.torch._backend.build import parallel_info, show

__all__ = ["parallel_info", "show"]
