from torch.autograd.graph import saved_tensors_hooks
x = torch.ones(2, requires_grad=True)
with saved_tensors_hooks(lambda t: (print('pack', t), t)[1], lambda t: (print('unpack', t), t)[1]): y = x * x
y.sum().backward(); x.grad
# ---
from torch.autograd.graph import saved_tensors_hooks
x = torch.ones(2, requires_grad=True)
with saved_tensors_hooks(lambda t: t.tolist(), lambda t: torch.tensor(t)): y = x.exp()
print(y.grad_fn._saved_result); y.sum().backward(); x.grad
# ---
from torch.autograd.graph import saved_tensors_hooks
x = torch.ones(2, requires_grad=True)
with saved_tensors_hooks(lambda t: t * 2, lambda t: t): y = x * x
y.sum().backward(); x.grad
# ---
from torch.autograd.graph import saved_tensors_hooks
x = torch.ones(2, requires_grad=True)
with saved_tensors_hooks(lambda t: t, lambda t: 3): y = x * x
y.sum().backward()
# ---
from torch.autograd.graph import saved_tensors_hooks
x = torch.ones(2, requires_grad=True)
with saved_tensors_hooks(lambda t: t.add_(1), lambda t: t): y = x * x
# ---
from torch.autograd.graph import saved_tensors_hooks
x = torch.ones(2, requires_grad=True); a = x * 1
with saved_tensors_hooks(lambda t: t.add_(1), lambda t: t): y = a * a
# ---
from torch.autograd.graph import saved_tensors_hooks
x = torch.ones(2, requires_grad=True)
with saved_tensors_hooks(lambda t: 1/0, lambda t: t): y = x * x
# ---
from torch.autograd.graph import saved_tensors_hooks
x = torch.ones(2, requires_grad=True)
with saved_tensors_hooks(lambda t: t, lambda t: 1/0): y = x * x
y.sum().backward()
# ---
from torch.autograd.graph import saved_tensors_hooks
saved_tensors_hooks(lambda t: t)
# ---
from torch.autograd.graph import saved_tensors_hooks
x = torch.ones(2, requires_grad=True); o = []
with saved_tensors_hooks(lambda t: (o.append('out'), t)[1], lambda t: t):
    with saved_tensors_hooks(lambda t: (o.append('in'), t)[1], lambda t: t): y = x * x
    z = y.exp()
o
# ---
from torch.autograd.graph import saved_tensors_hooks
x = torch.ones(2, requires_grad=True)
with saved_tensors_hooks(lambda t: t.shape, lambda s: torch.zeros(5)): y = x.exp()
y.sum().backward(); x.grad
# ---
from torch.autograd.graph import save_on_cpu
x = torch.ones(2, requires_grad=True)
with save_on_cpu(): y = x * x
y.sum().backward(); x.grad
# ---
from torch.autograd.graph import save_on_cpu
x = torch.ones(2, requires_grad=True)
with save_on_cpu(pin_memory=True): y = x * x
y.sum().backward(); x.grad
# ---
from torch.autograd.graph import disable_saved_tensors_hooks, saved_tensors_hooks
with disable_saved_tensors_hooks('no hooks here'):
    with saved_tensors_hooks(lambda t: t, lambda t: t): pass
# ---
from torch.autograd.graph import disable_saved_tensors_hooks, saved_tensors_hooks
with saved_tensors_hooks(lambda t: t, lambda t: t):
    with disable_saved_tensors_hooks('no hooks here'): pass
# ---
from torch.autograd.graph import allow_mutation_on_saved_tensors
with allow_mutation_on_saved_tensors():
    x = torch.ones(2, requires_grad=True); a = x.clone(); y = a.sin(); a.mul_(5); y.sum().backward(); print(x.grad)
# ---
from torch.autograd.graph import allow_mutation_on_saved_tensors
with allow_mutation_on_saved_tensors():
    x = torch.ones(2, requires_grad=True); a = x.clone(); y = a.sin(); a.mul_(5)
y.sum().backward()
# ---
from torch.autograd.graph import allow_mutation_on_saved_tensors
with allow_mutation_on_saved_tensors() as c:
    x = torch.ones(2, requires_grad=True); a = x.clone(); y = a * a; a.mul_(5); a.mul_(2); y.sum().backward(); print(x.grad)
# ---
from torch.autograd.graph import allow_mutation_on_saved_tensors
with allow_mutation_on_saved_tensors():
    with allow_mutation_on_saved_tensors(): pass
