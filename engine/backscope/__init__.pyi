from backscope import torch as torch
from backscope.notebook.magic import (
    load_ipython_extension as load_ipython_extension,
    unload_ipython_extension as unload_ipython_extension,
)
from backscope.program.recording import Recording as Recording, record as record
from backscope.runtime.malloc import keep_memory as keep_memory
from backscope.runtime.version import VERSION as __version__

__all__ = [
    "Recording",
    "__version__",
    "keep_memory",
    "load_ipython_extension",
    "record",
    "torch",
    "unload_ipython_extension",
]
