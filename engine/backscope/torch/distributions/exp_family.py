"""The names of `torch.distributions.exp_family`."""

from backscope.distributions.distribution import ExponentialFamily

__all__ = ["ExponentialFamily"]
