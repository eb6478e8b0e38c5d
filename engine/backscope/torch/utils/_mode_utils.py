"""The names of `torch.utils._mode_utils`."""

from backscope.torch_dispatch.mode_stack import no_dispatch

__all__ = ["no_dispatch"]
