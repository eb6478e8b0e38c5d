from torch.distributions import *
n = Normal(torch.tensor([0., 1.]), torch.tensor([1., 2.])); (n, n.mean, n.stddev, n.variance, n.mode, n.batch_shape, n.event_shape, n.sample(), n.sample((2,)), n.rsample(), n.log_prob(torch.tensor([0.5, 0.5])), n.entropy(), n.cdf(torch.tensor(0.3)), n.perplexity(), n.expand((3, 2)))
# ---
from torch.distributions import *
Normal(0., 1.), Normal(0., 1.).sample(), Normal(0, 1).sample((3,)), Normal(0., 1.).log_prob(torch.tensor(0.))
# ---
from torch.distributions import *
Normal(torch.zeros(2), torch.tensor([1., -1.]))
# ---
from torch.distributions import *
Normal(0., 1.).log_prob(0.5)
# ---
from torch.distributions import *
mu = torch.zeros(2, requires_grad=True); s = torch.ones(2, requires_grad=True); n = Normal(mu, s); z = n.rsample(); z.sum().backward(); mu.grad, s.grad, z.grad_fn, n.sample().requires_grad
# ---
from torch.distributions import *
c = Categorical(torch.tensor([.25, .25, .5])); c, c.sample(), c.sample((4,)), c.log_prob(torch.tensor(2)), c.entropy(), c.logits, c, c.mode, c.mean, c.enumerate_support()
# ---
from torch.distributions import *
c = Categorical(logits=torch.tensor([[1., 2.], [0., 0.]])); c, c.probs, c.sample(), c.log_prob(torch.tensor([0, 1])), c.entropy(), c.batch_shape, c.expand((3, 2)).sample()
# ---
from torch.distributions import *
Categorical(torch.tensor([-1., 2.]))
# ---
from torch.distributions import *
Categorical(torch.tensor([.5, .5])).log_prob(torch.tensor(5))
# ---
from torch.distributions import *
Categorical()
# ---
from torch.distributions import *
l = torch.zeros(3, requires_grad=True); c = Categorical(logits=l); (-c.log_prob(torch.tensor(1)) * 2.).backward(); l.grad
# ---
from torch.distributions import *
b = Bernoulli(torch.tensor([.2, .9])); b, b.sample(), b.log_prob(torch.tensor([0., 1.])), b.entropy(), b.mean, b.variance, b.logits, b.mode, b.enumerate_support()
# ---
from torch.distributions import *
b = Bernoulli(logits=torch.tensor(0.3)); b, b.probs, b.sample((3,))
# ---
from torch.distributions import *
u = Uniform(torch.tensor([0., 1.]), torch.tensor([1., 3.])); u, u.sample(), u.log_prob(torch.tensor([.5, 2.])), u.entropy(), u.cdf(torch.tensor([.5, 2.])), u.mean, u.icdf(torch.tensor(.5)), u.rsample()
# ---
from torch.distributions import *
Uniform(1., 0.)
# ---
from torch.distributions import *
Uniform(0., 1.).log_prob(torch.tensor(2.))
# ---
from torch.distributions import *
e = Exponential(torch.tensor(2.)); e, e.log_prob(torch.tensor(1.)), e.entropy(), e.mean, e.variance, e.cdf(torch.tensor(1.)), e.sample()
# ---
from torch.distributions import *
e = Laplace(torch.tensor(2.), 1.); e, e.log_prob(torch.tensor(1.)), e.entropy(), e.mean, e.variance, e.cdf(torch.tensor(1.)), e.sample()
# ---
from torch.distributions import *
i = Independent(Normal(torch.zeros(3, 2), 1.), 1); i, i.batch_shape, i.event_shape, i.log_prob(torch.zeros(3, 2)), i.entropy(), i.sample().shape
# ---
from torch.distributions import *
kl_divergence(Normal(0., 1.), Normal(1., 2.)), kl_divergence(Bernoulli(.3), Bernoulli(.6)), kl_divergence(Categorical(torch.tensor([.3, .7])), Categorical(torch.tensor([.5, .5]))), kl_divergence(Uniform(0., 1.), Uniform(0., 2.)), kl_divergence(Exponential(1.), Exponential(2.)), kl_divergence(Laplace(0., 1.), Laplace(1., 1.)), kl_divergence(Independent(Normal(torch.zeros(2), 1.), 1), Independent(Normal(torch.ones(2), 1.), 1))
# ---
from torch.distributions import *
kl_divergence(Normal(0., 1.), Categorical(torch.tensor([.3, .7])))
# ---
from torch.distributions import *
h = HalfNormal(1.); h, h.log_prob(torch.tensor(1.)), h.mean, h.sample(); l = LogNormal(0., 1.); l, l.mean, l.log_prob(torch.tensor(2.)), l.sample(), l.entropy(), l.variance
# ---
from torch.distributions import *
g = Geometric(torch.tensor(.3)); g, g.mean, g.log_prob(torch.tensor(2.)), g.entropy()
# ---
from torch.distributions import *
o = OneHotCategorical(torch.tensor([.3, .7])); o, o.sample(), o.log_prob(torch.tensor([0., 1.])), o.entropy(), o.enumerate_support(), o.mean
# ---
from torch.distributions import *
m = MultivariateNormal(torch.zeros(2), torch.tensor([[2., .5], [.5, 1.]])); m, m.sample(), m.log_prob(torch.ones(2)), m.entropy(), m.variance, m.covariance_matrix
# ---
from torch.distributions import *
MultivariateNormal(torch.zeros(2))
