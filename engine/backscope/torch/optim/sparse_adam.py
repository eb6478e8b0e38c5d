"""The names of `torch.optim.sparse_adam`."""

from backscope.optim.sparse_adam import SparseAdam

__all__ = ["SparseAdam"]