# ---
x = torch.ones(2, requires_grad=True); y = x * x; y.grad_fn._raw_saved_self.register_hooks(lambda t: t * 3, lambda t: t); y.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * x; y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t); y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
# ---
x = torch.ones(2, requires_grad=True); y = x * x; y.grad_fn._raw_saved_self.register_hooks(3, 4)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
# ---
x = torch.ones(2, requires_grad=True); y = x * x; r = y.grad_fn._raw_saved_self; print(type(r)); y.sum().backward(); r.register_hooks(lambda t: t, lambda t: t)
# ---
x = torch.ones(2, requires_grad=True); y = x.exp(); y.grad_fn._saved_result is y, y.grad_fn._saved_result
# ---
x = torch.ones(2, requires_grad=True); y = x * x; y.grad_fn._saved_self is x, y.grad_fn._saved_other is x
# ---
x = torch.ones(2, requires_grad=True); y = (x * 2) * 3; z = y * y; z.grad_fn._saved_self is y, z.grad_fn._saved_self
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; z = y * y; del y; z.grad_fn._saved_self, z.grad_fn._saved_self.grad_fn
# ---
x = torch.ones(2, requires_grad=True); z = x.exp() * torch.ones(2); z.sum().backward(); z.grad_fn._saved_self
# ---
from torch.autograd.graph import saved_tensors_hooks
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x, None); return x * 2
    @staticmethod
    def backward(ctx, g): print(ctx.saved_tensors); return g
x = torch.ones(2, requires_grad=True)
with saved_tensors_hooks(lambda t: (print('pack'), t + 1)[1], lambda t: t): y = F.apply(x)
y.sum().backward()
# ---
import torch.autograd.functional as AF
AF.jacobian(lambda x: x ** 2, torch.tensor([1., 2.]))
# ---
import torch.autograd.functional as AF
AF.jacobian(lambda x, y: (x * y, x.sum()), (torch.ones(2), torch.ones(2)))
# ---
import torch.autograd.functional as AF
AF.jacobian(lambda x: x ** 2, torch.tensor([1., 2.]), create_graph=True).requires_grad
# ---
import torch.autograd.functional as AF
AF.jacobian(lambda x: x ** 2, torch.tensor([1., 2.]), vectorize=True, strategy='forward-mode')
# ---
import torch.autograd.functional as AF
AF.jacobian(lambda x: x ** 2, torch.tensor([1., 2.]), strategy='forward-mode')
# ---
import torch.autograd.functional as AF
AF.hessian(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]))
# ---
import torch.autograd.functional as AF
AF.hessian(lambda x, y: (x * y).sum() ** 2, (torch.ones(2), torch.ones(2)))
# ---
import torch.autograd.functional as AF
AF.hessian(lambda x: x ** 3, torch.tensor([1., 2.]))
# ---
import torch.autograd.functional as AF
AF.vjp(lambda x: x ** 2, torch.tensor([1., 2.]))
# ---
import torch.autograd.functional as AF
AF.vjp(lambda x: (x ** 2).sum(), torch.tensor([1., 2.])), AF.jvp(lambda x: x ** 2, torch.tensor([1., 2.]), torch.ones(2)), AF.hvp(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]), torch.ones(2)), AF.vhp(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]), torch.ones(2))
# ---
import torch.autograd.functional as AF
AF.jvp(lambda x: x ** 2, torch.tensor([1., 2.]))
# ---
import torch.autograd.functional as AF
AF.jvp(lambda x: x ** 2, torch.tensor([1., 2.]), torch.ones(3))
# ---
import torch.autograd.functional as AF
AF.vjp(lambda x: torch.ones(()), torch.tensor([1., 2.]), strict=True)
# ---
import torch.autograd.functional as AF
AF.jacobian(lambda x: 3, torch.tensor([1., 2.]))
# ---
import torch.autograd.functional as AF
AF.hessian(lambda x: x.sum(), torch.tensor([1., 2.]), strict=True)
# ---
from torch.autograd import gradcheck, gradgradcheck
x = torch.randn(3, dtype=torch.float64, requires_grad=True); gradcheck(torch.sin, (x,)), gradgradcheck(torch.sin, (x,))
# ---
from torch.autograd import gradcheck
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * 3
gradcheck(F.apply, (torch.ones(2, dtype=torch.float64, requires_grad=True),))
# ---
from torch.autograd import gradcheck
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * 3
gradcheck(F.apply, (torch.ones(2, dtype=torch.float64, requires_grad=True),), raise_exception=False)
# ---
from torch.autograd import gradcheck
gradcheck(lambda x: x * 2, (torch.ones(2, dtype=torch.float64, requires_grad=True),), fast_mode=True)
# ---
import torch.autograd.forward_ad as fwAD
with fwAD.dual_level():
    d = fwAD.make_dual(torch.ones(2), torch.tensor([1., 2.])); print(d); y = (d * 3).sin(); print(y); p, t = fwAD.unpack_dual(y); print(p, t)
# ---
import torch.autograd.forward_ad as fwAD
fwAD.make_dual(torch.ones(2), torch.ones(2))
# ---
import torch.autograd.forward_ad as fwAD
with fwAD.dual_level():
    print(fwAD.unpack_dual(torch.ones(2))); fwAD.make_dual(torch.ones(2), torch.ones(3))
# ---
import torch.autograd.forward_ad as fwAD
with fwAD.dual_level():
    x = torch.ones(2, requires_grad=True); d = fwAD.make_dual(x, torch.ones(2)); y = (d ** 3).sum(); t = fwAD.unpack_dual(y).tangent; print(t); print(torch.autograd.grad(t, x))
