"""The names of `torch.cpu.amp`."""

from backscope.autograd.modes.autocast import CpuAutocast as autocast

__all__ = ["autocast"]
