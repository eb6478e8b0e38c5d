"""The Kullback-Leibler divergence of one distribution from another."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from backscope.distributions.continuous import Exponential, Laplace, Uniform
from backscope.distributions.discrete import Bernoulli, Categorical, Geometric, OneHotCategorical
from backscope.distributions.distribution import Distribution, sum_rightmost
from backscope.distributions.independent import Independent
from backscope.distributions.normal import HalfNormal, MultivariateNormal, Normal
from backscope.ops.namespace import functional, linalg, torch_functions
from backscope.process import process_wide

_divergences: dict[tuple[type, type], Callable[[Any, Any], Any]] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
    """Make the decorated function the divergence of a `type_p` from a `type_q`."""
    for kind, which in ((type_p, "type_p"), (type_q, "type_q")):
        if not issubclass(kind, Distribution):
            raise TypeError(f"Expected {which} to be a Distribution subclass but got {kind}")

    def declare(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        _divergences[type_p, type_q] = function
        return function

    return declare


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """KL(p || q); NotImplementedError for a pair that nobody registered."""
    for kind_p in type(p).__mro__:
        for kind_q in type(q).__mro__:
            found = _divergences.get((kind_p, kind_q))
            if found is not None:
                return found(p, q)
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )


@register_kl(Normal, Normal)
def _normal(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + distance - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio - 1 - ratio.log())


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p: Any, q: Any) -> Any:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with different event shapes cannot be computed"
        )
    half_log_dets = q._half_log_det() - p._half_log_det()
    size = p.event_shape[0]
    trace = linalg["solve_triangular"](q.scale_tril, p.scale_tril, upper=False).pow(2).sum(-1).sum(-1)
    difference = (q.loc - p.loc).unsqueeze(-1)
    distance = linalg["solve_triangular"](q.scale_tril, difference, upper=False).squeeze(-1).pow(2).sum(-1)
    return half_log_dets + 0.5 * (trace + distance - size)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Any:
    softplus = functional["softplus"]
    where = torch_functions["where"]
    success = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    success = where((p.probs == 0).expand_as(success), 0.0, where((q.probs == 0).expand_as(success), math.inf, success))
    failure = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    failure = where((p.probs == 1).expand_as(failure), 0.0, where((q.probs == 1).expand_as(failure), math.inf, failure))
    return success + failure


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Any:
    where = torch_functions["where"]
    terms = p.probs * (p.logits - q.logits)
    terms = where((q.probs == 0).expand_as(terms), math.inf, terms)
    return where((p.probs == 0).expand_as(terms), 0.0, terms).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot_categorical(p: Any, q: Any) -> Any:
    return _categorical(p._categorical, q._categorical)


@register_kl(Geometric, Geometric)
def _geometric(p: Any, q: Any) -> Any:
    return -p.entropy() - torch_functions["log1p"](-q.probs) / p.probs - q.logits


@register_kl(Exponential, Exponential)
def _exponential(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Laplace, Laplace)
def _laplace(p: Any, q: Any) -> Any:
    ratio = p.scale / q.scale
    distance = (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


@register_kl(Uniform, Uniform)
def _uniform(p: Any, q: Any) -> Any:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), math.inf)


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


process_wide(_divergences)
