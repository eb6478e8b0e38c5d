"""Records programs on the real PyTorch, which run unchanged, into the same events as those of the engine.

`with backscope.pytorch.record() as trace: ...` records a block, `backscope trace FILE` a whole program.
"""

try:
    import torch as _torch
except ImportError:
    raise ImportError(
        "backscope.pytorch records programs on PyTorch, which is not installed here. Install PyTorch 2.4 or newer, for "
        "instance with `pip install 'backscope[pytorch]'`."
    ) from None

if not hasattr(_torch, "_C"):
    raise ImportError(
        "This program runs on Backscope's engine, which its `import torch` gives. backscope.pytorch records programs "
        "that run on PyTorch itself, by `python` or by `backscope trace`."
    )

if tuple(int(part) for part in _torch.__version__.split(".")[:2]) < (2, 4):
    raise ImportError(f"backscope.pytorch needs PyTorch 2.4 or newer; this is {_torch.__version__}.")

from backscope.pytorch.recording import TorchRecording, record

__all__ = ["TorchRecording", "record"]
