"""Divergences between distributions of different kinds."""

from __future__ import annotations

import math
from typing import Any

from backscope.distributions.continuous import Exponential, Laplace, Uniform
from backscope.distributions.counts import Binomial, Poisson
from backscope.distributions.discrete import Bernoulli
from backscope.distributions.gamma import Beta, Gamma
from backscope.distributions.inverse_sampling import Gumbel, Pareto
from backscope.distributions.kl import divergences, register_kl
from backscope.distributions.normal import Normal
from backscope.distributions.parameterization import euler_constant
from backscope.distributions.relaxed import ContinuousBernoulli
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Value
from backscope.runtime.process import process_wide

_BOUNDED = (Beta, ContinuousBernoulli, Pareto, Uniform)
_BELOW = (Exponential, Gamma)

_INFINITE: dict[type, tuple[str, tuple[type, ...]]] = {
    Beta: ("concentration1", (Pareto,)),
    ContinuousBernoulli: ("probs", (Pareto,)),
    Exponential: ("rate", _BOUNDED),
    Gamma: ("concentration", _BOUNDED),
    Gumbel: ("loc", _BOUNDED + _BELOW),
    Laplace: ("loc", _BOUNDED + _BELOW),
    Normal: ("loc", _BOUNDED + _BELOW),
    Pareto: ("scale", (Beta, ContinuousBernoulli, Uniform)),
    Poisson: ("rate", (Bernoulli, Binomial)),
}
"""Pairs of p and q with an infinite divergence, and a parameter of p that has the shape of the result."""


def _infinite(parameter: str) -> Any:
    return lambda p, q: torch_functions["full_like"](getattr(p, parameter), math.inf)


for _p, (_parameter, _others) in _INFINITE.items():
    for _q in _others:
        register_kl(_p, _q)(_infinite(_parameter))


def _xlogx(x: Value) -> Any:
    return torch_functions["xlogy"](x, x)


def _where_infinite(condition: Value, result: Value) -> Any:
    return torch_functions["where"](condition, torch_functions["ones_like"](result) * math.inf, result)


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Bernoulli, q: Poisson) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _beta_continuous_bernoulli(p: Beta, q: ContinuousBernoulli) -> Any:
    return -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()


@register_kl(Beta, Exponential)
def _beta_exponential(p: Beta, q: Exponential) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(Beta, Gamma)
def _beta_gamma(p: Beta, q: Gamma) -> Any:
    total = p.concentration1 + p.concentration0
    normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    power = (q.concentration - 1) * (p.concentration1.digamma() - total.digamma())
    return -p.entropy() + normalizer - power + q.rate * p.concentration1 / total


@register_kl(Beta, Normal)
def _beta_normal(p: Beta, q: Normal) -> Any:
    mean, variance = p.mean, q.scale.pow(2)
    square = (mean * (1 - mean) / (p.concentration1 + p.concentration0 + 1) + mean.pow(2)) * 0.5
    normalizer = 0.5 * (variance * 2 * math.pi).log()
    return -p.entropy() + normalizer + (square - q.loc * mean + q.loc.pow(2) * 0.5) / variance


@register_kl(Beta, Uniform)
def _beta_uniform(p: Beta, q: Uniform) -> Any:
    result = -p.entropy() + (q.high - q.low).log()
    result[(q.low > p.support.lower_bound) | (q.high < p.support.upper_bound)] = math.inf
    return result


@register_kl(ContinuousBernoulli, Exponential)
def _continuous_bernoulli_exponential(p: ContinuousBernoulli, q: Exponential) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _continuous_bernoulli_normal(p: ContinuousBernoulli, q: Normal) -> Any:
    normalizer = 0.5 * (math.log(2.0 * math.pi) + (q.loc / q.scale).square()) + q.scale.log()
    moments = (p.variance + p.mean.square() - 2.0 * q.loc * p.mean) / (2.0 * q.scale.square())
    return -p.entropy() + normalizer + moments


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p: ContinuousBernoulli, q: Uniform) -> Any:
    result = -p.entropy() + (q.high - q.low).log()
    outside = q.low.ge(p.support.lower_bound) | q.high.le(p.support.upper_bound)
    return _where_infinite(outside, result)


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Exponential, q: Gamma) -> Any:
    ratio, shape = q.rate / p.rate, q.concentration
    return -shape * ratio.log() + ratio + shape.lgamma() + shape * euler_constant - (1 + euler_constant)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p: Exponential, q: Gumbel) -> Any:
    product, loc = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 - loc + loc.exp() * product / (product + 1) + product.reciprocal()


@register_kl(Exponential, Normal)
def _exponential_normal(p: Exponential, q: Normal) -> Any:
    variance, square = q.scale.pow(2), p.rate.pow(2)
    moments = square.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5
    return 0.5 * (square * variance * 2 * math.pi).log() - 1 + moments / variance


@register_kl(Gamma, Exponential)
def _gamma_exponential(p: Gamma, q: Exponential) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


def _log_shape(p: Value) -> Any:
    """(concentration - 1) digamma(concentration) of a gamma distribution."""
    return (p.concentration - 1) * p.concentration.digamma()


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p: Gamma, q: Gumbel) -> Any:
    product, loc = p.rate * q.scale, q.loc / q.scale
    own = _log_shape(p) - p.concentration.lgamma() - p.concentration
    tail = loc.exp() * (1 + product.reciprocal()).pow(-p.concentration) - loc
    return own + (product.log() + p.concentration / product) + tail


