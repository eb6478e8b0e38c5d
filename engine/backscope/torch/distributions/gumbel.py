"""The names of `torch.distributions.gumbel`."""

from backscope.distributions.inverse_sampling import Gumbel

__all__ = ["Gumbel"]
