from backscope import torch as torch
from backscope.program.recording import Recording as Recording, record as record
from backscope.runtime.malloc import keep_memory as keep_memory
from backscope.runtime.version import VERSION as __version__

__all__ = ["Recording", "__version__", "keep_memory", "record", "torch"]
