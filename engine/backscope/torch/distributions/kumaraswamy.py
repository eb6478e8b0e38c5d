"""The names of `torch.distributions.kumaraswamy`."""

from backscope.distributions.transformed import Kumaraswamy

__all__ = ["Kumaraswamy"]
