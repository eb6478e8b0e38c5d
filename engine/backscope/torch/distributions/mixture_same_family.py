"""The names of `torch.distributions.mixture_same_family`."""

from backscope.distributions.mixture import MixtureSameFamily

__all__ = ["MixtureSameFamily"]
