"""The names of `torch.distributions.fishersnedecor`."""

from backscope.distributions.gamma import FisherSnedecor

__all__ = ["FisherSnedecor"]
