from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
x = torch.randn(3, requires_grad=True)
for t in (T.ExpTransform(), T.SigmoidTransform(), T.TanhTransform(), T.SoftplusTransform(), T.AffineTransform(1., torch.tensor(2.)), T.AffineTransform(0., -2.), T.ComposeTransform([T.ExpTransform(), T.AffineTransform(1., 2.)]), T.ExpTransform().inv, T.PowerTransform(2.)):
    v = x.abs() + .1 if 'Inverse' in repr(t) or 'Power' in repr(t) else x
    y = t(v); j = t.log_abs_det_jacobian(v, y)
    print(t, y, t.inv(y), j, t.bijective, t.domain, t.codomain, t.event_dim, t.inv, t.inv.inv is t)
    try: print(t.sign)
    except NotImplementedError: print('none')
    print(torch.autograd.grad((y + j).sum(), x))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
x = torch.randn(2, 3)
for t in (T.SoftmaxTransform(), T.StickBreakingTransform(), T.CorrCholeskyTransform(), T.IndependentTransform(T.ExpTransform(), 1), T.ReshapeTransform((3,), (3, 1))):
    y = t(x); print(t, y, t.inv(y), t.domain.event_dim, t.codomain.event_dim, t.forward_shape(x.shape), t.inverse_shape(y.shape), t.domain, t.codomain)
    try: print(t.log_abs_det_jacobian(x, y))
    except NotImplementedError: print('none')
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
x = torch.randn(2, 3, 3)
for t in (T.LowerCholeskyTransform(), T.PositiveDefiniteTransform()):
    y = t(x); print(t, y, t.inv(y), t.domain, t.codomain, t == type(t)())
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
x = torch.randn(2, 4)
t = T.CatTransform([T.ExpTransform(), T.AffineTransform(0., 2.)], dim=1, lengths=[1, 3]); y = t(x); print(y, t.inv(y), t.log_abs_det_jacobian(x, y), t.bijective, t.event_dim, t.codomain.check(y))
t = T.StackTransform([T.ExpTransform(), T.AffineTransform(0., 2.)], dim=0); y = t(x); print(y, t.inv(y), t.log_abs_det_jacobian(x, y), t.codomain.check(y))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
t = T.ExpTransform(cache_size=1); x = torch.zeros(2); y = t(x); print(t(x) is y, t.inv(y) is x, t.with_cache(0)(x) is y); T.ExpTransform(cache_size=2)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
d = TransformedDistribution(Normal(torch.zeros(2), torch.ones(2)), [T.AffineTransform(1., 2.), T.ExpTransform()]); print(d, d.batch_shape, d.event_shape, d.support, d.has_rsample); s = d.rsample((2,)); print(s, d.log_prob(s), d.cdf(s), d.icdf(torch.tensor(.3)))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
d = TransformedDistribution(Normal(torch.zeros(3, 2), torch.ones(3, 2)), T.StickBreakingTransform()); print(d.batch_shape, d.event_shape, d.support); s = d.sample(); print(s, d.log_prob(s), d.expand((4, 3)).sample().shape)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
d = TransformedDistribution(Uniform(0., 1.), [T.SigmoidTransform().inv, T.AffineTransform(1., 3.)]); print(d, d.sample((3,)), d.log_prob(torch.tensor(.5)), d.cdf(torch.tensor(.5)))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
TransformedDistribution(Normal(0., 1.), 3)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
TransformedDistribution(Normal(0., 1.), [3])
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
TransformedDistribution(Normal(0., 1.), T.StickBreakingTransform())
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
for c in (C.real, C.positive, C.nonnegative, C.greater_than(2.), C.less_than(3.), C.interval(-1., 2.), C.unit_interval, C.half_open_interval(0., 3.), C.simplex, C.lower_cholesky, C.positive_definite, C.corr_cholesky, C.real_vector, C.independent(C.positive, 1), C.cat([C.real, C.positive], 0, [1, 2]), C.stack([C.real, C.positive], 0), C.boolean, C.one_hot):
    for to in (biject_to, transform_to):
        try: t = to(c); print(c if not hasattr(c, 'cseq') else type(c).__name__, t if not hasattr(t, 'transforms') else type(t).__name__)
        except NotImplementedError as e: print(e)
    print(c.is_discrete, c.event_dim)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
