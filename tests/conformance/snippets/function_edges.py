from torch.func import vmap
vmap(lambda x: x @ torch.ones(2, 1))(torch.rand(3, 2)).shape
# ---
from torch.func import grad, vmap
vmap(lambda x: grad(lambda w: (x @ w).sum())(torch.ones(2)))(torch.rand(3, 2)).shape
# ---
from torch.func import grad, vmap
vmap(lambda x: grad(lambda w: (w @ x).sum())(torch.ones(4, 2)))(torch.rand(3, 2)).shape
# ---
from torch.func import grad, vmap
vmap(lambda x: grad(lambda w: (x[None] @ w).sum())(torch.ones(2, 1)))(torch.rand(3, 2)).shape
# ---
from torch.func import jacrev, vmap
vmap(lambda x: jacrev(lambda w: x @ w)(torch.ones(2, 4)))(torch.rand(3, 2)).shape
# ---
from torch.func import grad, vmap
vmap(lambda x: grad(lambda w: torch.mv(w, x).sum())(torch.ones(4, 2)))(torch.rand(3, 2)).shape
# ---
from torch.func import vmap
def f(x):
    r = torch.zeros_like(x)
    r[0] = x[1]
    return r
vmap(f)(torch.arange(6.0).view(3, 2))
# ---
from torch.func import vmap
def f(x):
    r = torch.empty_like(x)
    r.copy_(x)
    return r
vmap(f)(torch.arange(6.0).view(3, 2))
# ---
from torch.func import vmap
def f(x):
    r = torch.zeros_like(x)
    r += x
    return r
vmap(f)(torch.arange(6.0).view(3, 2))
# ---
from torch.func import vmap
def f(x):
    r = torch.full_like(x, 2.0)
    r.mul_(x)
    return r
vmap(f)(torch.arange(6.0).view(3, 2))
# ---
from torch.func import vmap
def f(x):
    r = x.new_full((2,), 3.0)
    r[1] = x[0]
    return r
vmap(f)(torch.arange(6.0).view(3, 2))
# ---
from torch.func import vmap
def f(x):
    return torch.zeros_like(x)
vmap(f, out_dims=0)(torch.arange(6.0).view(3, 2))
# ---
from torch.func import grad
def f(x):
    r = torch.zeros_like(x)
    r[0] = x[1]
    return r.sum()
grad(f)(torch.arange(2.0))
# ---
from torch.func import jvp
def f(x):
    r = torch.zeros_like(x)
    r[0] = x[1] * 2
    return r
jvp(f, (torch.arange(2.0),), (torch.ones(2),))
# ---
from torch.func import jacfwd, jacrev
def f(x):
    r = torch.zeros_like(x)
    r[0] = x[1] ** 2
    return r
(jacfwd(f)(torch.arange(2.0)), jacrev(f)(torch.arange(2.0)))
# ---
from torch.func import vmap
def f(x):
    y = x * 1
    return y.squeeze_(0)
vmap(f)(torch.rand(3, 1, 2)).shape
# ---
from torch.func import vmap
def f(x):
    y = x * 1
    return y.unsqueeze_(0)
vmap(f)(torch.rand(3, 2)).shape
# ---
from torch.func import vmap
def f(x):
    y = x * 1
    return y.t_()
vmap(f)(torch.rand(3, 2, 4)).shape
# ---
from torch.autograd import Function
from torch.func import jacfwd
class F(Function):

    @staticmethod
    def forward(ctx, x):
        return jacfwd(torch.sin)(x)

    @staticmethod
    def backward(ctx, g):
        return g
F.apply(torch.tensor(0.5, requires_grad=True))
# ---
from torch.autograd import Function
from torch.func import grad
class F(Function):

    @staticmethod
    def forward(ctx, x):
        return grad(torch.sin)(x)

    @staticmethod
    def backward(ctx, g):
        return g
F.apply(torch.tensor(0.5, requires_grad=True))
# ---
from torch.autograd import Function
import torch.autograd.forward_ad as fwAD
class F(Function):

    @staticmethod
    def forward(ctx, x):
        with fwAD.dual_level():
            return fwAD.unpack_dual(torch.sin(fwAD.make_dual(x, torch.ones_like(x)))).tangent

    @staticmethod
    def backward(ctx, g):
        return g
F.apply(torch.tensor(0.5, requires_grad=True))
# ---
from torch.autograd import Function
from torch.func import hessian
class F(Function):

    @staticmethod
    def forward(ctx, x):
        return hessian(lambda t: t ** 3)(x)

    @staticmethod
    def backward(ctx, g):
        return g
F.apply(torch.tensor(0.5, requires_grad=True))
# ---
a = torch.tensor(2.0, requires_grad=True) * 1
b = a.exp()
b.detach_()
(b * 2).requires_grad
# ---
from torch.func import jvp, vmap
def f(x, y):
    x.mul_(y)
    return x
vmap(lambda xt: jvp(f, (torch.ones(2), torch.ones(2)), (xt, xt)))(torch.rand(3, 2))
# ---
from torch.func import jvp, vmap
def f(x, y):
    x = x * 2
    x[0] = y[1]
    return x
vmap(lambda xt: jvp(f, (torch.ones(2), torch.ones(2)), (xt, xt)))(torch.ones(3, 2))
# ---
(torch.tensor([1, 2], dtype=torch.uint8).new(2).shape, torch.FloatTensor().shape, torch.FloatTensor(2).shape, torch.Tensor().shape)
# ---
x = torch.rand(4, 4, requires_grad=True)
y = x[1:1]
(y.stride(), y.grad_fn.name(), y.sum().backward(), x.grad)
# ---
w = torch.full((2,), -2.0, requires_grad=True)
e = torch.tensor([1 + 1j], requires_grad=True)
o = torch.pow(-2.0, e)
o.abs().sum().backward()
e.grad
# ---
out = []
for n in 'acosh_ igamma_ lgamma_ erfinv_ digamma_ nextafter_'.split():
    x = torch.tensor([1.5, 0.5], requires_grad=True)
    try:
        y = getattr(x.clone(), n)(*((torch.ones(2),) if n in ('igamma_', 'nextafter_') else ()))
        y.sum().backward()
        out.append((n, x.grad.tolist()))
    except Exception as e:
        out.append((n, type(e).__name__, str(e)[:60]))
out
# ---
import warnings
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always')
    x = torch.zeros(3)
    m = torch.tensor([1, 0, 1], dtype=torch.uint8)
    x[m] = 2
    torch.where(m, x, x)
    x.masked_fill(m, 1.0)
    x.masked_select(m)
[str(i.message)[:70] for i in w]
# ---
torch.zeros(3).masked_fill(torch.tensor([1, 0, 1], dtype=torch.uint8), 1.0)
# ---
x = torch.rand(2, 3, 4)
[x[:, 1:1].stride(), x[..., 0:0].stride(), x[:, :, 4:].stride(), x[2:].stride(), torch.empty(0, 3)[:, 1:2].stride(), x.split([0, 3], 1)[0].stride(), x[5:].stride(), x[:, None, 1:1].stride()]