@register_kl(Gamma, Normal)
def _gamma_normal(p: Gamma, q: Normal) -> Any:
    variance, square, shape = q.scale.pow(2), p.rate.pow(2), p.concentration
    own = 0.5 * (square * variance * 2 * math.pi).log() - shape - shape.lgamma()
    moments = 0.5 * (shape.pow(2) + shape) / square - q.loc * shape / p.rate + 0.5 * q.loc.pow(2)
    return own + _log_shape(p) + moments / variance


@register_kl(Gumbel, Normal)
def _gumbel_normal(p: Gumbel, q: Normal) -> Any:
    ratio = p.scale / q.scale
    spread = (math.pi * ratio * 0.5).pow(2) / 3
    distance = ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    return -(ratio / math.sqrt(2 * math.pi)).log() + spread + distance - (euler_constant + 1)


@register_kl(Laplace, Normal)
def _laplace_normal(p: Laplace, q: Normal) -> Any:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    distance = 0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)
    return -(0.5 * (2 * ratio / math.pi).log()) + ratio + distance / variance - 1


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Normal, q: Gumbel) -> Any:
    mean, spread, loc = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    tail = (-mean + 0.5 * spread + loc).exp()
    return -(spread.log() * 0.5) + (mean - loc) + tail - 0.5 * (1 + math.log(2 * math.pi))


@register_kl(Normal, Laplace)
def _normal_laplace(p: Normal, q: Laplace) -> Any:
    difference = p.loc - q.loc
    scaled = difference / p.scale
    inner = math.sqrt(2 / math.pi) * p.scale * (-0.5 * scaled.pow(2)).exp()
    outer = difference * (math.sqrt(0.5) * scaled).erf()
    return -(p.scale / q.scale).log() + (inner + outer) / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


@register_kl(Pareto, Exponential)
def _pareto_exponential(p: Pareto, q: Exponential) -> Any:
    product = p.scale * q.rate
    result = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    result[p.alpha <= 1] = math.inf
    return result


@register_kl(Pareto, Gamma)
def _pareto_gamma(p: Pareto, q: Gamma) -> Any:
    common = p.scale.log() + p.alpha.reciprocal()
    normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    mean = q.rate * p.alpha * p.scale / (p.alpha - 1)
    result = p.alpha.log() - common + normalizer + (1 - q.concentration) * common + mean - 1
    result[p.alpha <= 1] = math.inf
    return result


@register_kl(Pareto, Normal)
def _pareto_normal(p: Pareto, q: Normal) -> Any:
    common = p.scale / (p.alpha - 1)
    own = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log() - p.alpha.reciprocal()
    moments = p.alpha * common.pow(2) / (p.alpha - 2) + (p.alpha * common - q.loc).pow(2)
    result = own + moments / (2 * q.scale.pow(2)) - 1
    result[p.alpha <= 2] = math.inf
    return result


@register_kl(Uniform, Beta)
def _uniform_beta(p: Uniform, q: Beta) -> Any:
    width = p.high - p.low
    ones = (q.concentration1 - 1) * (_xlogx(p.high) - _xlogx(p.low) - width) / width
    zeros = (q.concentration0 - 1) * (_xlogx(1 - p.high) - _xlogx(1 - p.low) + width) / width
    total = q.concentration1 + q.concentration0
    normalizer = q.concentration1.lgamma() + q.concentration0.lgamma() - total.lgamma()
    result = zeros + normalizer - width.log() - ones
    result[(p.high > q.support.upper_bound) | (p.low < q.support.lower_bound)] = math.inf
    return result


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p: Uniform, q: ContinuousBernoulli) -> Any:
    result = -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()
    return _where_infinite(p.high.ge(q.support.upper_bound) | p.low.le(q.support.lower_bound), result)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p: Uniform, q: Exponential) -> Any:
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    result[p.low < q.support.lower_bound] = math.inf
    return result


@register_kl(Uniform, Gamma)
def _uniform_gamma(p: Uniform, q: Gamma) -> Any:
    width = p.high - p.low
    normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    power = (1 - q.concentration) * (_xlogx(p.high) - _xlogx(p.low) - width) / width
    result = -width.log() + normalizer + power + q.rate * (p.high + p.low) / 2
    result[p.low < q.support.lower_bound] = math.inf
    return result


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Uniform, q: Gumbel) -> Any:
    common = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return common.log() + 0.5 * (high + low) - common * ((-high).exp() - (-low).exp())


@register_kl(Uniform, Normal)
def _uniform_normal(p: Uniform, q: Normal) -> Any:
    width = p.high - p.low
    moments = width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return (math.sqrt(math.pi * 2) * q.scale / width).log() + 0.5 * moments / q.scale.pow(2)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p: Uniform, q: Pareto) -> Any:
    width = p.high - p.low
    own = (q.alpha * q.scale.pow(q.alpha) * width).log()
    mean = (_xlogx(p.high) - _xlogx(p.low) - width) / width
    result = mean * (q.alpha + 1) - own
    result[p.low < q.support.lower_bound] = math.inf
    return result


process_wide(divergences)
