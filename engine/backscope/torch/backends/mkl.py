"""The names of `torch.backends.mkl`."""

from backscope.torch._backend.cuda import is_available, is_available as is_built

__all__ = ["is_available", "is_built"]