m = torch.tensor([[[1., 0.], [.5, 1.]], [[2., .1], [.1, 2.]]])
for c in (C.lower_triangular, C.lower_cholesky, C.corr_cholesky, C.square, C.symmetric, C.positive_semidefinite, C.positive_definite): print(c, c.check(m), c.event_dim)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
v = torch.tensor([0., .5, 1., 2., -1.])
for c in (C.boolean, C.nonnegative_integer, C.positive_integer, C.integer_interval(0, 1), C.real, C.positive, C.nonnegative, C.greater_than_eq(1.), C.less_than(1.), C.unit_interval, C.half_open_interval(0., 1.), C.multinomial(2)): print(c, c.check(v))
print(C.dependent, C.is_dependent(C.dependent)); print(C.is_dependent(Uniform.support), C.is_dependent(C.real), Uniform.support.event_dim, Categorical.support.is_discrete)
C.dependent.check(v)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
MixtureSameFamily.support.event_dim
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
C.independent(C.real, -1)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
C.independent(3, 1)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
C.independent(C.positive, 2).check(torch.ones(3))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
x = torch.randn(6, requires_grad=True); t = transform_to(C.corr_cholesky); l = t(x); print(l, l @ l.mT); print(LKJCholesky(4, 2.).log_prob(l))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
class D(Distribution):
    arg_constraints = {'a': C.positive}
    def __init__(self, a, validate_args=None):
        self.a = a; super().__init__(a.shape, validate_args=validate_args)
d = D(torch.tensor([1., 2.])); print(d, d.batch_shape, d.has_rsample)
for f in (lambda: d.mean, lambda: d.mode, lambda: d.variance, lambda: d.support, lambda: d.sample(), lambda: d.expand((3, 2)), lambda: D(torch.tensor(-1.)), lambda: d.stddev, lambda: d.enumerate_support(), lambda: d.entropy(), lambda: d.icdf(1)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
d._validate_sample(torch.ones(2))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
class D(Distribution):
    def __init__(self): super().__init__()
print(D()._batch_shape)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
class N2(Normal):
    def __init__(self, m): super().__init__(m, 1.)
N2(torch.zeros(2)).expand((3, 2))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
class N3(Normal): pass
print(N3(torch.zeros(2), 1.).expand((3, 2)), kl_divergence(N3(0., 1.), N3(1., 1.)))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
@register_kl(Normal, Uniform)
def f(p, q): return torch.tensor(7.)
print(kl_divergence(Normal(0., 1.), Uniform(0., 1.)))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Normal(0., 1.).sample_n(2)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
from torch.distributions.utils import *
print(broadcast_all(1, torch.ones(2)), probs_to_logits(torch.tensor([.2, .8])), logits_to_probs(torch.tensor([.1, .3]), is_binary=True), clamp_probs(torch.tensor([0., 1.])), tril_matrix_to_vec(torch.arange(9.).view(3, 3)), vec_to_tril_matrix(torch.arange(6.)))
vec_to_tril_matrix(torch.arange(5.))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
print(Beta(-1., 1.))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Gamma(torch.tensor([1.]), torch.tensor([-1.]))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Dirichlet(torch.tensor(1.))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Binomial(3)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Binomial(-1, .3)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Multinomial(torch.tensor(3), torch.ones(2))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
MixtureSameFamily(Normal(0., 1.), Normal(0., 1.))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
MixtureSameFamily(Categorical(torch.ones(3)), Normal(torch.zeros(2), 1.))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
LKJCholesky(1)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
MultivariateNormal(torch.zeros(2), torch.tensor([[1., 2.], [2., 1.]]))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
MultivariateNormal(torch.zeros(2))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Wishart(1., torch.eye(3))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Poisson(-1.)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Geometric(0.)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Gamma(1., 1.).log_prob(torch.tensor(-1.))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Poisson(1.).log_prob(torch.tensor(.5))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Beta(1., 1.).log_prob(torch.tensor(2.))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Dirichlet(torch.ones(2)).log_prob(torch.tensor([.3, .3]))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Multinomial(3, torch.ones(3)).log_prob(torch.tensor([1., 1., 1., 1.]))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
OneHotCategorical(torch.ones(3)).log_prob(torch.tensor([1., 1., 0.]))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
LowRankMultivariateNormal(torch.zeros(2), torch.ones(3, 1), torch.ones(2))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
StudentT(-1.)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Pareto(1., 2.).log_prob(torch.tensor(.5))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
Binomial(torch.tensor([2, 3]), torch.tensor([.5, .5])).entropy()
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
kl_divergence(Binomial(2, .5), Binomial(3, .5))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
kl_divergence(Normal(0., 1.), Bernoulli(.5))
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
isinstance(LogNormal(0., 1.), TransformedDistribution), LogNormal(0., 1.).base_dist, HalfNormal(1.).transforms
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
logits = torch.zeros(2, 3, requires_grad=True); z = RelaxedOneHotCategorical(torch.tensor(.5), logits=logits).rsample(); (z * torch.arange(3.)).sum().backward(); print(z, logits.grad)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
a = torch.tensor([2., 3.], requires_grad=True); s = Dirichlet(a).rsample((3,)); print(s); (s[:, 0] ** 2).sum().backward(); print(a.grad)
# ---
from torch.distributions import *
from torch.distributions import transforms as T, constraints as C
a = torch.tensor(2., requires_grad=True); s = Gamma(a, 1.).rsample((3,)); g, = torch.autograd.grad(s.sum(), a, create_graph=True); print(g); g.backward()