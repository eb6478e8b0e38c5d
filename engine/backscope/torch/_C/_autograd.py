"""The names of `torch._C._autograd`."""

from backscope.autograd.saved_hooks import SavedTensor
from backscope.autograd.version_access import set_version_counters as _unsafe_set_version_counter

__all__ = ["SavedTensor", "_unsafe_set_version_counter"]
