"""The names of `torch.distributions.beta`."""

from backscope.distributions.gamma import Beta

__all__ = ["Beta"]
