"""The names of `torch.distributions`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.distributions import constraints
from backscope.distributions.continuous import Cauchy, Exponential, Laplace, Uniform
from backscope.distributions.discrete import Bernoulli, Categorical, Geometric, OneHotCategorical
from backscope.distributions.distribution import Distribution
from backscope.distributions.independent import Independent
from backscope.distributions.kl import kl_divergence, register_kl
from backscope.distributions.normal import HalfNormal, LogNormal, MultivariateNormal, Normal
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Bernoulli",
    "Categorical",
    "Cauchy",
    "Distribution",
    "Exponential",
    "Geometric",
    "HalfNormal",
    "Independent",
    "Laplace",
    "LogNormal",
    "MultivariateNormal",
    "Normal",
    "OneHotCategorical",
    "Uniform",
    "constraints",
    "kl_divergence",
    "register_kl",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.distributions", name, __all__)
