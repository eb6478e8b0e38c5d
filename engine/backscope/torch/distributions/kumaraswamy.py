"""The names of `torch.distributions.kumaraswamy`."""

from backscope.distributions.inverse_sampling import Kumaraswamy

__all__ = ["Kumaraswamy"]
