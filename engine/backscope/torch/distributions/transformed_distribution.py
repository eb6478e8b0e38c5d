"""The names of `torch.distributions.transformed_distribution`."""

from backscope.distributions.transformed import TransformedDistribution

__all__ = ["TransformedDistribution"]
