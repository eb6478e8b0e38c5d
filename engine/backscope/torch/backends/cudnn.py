"""The names of `torch.backends.cudnn`: switches that change nothing without CUDA."""

import sys as _sys

from backscope.cuda import is_available
from backscope.process import process_wide as _process_wide

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True

__all__ = ["allow_tf32", "benchmark", "deterministic", "enabled", "is_available"]

_process_wide(_sys.modules[__name__], "allow_tf32", "benchmark", "deterministic", "enabled")
