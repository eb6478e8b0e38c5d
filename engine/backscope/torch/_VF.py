"""The names of `torch._VF`: functions that torch itself has in another form."""

from backscope.ops.counting import unique_dim

__all__ = ["unique_dim"]
