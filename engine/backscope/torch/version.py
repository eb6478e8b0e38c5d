"""The names of `torch.version`."""

from backscope.runtime.version import TORCH_VERSION as __version__

cuda = None
hip = None
xpu = None
debug = False

__all__ = ["__version__", "cuda", "debug", "hip", "xpu"]
