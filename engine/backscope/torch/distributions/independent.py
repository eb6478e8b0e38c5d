"""The names of `torch.distributions.independent`."""

from backscope.distributions.independent import Independent

__all__ = ["Independent"]
