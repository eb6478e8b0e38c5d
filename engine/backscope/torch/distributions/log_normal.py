"""The names of `torch.distributions.log_normal`."""

from backscope.distributions.normal import LogNormal

__all__ = ["LogNormal"]
