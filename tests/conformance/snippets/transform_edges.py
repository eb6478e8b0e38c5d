from torch.func import vmap
def foo(y):
    r = y.new_zeros((3,))
    r.copy_(y)
    return r
vmap(foo)(torch.ones(2, 3))
# ---
from torch.func import vmap
def foo(y):
    r = torch.zeros_like(y)
    r[0] = y[1]
    return r
vmap(foo)(torch.ones(2, 3))
# ---
from torch.func import grad, vmap
def f(w, x, t):
    y = x @ w
    return ((y - t) ** 2).sum()
vmap(lambda x, t: grad(f)(torch.ones(2, 1), x, t))(torch.rand(3, 2), torch.rand(3, 1)).shape
# ---
from torch.func import jacfwd
jacfwd(lambda x: torch.conj(x), 0)(torch.randn(3, 3, dtype=torch.cfloat))
# ---
from torch.func import jacfwd
jacfwd(lambda x: x.to(torch.complex64))(torch.rand(3))
# ---
import torch.autograd.forward_ad as fwAD
from torch.func import jvp
def t05_jvp_set_fwd_grad():
    with fwAD._set_fwd_grad_enabled(False):
        return jvp(torch.sin, (torch.tensor(1.0),), (torch.tensor(1.0),))
t05_jvp_set_fwd_grad()
# ---
from torch.func import jvp, vmap
def f(x, y):
    x = x.clone()
    x.copy_(y)
    return x
vmap(lambda xt, yt: jvp(f, (torch.ones(2), torch.ones(2)), (xt, yt)))(torch.rand(3, 2), torch.ones(3, 2))
# ---
from torch.func import jvp, vmap
def f(x, y):
    x.copy_(y)
    return x
vmap(lambda xt, yt: jvp(f, (torch.ones(2), torch.ones(2)), (xt, yt)))(torch.rand(3, 2), torch.ones(3, 2))
# ---
from torch.func import jvp
x = torch.zeros(2)
def f(y):
    x.copy_(y)
    return x
jvp(f, (torch.ones(2),), (torch.full((2,), 2.0),))
# ---
from torch.func import grad
def f(x):
    y = x.sin()
    y.retain_grad()
    return y.sum()
grad(f)(torch.rand(3))
# ---
from torch.func import grad
def t10b_saved_hooks_around_grad():
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        return grad(lambda x: x.sin().sum())(torch.zeros(2))
t10b_saved_hooks_around_grad()
# ---
from torch.autograd import Function
from torch.func import grad
class A(Function):

    @staticmethod
    def forward(x):
        return x

    @staticmethod
    def setup_context(ctx, i, o):
        ctx.save_for_backward(o)

    @staticmethod
    def backward(ctx, g):
        return g
grad(lambda x: A.apply(x).sum())(torch.ones(2))
# ---
from torch.autograd import Function
from torch.func import grad
class FooBar(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, i, o):
        pass

    @staticmethod
    def backward(ctx, g):
        return g * 2
n = []
def f(x):
    y = FooBar.apply(x)
    n.append(type(y.grad_fn).__name__)
    return y.sum()
grad(f)(torch.ones(2))
n
# ---
from torch.autograd import Function
from torch.func import vmap
seen = []
class Id(Function):

    @staticmethod
    def forward(x):
        pass

    @staticmethod
    def setup_context(ctx, i, o):
        pass

    @staticmethod
    def backward(ctx, g):
        pass

    @staticmethod
    def vmap(info, in_dims, x, y):
        seen.append(in_dims)
        return (x, in_dims[0])
x = torch.rand(2, 3)
vmap(Id.apply)(x, [x, x])
seen
# ---
from torch.autograd import Function
from torch.func import vmap
class M(Function):

    @staticmethod
    def forward(x, *, y):
        return x + y

    @staticmethod
    def setup_context(ctx, i, o):
        pass

    @staticmethod
    def backward(ctx, g):
        return g

    @staticmethod
    def vmap(info, in_dims, x, *, y):
        return (x + y, 0)
x = torch.rand(3)
vmap(M.apply)(x, y=x)
# ---
from torch.func import hessian, vmap
m = torch.nn.Linear(3, 1) if False else torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
p = {k: v.detach() for k, v in m.named_parameters()}
def f(x):
    return torch.func.functional_call(m, p, (x,)).squeeze(0)
vmap(hessian(f))(torch.rand(4, 2)).shape
