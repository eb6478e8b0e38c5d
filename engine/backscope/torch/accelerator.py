"""The names of `torch.accelerator`, as on a machine without one."""

from backscope.torch._backend.cuda import device_count, is_available, nothing as current_accelerator

__all__ = ["current_accelerator", "device_count", "is_available"]
