"""The names of `torch.distributions.kl`."""

from backscope.distributions.kl import kl_divergence, register_kl

__all__ = ["kl_divergence", "register_kl"]
