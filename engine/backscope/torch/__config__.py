"""The names of `torch.__config__`."""

from backscope.build import parallel_info, show

__all__ = ["parallel_info", "show"]
