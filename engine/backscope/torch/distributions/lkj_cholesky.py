"""The names of `torch.distributions.lkj_cholesky`."""

from backscope.distributions.random_matrices import LKJCholesky

__all__ = ["LKJCholesky"]
