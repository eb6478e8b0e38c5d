"""The Kullback-Leibler divergence of two distributions of one family."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from backscope.autograd.backward_and_grad import grad
from backscope.distributions.continuous import Cauchy, Exponential, Laplace, Uniform
from backscope.distributions.counts import Binomial, Poisson
from backscope.distributions.discrete import Bernoulli, Categorical, Geometric, OneHotCategorical
from backscope.distributions.distribution import Distribution, ExponentialFamily
from backscope.distributions.gamma import Beta, Dirichlet, Gamma
from backscope.distributions.independent import Independent
from backscope.distributions.inverse_sampling import Gumbel, Pareto
from backscope.distributions.low_rank_normal import LowRankMultivariateNormal
from backscope.distributions.normal import MultivariateNormal, Normal
from backscope.distributions.parameterization import euler_constant, sum_rightmost
from backscope.distributions.relaxed import ContinuousBernoulli
from backscope.distributions.transformed import HalfNormal, TransformedDistribution
from backscope.ops.core.namespace import functional, linalg, torch_functions
from backscope.runtime.given import Value
from backscope.runtime.warning import warn

_Formula = Callable[[Any, Any], Any]

divergences: dict[tuple[type, type], _Formula] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[_Formula], _Formula]:
    """Make the decorated function the divergence of a `type_p` from a `type_q`."""
    for kind, which in ((type_p, "type_p"), (type_q, "type_q")):
        if not issubclass(kind, Distribution):
            raise TypeError(f"Expected {which} to be a Distribution subclass but got {kind}")

    def declare(function: _Formula) -> _Formula:
        divergences[type_p, type_q] = function
        return function

    return declare


@functools.total_ordering
class _Match:
    """A pair of types; less than another where its types are more special, the first one first."""

    def __init__(self, *types: type) -> None:
        self.types = types

    def __eq__(self, other: Value) -> bool:
        return bool(self.types == other.types)

    __hash__ = None  # type: ignore[assignment]

    def __le__(self, other: Value) -> bool:
        for x, y in zip(self.types, other.types, strict=True):
            if not issubclass(x, y):
                return False
            if x is not y:
                break
        return True


def _find(type_p: type, type_q: type) -> _Formula | None:
    matches = [(p, q) for p, q in divergences if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return None
    left_p, left_q = min(_Match(*m) for m in matches).types
    right_q, right_p = min(_Match(*reversed(m)) for m in matches).types
    found = divergences[left_p, left_q]
    if found is not divergences[right_p, right_q]:
        warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
            f"Please register_kl({left_p.__name__}, {right_q.__name__})",
            RuntimeWarning,
        )
    return found


def kl_divergence(p: Distribution, q: Distribution) -> Value:
    """KL(p || q); NotImplementedError for a pair without a registered function."""
    found = _find(type(p), type(q))
    if found is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
        )
    return found(p, q)


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + distance - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: HalfNormal, q: HalfNormal) -> Any:
    return _normal(p.base_dist, q.base_dist)


def _sum_of_squares(matrix: Value) -> Any:
    flat = matrix.reshape(-1, matrix.size(-1) * matrix.size(-2)).pow(2).sum(-1)
    return flat.reshape(matrix.shape[:-2])


def _same_size(p: Value, q: Value, which: str) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(f"KL-divergence between two {which} with{' ' * 26}different event shapes cannot be computed")


def _solved(factor: Value, *others: Any) -> Any:
    """Matrices divided by a triangular one, all of one batch shape."""
    batch = torch_functions["broadcast_shapes"](factor.shape[:-2], *[o.shape[:-2] for o in others])
    factor = factor.expand((*batch, *factor.shape[-2:]))
    return [linalg["solve_triangular"](factor, o.expand((*batch, *o.shape[-2:])), upper=False) for o in others]


def _distance(factor: Value, difference: Any) -> Any:
    (solved,) = _solved(factor, difference.unsqueeze(-1))
    return solved.squeeze(-1).pow(2).sum(-1)


def _half_log_det(q: Value) -> Any:
    return q._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p: MultivariateNormal, q: MultivariateNormal) -> Any:
    _same_size(p, q, "Multivariate Normals")
    factor = q._unbroadcasted_scale_tril
    (solved,) = _solved(factor, p._unbroadcasted_scale_tril)
    distance = _distance(factor, q.loc - p.loc)
    half_log_dets = _half_log_det(q) - _half_log_det(p)
    return half_log_dets + 0.5 * (_sum_of_squares(solved) + distance - p.event_shape[0])


def _whitener(q: Value) -> Any:
    scaled = q._unbroadcasted_cov_factor.mT / q._unbroadcasted_cov_diag.unsqueeze(-2)
    return linalg["solve_triangular"](q._capacitance_tril, scaled, upper=False)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_rank(p: LowRankMultivariateNormal, q: LowRankMultivariateNormal) -> Any:
    _same_size(p, q, "Low Rank Multivariate Normals")
    log_dets, distance, a = q._log_det() - p._log_det(), q._mahalanobis(q.loc - p.loc), _whitener(q)
    p_factor, p_diag, q_diag = p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag, q._unbroadcasted_cov_diag
    trace = (p_diag / q_diag).sum(-1) + _sum_of_squares(p_factor * q_diag.rsqrt().unsqueeze(-1))
    trace = trace - _sum_of_squares(a * p_diag.sqrt().unsqueeze(-2)) - _sum_of_squares(a.matmul(p_factor))
    return 0.5 * (log_dets + trace + distance - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _full_from_low_rank(p: MultivariateNormal, q: LowRankMultivariateNormal) -> Any:
    _same_size(p, q, "(Low Rank) Multivariate Normals")
    log_dets, distance, a = q._log_det() - 2 * _half_log_det(p), q._mahalanobis(q.loc - p.loc), _whitener(q)
    factor = p._unbroadcasted_scale_tril
    scaled = factor * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1)
    trace = _sum_of_squares(scaled) - _sum_of_squares(a.matmul(factor))
    return 0.5 * (log_dets + trace + distance - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_rank_from_full(p: LowRankMultivariateNormal, q: MultivariateNormal) -> Any:
    _same_size(p, q, "(Low Rank) Multivariate Normals")
    log_dets = 2 * _half_log_det(q) - p._log_det()
    distance = _distance(q._unbroadcasted_scale_tril, q.loc - p.loc)
    diagonal = torch_functions["diag_embed"](p._unbroadcasted_cov_diag.sqrt())
    thin, square = _solved(q._unbroadcasted_scale_tril, p._unbroadcasted_cov_factor, diagonal)
    trace = _sum_of_squares(thin) + _sum_of_squares(square)
    return 0.5 * (log_dets + trace + distance - p.event_shape[0])


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Any:
    softplus = functional["softplus"]
    success = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    success[q.probs == 0] = math.inf
    success[p.probs == 0] = 0
    failure = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    failure[q.probs == 1] = math.inf
    failure[p.probs == 1] = 0
    return success + failure


@register_kl(Binomial, Binomial)
def _binomial(p: Binomial, q: Binomial) -> Any:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    result = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    result[p.total_count > q.total_count] = math.inf
    return result


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Any:
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = math.inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot_categorical(p: OneHotCategorical, q: OneHotCategorical) -> Any:
    return _categorical(p._categorical, q._categorical)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Any:
    own = p._cont_bern_log_norm() + (-p.probs).log1p()
    return p.mean * (p.logits - q.logits) + own + (-q._cont_bern_log_norm() - (-q.probs).log1p())


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Any:
    p1, p0, q1, q0 = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    p_sum, q_sum = p1 + p0, q1 + q0
    result = (q1.lgamma() + q0.lgamma() + p_sum.lgamma()) - (p1.lgamma() + p0.lgamma() + q_sum.lgamma())
    return result + (p1 - q1) * p1.digamma() + (p0 - q0) * p0.digamma() + (q_sum - p_sum) * p_sum.digamma()


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Any:
    p_sum, q_sum = p.concentration.sum(-1), q.concentration.sum(-1)
    gammas = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    difference = p.concentration - q.concentration
    digammas = p.concentration.digamma() - p_sum.digamma().unsqueeze(-1)
    return p_sum.lgamma() - q_sum.lgamma() - gammas + (difference * digammas).sum(-1)


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Any:
    result = q.concentration * (p.rate / q.rate).log()
    result = result + (q.concentration.lgamma() - p.concentration.lgamma())
    result = result + (p.concentration - q.concentration) * p.concentration.digamma()
    return result + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Gumbel, q: Gumbel) -> Any:
    ratio, q_loc, p_loc = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    tail = (q_loc + (1 + ratio).lgamma() - p_loc).exp()
    return -ratio.log() - q_loc + p_loc + ratio * euler_constant + tail - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Any:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Any:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Any:
    ratio = p.scale / q.scale
    distance = (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Any:
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(Pareto, Pareto)
def _pareto(p: Pareto, q: Pareto) -> Any:
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() + -ratio.log() + ratio - 1
    result[p.support.lower_bound < q.support.lower_bound] = math.inf
    return result


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Any:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[(q.low > p.low) | (q.high < p.high)] = math.inf
    return result


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _independent(p: Independent, q: Independent) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: ExponentialFamily, q: ExponentialFamily) -> Any:
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot                             be "
            "computed using Bregman divergences"
        )
    natural = [n.detach().requires_grad_() for n in p._natural_params]
    normalizer = p._log_normalizer(*natural)
    slopes: Any = grad(normalizer.sum(), natural, create_graph=True)
    result = q._log_normalizer(*q._natural_params) - normalizer
    for own, other, slope in zip(natural, q._natural_params, slopes, strict=True):
        result -= sum_rightmost((other - own) * slope, len(q.event_shape))
    return result
