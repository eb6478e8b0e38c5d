"""The names of `torch.distributions.relaxed_bernoulli`."""

from backscope.distributions.relaxed import LogitRelaxedBernoulli, RelaxedBernoulli

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]
