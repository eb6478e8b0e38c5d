"""The names of `torch.backends.cudnn`: switches that change nothing without CUDA."""

from backscope.cuda import is_available

enabled = True
benchmark = False
deterministic = False
allow_tf32 = True

__all__ = ["allow_tf32", "benchmark", "deterministic", "enabled", "is_available"]
