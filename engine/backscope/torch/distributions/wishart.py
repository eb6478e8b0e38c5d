"""The names of `torch.distributions.wishart`."""

from backscope.distributions.random_matrices import Wishart

__all__ = ["Wishart"]
