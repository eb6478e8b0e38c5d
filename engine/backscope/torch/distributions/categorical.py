"""The names of `torch.distributions.categorical`."""

from backscope.distributions.discrete import Categorical

__all__ = ["Categorical"]
