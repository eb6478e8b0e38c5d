"""The names of `torch.distributions.laplace`."""

from backscope.distributions.continuous import Laplace

__all__ = ["Laplace"]
