"""Backscope's engine: PyTorch's autograd on numpy, every step of it observable.

Importing it loads no room of it and changes nothing in the process.
"""

import importlib
from typing import Any

from backscope.runtime.version import VERSION as __version__

_LATER = {
    "Recording": "backscope.program.recording",
    "load_ipython_extension": "backscope.notebook.magic",
    "unload_ipython_extension": "backscope.notebook.magic",
    "keep_memory": "backscope.runtime.malloc",
    "record": "backscope.program.recording",
}
"""The modules of names that are loaded when a program first uses them, as `torch` is; __init__.pyi types them."""

__all__ = ["__version__"]


# Any: the modules and functions that are loaded when they are first used.
def __getattr__(name: str) -> Any:
    if name == "torch":
        return importlib.import_module("backscope.torch")
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name]), name)
    raise AttributeError(f"module 'backscope' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*globals(), *_LATER, "torch"]
