"""The names of `torch.backends.cudnn`: switches that change nothing without CUDA."""

import sys as _sys

from backscope.runtime.process import process_wide as _process_wide
from backscope.torch._backend.cuda import is_available

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True

__all__ = ["allow_tf32", "benchmark", "deterministic", "enabled", "is_available"]

_process_wide(_sys.modules[__name__], "allow_tf32", "benchmark", "deterministic", "enabled")