# ---
import torch.autograd.forward_ad as fwAD
with fwAD.dual_level():
    d = fwAD.make_dual(torch.randn(3, 3, generator=torch.Generator().manual_seed(0)), torch.ones(3, 3)); 
    for f in (torch.exp, torch.tanh, lambda t: t @ t, lambda t: t.softmax(0), lambda t: t.sum(0), lambda t: t.max(0)[0], lambda t: t.t()[1], lambda t: torch.cat([t, t * 2]), lambda t: t / (1 + t * t), lambda t: t.prod(), lambda t: t.norm(), lambda t: t.var(0), torch.relu, lambda t: t.cumsum(0), lambda t: torch.where(t > 0, t, t * t), lambda t: t.logsumexp(0), lambda t: torch.nn.functional.layer_norm(t, (3,)), lambda t: t.sort(0)[0], lambda t: t[[0, 0, 1]], lambda t: torch.nn.functional.cross_entropy(t, torch.tensor([0, 1, 2]))): print(fwAD.unpack_dual(f(d)).tangent)
# ---
import torch.autograd.forward_ad as fwAD
with fwAD.dual_level():
    d = fwAD.make_dual(torch.ones(2), torch.ones(2)); d.mul_(3); e = d[0]; e.add_(1); print(fwAD.unpack_dual(d), fwAD.unpack_dual(e), fwAD.unpack_dual(d.detach()))
# ---
from torch.func import grad, vjp, jvp, jacrev, jacfwd, hessian, vmap, functional_call, grad_and_value
f = lambda x: (x ** 3).sum()
x = torch.tensor([1., 2.]); grad(f)(x), grad_and_value(f)(x), jacrev(lambda x: x ** 2)(x), jacfwd(lambda x: x ** 2)(x), hessian(f)(x), jvp(f, (x,), (torch.ones(2),)), vjp(f, x)[1](torch.tensor(1.))
# ---
from torch.func import *
x = torch.tensor([1., 2.]); grad(lambda x: x ** 2)(x)
# ---
from torch.func import *
grad(lambda a, b: (a * b).sum(), argnums=(0, 1))(torch.ones(2), torch.tensor([3., 4.])), grad(lambda a, b: ((a * b).sum(), a), argnums=1, has_aux=True)(torch.ones(2), torch.tensor([3., 4.]))
# ---
from torch.func import *
vmap(lambda a, b: a.dot(b))(torch.ones(3, 2), torch.arange(6.).view(3, 2)), vmap(lambda a: a.sum(), in_dims=1)(torch.ones(3, 2)), vmap(lambda a: a * 2, out_dims=1)(torch.ones(3, 2)).shape
# ---
from torch.func import *
vmap(lambda a: a.item())(torch.ones(3))
# ---
from torch.func import *
vmap(lambda a: a if a > 0 else -a)(torch.ones(3))
# ---
from torch.func import *
vmap(lambda a: torch.randn(2))(torch.ones(3))
# ---
from torch.func import *
vmap(lambda a, b: a + b)(torch.ones(3), torch.ones(2))
# ---
from torch.func import *
vmap(lambda a: a)(3)
# ---
from torch.func import *
vmap(lambda a: 3)(torch.ones(3))
# ---
from torch.func import *
vmap(grad(lambda w, x: (w * x).sum()), in_dims=(None, 0))(torch.ones(2), torch.arange(4.).view(2, 2)), vmap(vmap(lambda a: a * 2))(torch.ones(2, 2)), vmap(lambda x: {'a': x, 'b': (x, x * 2)})(torch.ones(2))
# ---
from torch.func import *
m = torch.nn.Linear(2, 1); p = {k: torch.ones_like(v) for k, v in m.named_parameters()}; functional_call(m, p, (torch.ones(1, 2),)), grad(lambda p: functional_call(m, p, (torch.ones(1, 2),)).sum())(p)
# ---
from torch.func import *
x = torch.ones(2, requires_grad=True); g = grad(lambda x: (x ** 2).sum())(x); g, torch.autograd.grad(g.sum(), x)
# ---
from torch.func import *
def f(x): print(x); return (x ** 2).sum()
grad(f)(torch.ones(2))
# ---
from torch.func import *
def f(x): print(x); return x
vmap(f)(torch.ones(2, 2))
# ---
from torch.func import *
def f(x): y = (x * x).sum(); y.backward(); return y
grad(f)(torch.ones(2))
# ---
from torch.func import *
grad(grad(torch.sin))(torch.tensor(1.)), vmap(grad(grad(torch.sin)))(torch.arange(3.)), jacfwd(jacrev(torch.sin))(torch.ones(2)), hessian(lambda x, y: (x * y).sum(), argnums=(0, 1))(torch.ones(2), torch.ones(2))
# ---
from torch.func import *
o = vjp(lambda x: (x * 2, x.sum()), torch.ones(2)); o[0], o[1]((torch.ones(2), torch.tensor(1.)))
# ---
from torch.func import *
jvp(lambda x: x * 2, torch.ones(2), torch.ones(2))
# ---
from torch.func import *
o, j = linearize(torch.sin, torch.ones(2)); o, j(torch.ones(2))
