"""The names of `torch._vmap_internals`."""

from backscope.autograd.transforms.batched_grad import legacy_vmap as _vmap

__all__ = ["_vmap"]
