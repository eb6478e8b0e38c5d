"""The names of `torch.distributions.log_normal`."""

from backscope.distributions.transformed import LogNormal

__all__ = ["LogNormal"]
