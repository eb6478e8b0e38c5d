"""The names of `torch.distributions.normal`."""

from backscope.distributions.normal import Normal

__all__ = ["Normal"]
