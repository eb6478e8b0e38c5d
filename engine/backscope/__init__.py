"""Backscope's engine: PyTorch's autograd on numpy, every step of it observable."""

from backscope.version import VERSION as __version__

__all__ = ["__version__"]
