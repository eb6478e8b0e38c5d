"""The names of `torch.distributions.studentT`."""

from backscope.distributions.gamma import StudentT

__all__ = ["StudentT"]
