from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Beta(torch.tensor([1.5,2.,.3]),torch.tensor([2.,1.,.5]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Beta(torch.tensor([1.5,2.,.3]),torch.tensor([2.,1.,.5]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Beta(2.,3.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Beta(2.,3.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Beta(torch.tensor([.5,3.],dtype=torch.float64),2.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Beta(torch.tensor([.5,3.],dtype=torch.float64),2.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([1.5,2.,.3]).requires_grad_()
p1 = torch.tensor([2.,1.,.5]).requires_grad_()
ps = [p0, p1]
d = Beta(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Binomial(10,torch.tensor([.2,.5,.9]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Binomial(10,torch.tensor([.2,.5,.9]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Binomial(torch.tensor([3.,3.]),logits=torch.tensor([.1,-2.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Binomial(torch.tensor([3.,3.]),logits=torch.tensor([.1,-2.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Binomial(3,.5)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Binomial(3,.5)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([.2,.5,.9]).requires_grad_()
ps = [p0]
d = Binomial(10,p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Cauchy(torch.tensor([0.,1.]),torch.tensor([1.,2.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Cauchy(torch.tensor([0.,1.]),torch.tensor([1.,2.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Cauchy(0.,1.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Cauchy(0.,1.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([0.,1.]).requires_grad_()
p1 = torch.tensor([1.,2.]).requires_grad_()
ps = [p0, p1]
d = Cauchy(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Chi2(torch.tensor([1.,3.5]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Chi2(torch.tensor([1.,3.5]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Chi2(2.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Chi2(2.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([1.,3.5]).requires_grad_()
ps = [p0]
d = Chi2(p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = ContinuousBernoulli(torch.tensor([.2,.5,.8]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = ContinuousBernoulli(torch.tensor([.2,.5,.8]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = ContinuousBernoulli(logits=torch.tensor([-1.,0.,2.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = ContinuousBernoulli(logits=torch.tensor([-1.,0.,2.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = ContinuousBernoulli(.3)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = ContinuousBernoulli(.3)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([.2,.5,.8]).requires_grad_()
ps = [p0]
d = ContinuousBernoulli(p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Dirichlet(torch.tensor([1.5,2.,3.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Dirichlet(torch.tensor([1.5,2.,3.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Dirichlet(torch.tensor([[.5,.2],[3.,4.]]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Dirichlet(torch.tensor([[.5,.2],[3.,4.]]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([1.5,2.,3.]).requires_grad_()
ps = [p0]
d = Dirichlet(p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = FisherSnedecor(torch.tensor([3.,1.]),torch.tensor([6.,1.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = FisherSnedecor(torch.tensor([3.,1.]),torch.tensor([6.,1.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = FisherSnedecor(3.,5.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = FisherSnedecor(3.,5.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([3.,1.]).requires_grad_()
p1 = torch.tensor([6.,1.]).requires_grad_()
ps = [p0, p1]
d = FisherSnedecor(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Gamma(torch.tensor([1.,.3,7.]),torch.tensor([1.,2.,3.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Gamma(torch.tensor([1.,.3,7.]),torch.tensor([1.,2.,3.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Gamma(2.,1.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Gamma(2.,1.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([1.,.3,7.]).requires_grad_()
p1 = torch.tensor([1.,2.,3.]).requires_grad_()
ps = [p0, p1]
d = Gamma(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = GeneralizedPareto(torch.tensor([.1,.1,.1]),torch.tensor([2.,1.,1.]),torch.tensor([.4,0.,-.3]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = GeneralizedPareto(torch.tensor([.1,.1,.1]),torch.tensor([2.,1.,1.]),torch.tensor([.4,0.,-.3]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([.1,.1,.1]).requires_grad_()
p1 = torch.tensor([2.,1.,1.]).requires_grad_()
p2 = torch.tensor([.4,0.,-.3]).requires_grad_()
ps = [p0, p1, p2]
d = GeneralizedPareto(p0,p1,p2)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Geometric(torch.tensor([.2,.7]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Geometric(torch.tensor([.2,.7]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Geometric(logits=torch.tensor([.3]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Geometric(logits=torch.tensor([.3]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Geometric(.4)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Geometric(.4)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([.2,.7]).requires_grad_()
ps = [p0]
d = Geometric(p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Gumbel(torch.tensor([0.,1.]),torch.tensor([1.,2.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Gumbel(torch.tensor([0.,1.]),torch.tensor([1.,2.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Gumbel(1.,2.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Gumbel(1.,2.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([0.,1.]).requires_grad_()
p1 = torch.tensor([1.,2.]).requires_grad_()
ps = [p0, p1]
d = Gumbel(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = HalfCauchy(torch.tensor([1.,2.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = HalfCauchy(torch.tensor([1.,2.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = HalfCauchy(1.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = HalfCauchy(1.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([1.,2.]).requires_grad_()
ps = [p0]
d = HalfCauchy(p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = HalfNormal(torch.tensor([1.,2.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = HalfNormal(torch.tensor([1.,2.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = HalfNormal(1.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = HalfNormal(1.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([1.,2.]).requires_grad_()
ps = [p0]
d = HalfNormal(p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = InverseGamma(torch.tensor([3.,.5]),torch.tensor([1.,2.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = InverseGamma(torch.tensor([3.,.5]),torch.tensor([1.,2.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = InverseGamma(3.,1.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = InverseGamma(3.,1.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([3.,.5]).requires_grad_()
p1 = torch.tensor([1.,2.]).requires_grad_()
ps = [p0, p1]
d = InverseGamma(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Kumaraswamy(torch.tensor([2.,.5]),torch.tensor([3.,.7]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Kumaraswamy(torch.tensor([2.,.5]),torch.tensor([3.,.7]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Kumaraswamy(2.,2.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Kumaraswamy(2.,2.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([2.,.5]).requires_grad_()
p1 = torch.tensor([3.,.7]).requires_grad_()
ps = [p0, p1]
d = Kumaraswamy(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LKJCholesky(3,1.5)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LKJCholesky(3,1.5)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LKJCholesky(4,torch.tensor([.5,2.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LKJCholesky(4,torch.tensor([.5,2.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LogNormal(torch.tensor([0.,1.]),torch.tensor([1.,.5]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LogNormal(torch.tensor([0.,1.]),torch.tensor([1.,.5]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LogNormal(0.,1.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LogNormal(0.,1.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([0.,1.]).requires_grad_()
p1 = torch.tensor([1.,.5]).requires_grad_()
ps = [p0, p1]
d = LogNormal(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LogisticNormal(torch.tensor([0.,1.]),torch.tensor([1.,.5]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LogisticNormal(torch.tensor([0.,1.]),torch.tensor([1.,.5]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LogisticNormal(0.,1.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LogisticNormal(0.,1.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([0.,1.]).requires_grad_()
p1 = torch.tensor([1.,.5]).requires_grad_()
ps = [p0, p1]
d = LogisticNormal(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LowRankMultivariateNormal(torch.zeros(3),torch.tensor([[1.],[.5],[2.]]),torch.tensor([1.,2.,.5]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LowRankMultivariateNormal(torch.zeros(3),torch.tensor([[1.],[.5],[2.]]),torch.tensor([1.,2.,.5]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LowRankMultivariateNormal(torch.zeros(2,2),torch.tensor([[1.,.3],[0.,2.]]),torch.ones(2))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = LowRankMultivariateNormal(torch.zeros(2,2),torch.tensor([[1.,.3],[0.,2.]]),torch.ones(2))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.zeros(3).requires_grad_()
p1 = torch.tensor([[1.],[.5],[2.]]).requires_grad_()
p2 = torch.tensor([1.,2.,.5]).requires_grad_()
ps = [p0, p1, p2]
d = LowRankMultivariateNormal(p0,p1,p2)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = MixtureSameFamily(Categorical(torch.tensor([.3,.7])),Normal(torch.tensor([0.,2.]),torch.tensor([1.,.5])))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = MixtureSameFamily(Categorical(torch.tensor([.3,.7])),Normal(torch.tensor([0.,2.]),torch.tensor([1.,.5])))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = MixtureSameFamily(Categorical(torch.ones(2)),Independent(Normal(torch.zeros(2,3),torch.ones(2,3)),1))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = MixtureSameFamily(Categorical(torch.ones(2)),Independent(Normal(torch.zeros(2,3),torch.ones(2,3)),1))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Multinomial(5,torch.tensor([.2,.3,.5]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Multinomial(5,torch.tensor([.2,.3,.5]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Multinomial(4,logits=torch.tensor([[.1,.2],[1.,-1.]]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Multinomial(4,logits=torch.tensor([[.1,.2],[1.,-1.]]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([.2,.3,.5]).requires_grad_()
ps = [p0]
d = Multinomial(5,p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = MultivariateNormal(torch.zeros(2),torch.tensor([[2.,.5],[.5,1.]]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = MultivariateNormal(torch.zeros(2),torch.tensor([[2.,.5],[.5,1.]]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = MultivariateNormal(torch.zeros(2),precision_matrix=torch.tensor([[2.,.5],[.5,1.]]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = MultivariateNormal(torch.zeros(2),precision_matrix=torch.tensor([[2.,.5],[.5,1.]]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = MultivariateNormal(torch.ones(3,2),scale_tril=torch.tensor([[1.,0.],[.5,1.]]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = MultivariateNormal(torch.ones(3,2),scale_tril=torch.tensor([[1.,0.],[.5,1.]]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.zeros(2).requires_grad_()
p1 = torch.tensor([[2.,.5],[.5,1.]]).requires_grad_()
ps = [p0, p1]
d = MultivariateNormal(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = NegativeBinomial(5,torch.tensor([.2,.6]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = NegativeBinomial(5,torch.tensor([.2,.6]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = NegativeBinomial(torch.tensor([2.,3.]),logits=torch.tensor([.1,-1.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = NegativeBinomial(torch.tensor([2.,3.]),logits=torch.tensor([.1,-1.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([.2,.6]).requires_grad_()
ps = [p0]
d = NegativeBinomial(5,p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = OneHotCategorical(torch.tensor([.2,.3,.5]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = OneHotCategorical(torch.tensor([.2,.3,.5]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = OneHotCategorical(logits=torch.zeros(2,3))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = OneHotCategorical(logits=torch.zeros(2,3))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([.2,.3,.5]).requires_grad_()
ps = [p0]
d = OneHotCategorical(p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = OneHotCategoricalStraightThrough(torch.tensor([.2,.3,.5]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = OneHotCategoricalStraightThrough(torch.tensor([.2,.3,.5]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([.2,.3,.5]).requires_grad_()
ps = [p0]
d = OneHotCategoricalStraightThrough(p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Pareto(torch.tensor([1.,2.]),torch.tensor([3.,1.5]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Pareto(torch.tensor([1.,2.]),torch.tensor([3.,1.5]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Pareto(1.,3.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Pareto(1.,3.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([1.,2.]).requires_grad_()
p1 = torch.tensor([3.,1.5]).requires_grad_()
ps = [p0, p1]
d = Pareto(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Poisson(torch.tensor([1.,4.,20.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Poisson(torch.tensor([1.,4.,20.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Poisson(3.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Poisson(3.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([1.,4.,20.]).requires_grad_()
ps = [p0]
d = Poisson(p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = RelaxedBernoulli(torch.tensor([2.2]),torch.tensor([.1,.9]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = RelaxedBernoulli(torch.tensor([2.2]),torch.tensor([.1,.9]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = RelaxedBernoulli(torch.tensor(.5),logits=torch.tensor([1.,-1.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = RelaxedBernoulli(torch.tensor(.5),logits=torch.tensor([1.,-1.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([2.2]).requires_grad_()
p1 = torch.tensor([.1,.9]).requires_grad_()
ps = [p0, p1]
d = RelaxedBernoulli(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = RelaxedOneHotCategorical(torch.tensor([2.2]),torch.tensor([.1,.2,.7]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = RelaxedOneHotCategorical(torch.tensor([2.2]),torch.tensor([.1,.2,.7]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = RelaxedOneHotCategorical(torch.tensor(.5),logits=torch.zeros(2,3))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = RelaxedOneHotCategorical(torch.tensor(.5),logits=torch.zeros(2,3))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([2.2]).requires_grad_()
p1 = torch.tensor([.1,.2,.7]).requires_grad_()
ps = [p0, p1]
d = RelaxedOneHotCategorical(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = StudentT(torch.tensor([2.5,1.,.5]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = StudentT(torch.tensor([2.5,1.,.5]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = StudentT(3.,torch.tensor([1.,2.]),2.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = StudentT(3.,torch.tensor([1.,2.]),2.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([2.5,1.,.5]).requires_grad_()
ps = [p0]
d = StudentT(p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = VonMises(torch.tensor([1.,0.]),torch.tensor([1.,8.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = VonMises(torch.tensor([1.,0.]),torch.tensor([1.,8.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = VonMises(0.,2.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = VonMises(0.,2.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([1.,0.]).requires_grad_()
p1 = torch.tensor([1.,8.]).requires_grad_()
ps = [p0, p1]
d = VonMises(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Weibull(torch.tensor([1.,2.]),torch.tensor([1.,3.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Weibull(torch.tensor([1.,2.]),torch.tensor([1.,3.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Weibull(1.,2.)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Weibull(1.,2.)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([1.,2.]).requires_grad_()
p1 = torch.tensor([1.,3.]).requires_grad_()
ps = [p0, p1]
d = Weibull(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Wishart(torch.tensor([3.,4.]),torch.eye(2))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Wishart(torch.tensor([3.,4.]),torch.eye(2))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Wishart(4.,covariance_matrix=torch.tensor([[2.,.5],[.5,1.]]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Wishart(4.,covariance_matrix=torch.tensor([[2.,.5],[.5,1.]]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Wishart(3.5,precision_matrix=torch.eye(2)*2)
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Wishart(3.5,precision_matrix=torch.eye(2)*2)
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Wishart(5.,scale_tril=torch.eye(2))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Wishart(5.,scale_tril=torch.eye(2))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([3.,4.]).requires_grad_()
p1 = torch.eye(2).requires_grad_()
ps = [p0, p1]
d = Wishart(p0,p1)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Exponential(torch.tensor([1.,2.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Exponential(torch.tensor([1.,2.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([1.,2.]).requires_grad_()
ps = [p0]
d = Exponential(p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Laplace(0.,torch.tensor([1.,2.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Laplace(0.,torch.tensor([1.,2.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([1.,2.]).requires_grad_()
ps = [p0]
d = Laplace(0.,p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Normal(0.,torch.tensor([1.,2.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Normal(0.,torch.tensor([1.,2.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([1.,2.]).requires_grad_()
ps = [p0]
d = Normal(0.,p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Uniform(0.,torch.tensor([1.,2.]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Uniform(0.,torch.tensor([1.,2.]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([1.,2.]).requires_grad_()
ps = [p0]
d = Uniform(0.,p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Bernoulli(torch.tensor([.2,.9]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Bernoulli(torch.tensor([.2,.9]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([.2,.9]).requires_grad_()
ps = [p0]
d = Bernoulli(p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Categorical(torch.tensor([.2,.9]))
print(d); print(d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support); t(lambda: d.support)
t(lambda: d.mean); t(lambda: d.variance); t(lambda: d.stddev); t(lambda: d.mode); t(lambda: d.entropy())
x = d.sample((2,)); print(x); t(lambda: d.log_prob(x)); t(lambda: d.cdf(x)); t(lambda: d.icdf(torch.tensor(.3))); t(lambda: d.rsample((2,)))
t(lambda: d.enumerate_support()); t(lambda: d.perplexity()); print(d)
# ---
from torch.distributions import *
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:200])
d = Categorical(torch.tensor([.2,.9]))
try: e = d.expand((2, *d.batch_shape)); print(e, e.batch_shape); print(e.sample()); t(lambda: e.log_prob(e.sample())); t(lambda: e.mean)
except Exception as ex: print(type(ex).__name__, ex)
print(torch.rand(2))
# ---
from torch.distributions import *
p0 = torch.tensor([.2,.9]).requires_grad_()
ps = [p0]
d = Categorical(p0)
x = d.sample()
l = d.log_prob(x); print(l)
print(torch.autograd.grad(l.sum(), ps, allow_unused=True))
if d.has_rsample:
    y = d.rsample((2,)); print(y); print(torch.autograd.grad((y ** 2).sum(), ps, allow_unused=True))
try:
    e = d.entropy(); print(e); print(torch.autograd.grad(e.sum(), ps, allow_unused=True))
except NotImplementedError: print('no entropy')
m = d.mean; print(m)