"""The names of `torch.distributions.half_cauchy`."""

from backscope.distributions.transformed import HalfCauchy

__all__ = ["HalfCauchy"]
