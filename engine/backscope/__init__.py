"""Backscope's engine: PyTorch's autograd on numpy, every step of it observable."""

import gc

from backscope.version import VERSION as __version__

# A growing graph is all live objects: scanning it every 700 allocations would double the cost of an op.
gc.set_threshold(max(gc.get_threshold()[0], 50_000), 20, 100)

__all__ = ["__version__"]
