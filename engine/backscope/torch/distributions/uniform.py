"""The names of `torch.distributions.uniform`."""

from backscope.distributions.continuous import Uniform

__all__ = ["Uniform"]
