"""The names of `torch.distributions.dirichlet`."""

from backscope.distributions.gamma import Dirichlet

__all__ = ["Dirichlet"]
