"""The names of `torch.amp.autocast_mode`."""

from backscope.autograd.modes.autocast import autocast, custom_bwd, custom_fwd, is_autocast_available

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
