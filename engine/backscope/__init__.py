"""Backscope's engine: PyTorch's autograd on numpy, every step of it observable."""

import gc
import importlib
from typing import Any

from backscope.runtime.version import VERSION as __version__

# A growing graph is all live objects: scanning it every 700 allocations would double the cost of an op.
gc.set_threshold(max(gc.get_threshold()[0], 50_000), 20, 100)

_LATER = ("Recording", "record")
"""Names of the page `recording`, which loads much: it is loaded when they are asked for, and typed by __init__.pyi."""

__all__ = ["__version__"]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module("backscope.program.recording"), name)
    raise AttributeError(f"module 'backscope' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*globals(), *_LATER]
