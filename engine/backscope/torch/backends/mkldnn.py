"""The names of `torch.backends.mkldnn`: switches that change nothing, as there is one way to compute here."""

import sys as _sys

from backscope.cuda import is_available, is_available as is_built
from backscope.process import process_wide as _process_wide

enabled = True
deterministic = False

__all__ = ["deterministic", "enabled", "is_available", "is_built"]

_process_wide(_sys.modules[__name__], "deterministic", "enabled")
