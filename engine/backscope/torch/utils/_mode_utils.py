"""The names of `torch.utils._mode_utils`; there are no dispatch modes to switch off."""

from contextlib import nullcontext as no_dispatch

__all__ = ["no_dispatch"]
