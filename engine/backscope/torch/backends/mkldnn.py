"""The names of `torch.backends.mkldnn`: switches that change nothing, as there is one way to compute here."""

import sys as _sys

from backscope.runtime.process import process_wide as _process_wide
from backscope.torch._backend.cuda import is_available, is_available as is_built

enabled = True
deterministic = False

__all__ = ["deterministic", "enabled", "is_available", "is_built"]

_process_wide(_sys.modules[__name__], "deterministic", "enabled")
