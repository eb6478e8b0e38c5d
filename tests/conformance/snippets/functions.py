class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x ** 2
    @staticmethod
    def backward(ctx, g): x, = ctx.saved_tensors; return 2 * x * g
x = torch.tensor([3.], requires_grad=True); y = F.apply(x); print(y, y.grad_fn, y.grad_fn.name(), type(y.grad_fn)); y.backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(x, k): return x * k
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.k = inputs[1]; print(len(inputs), output)
    @staticmethod
    def backward(ctx, g): return g * ctx.k, None
x = torch.tensor([3.], requires_grad=True); y = F.apply(x, 5); y.backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y): ctx.save_for_backward(x, y); return x * y, x + y
    @staticmethod
    def backward(ctx, ga, gb): print(ga, gb, ctx.needs_input_grad); x, y = ctx.saved_tensors; return ga * y + gb, ga * x + gb
a = torch.tensor([3.], requires_grad=True); b = torch.tensor([2.]); u, v = F.apply(a, b); print(u.grad_fn is v.grad_fn, u.output_nr, v.output_nr); u.backward(); a.grad, b.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return g, g
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y): return x + y
    @staticmethod
    def backward(ctx, g): return g
x = torch.ones(2, requires_grad=True); F.apply(x, x).sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y): return x + y
    @staticmethod
    def backward(ctx, g): return g, None, None
x = torch.ones(2, requires_grad=True); F.apply(x, x).sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n): return x * n
    @staticmethod
    def backward(ctx, g): return g, torch.ones(1)
x = torch.ones(2, requires_grad=True); F.apply(x, 2).sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return 3
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return torch.ones(3)
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return torch.ones(3, 2)
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g.double()
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.sum()
    @staticmethod
    def backward(ctx, g): return g
x = torch.ones(2, requires_grad=True); F.apply(x).backward()
# ---
F = type('F', (torch.autograd.Function,), {}); F()
# ---
class F(torch.autograd.Function): pass
F.apply(torch.ones(2))
# ---
class F(torch.autograd.Function):
    def forward(ctx, x): return x * 2
    def backward(ctx, g): return g
F.apply(torch.ones(2, requires_grad=True))
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): x.add_(1); return x
    @staticmethod
    def backward(ctx, g): return g
x = torch.ones(2, requires_grad=True); y = F.apply(x * 1); y
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.mark_dirty(x); return x.add_(1)
    @staticmethod
    def backward(ctx, g): return g * 3
x = torch.ones(2, requires_grad=True); a = x * 1; y = F.apply(a); print(y is a, a.grad_fn, a._version); a.sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.mark_dirty(x); return x.add_(1)
    @staticmethod
    def backward(ctx, g): return g * 3
x = torch.ones(2, requires_grad=True); F.apply(x)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.mark_dirty(x); return x.add_(1)
    @staticmethod
    def backward(ctx, g): return g * 3
x = torch.ones(3, requires_grad=True); a = x * 1; v = a[:2]; y = F.apply(v); a.sum().backward(); x.grad, a.grad_fn
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): s, i = x.sort(); ctx.mark_non_differentiable(i); ctx.save_for_backward(i); return s, i
    @staticmethod
    def backward(ctx, g, gi): print(gi); i, = ctx.saved_tensors; o = torch.zeros_like(g); o[i] = g; return o
x = torch.tensor([3., 1., 2.], requires_grad=True); s, i = F.apply(x); print(s, i, i.requires_grad); (s * torch.arange(3.)).sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.set_materialize_grads(False); return x * 2, x * 3
    @staticmethod
    def backward(ctx, a, b): print(a, b); return a
x = torch.ones(2, requires_grad=True); u, v = F.apply(x); u.sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.y = x.exp(); ctx.save_for_backward(ctx.y); return ctx.y
    @staticmethod
    def backward(ctx, g): return g * ctx.saved_tensors[0]
x = torch.ones(2, requires_grad=True); y = F.apply(x); g, = torch.autograd.grad(y.sum(), x, create_graph=True); print(g); torch.autograd.grad(g.sum(), x)
# ---
from torch.autograd.function import once_differentiable
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x ** 2
    @staticmethod
    @once_differentiable
    def backward(ctx, g): return 2 * ctx.saved_tensors[0] * g
x = torch.ones(2, requires_grad=True); y = F.apply(x); g, = torch.autograd.grad(y.sum(), x, create_graph=True); print(g, g.requires_grad)
# ---
from torch.autograd.function import once_differentiable
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x ** 2
    @staticmethod
    @once_differentiable
    def backward(ctx, g): return 2 * ctx.saved_tensors[0] * g
x = torch.ones(2, requires_grad=True); y = F.apply(x * 2); g, = torch.autograd.grad((y * y).sum(), x, create_graph=True); print(g); g.sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x * 2
    @staticmethod
    def backward(ctx, g): return g * ctx.saved_tensors[0]
x = torch.ones(2, requires_grad=True); a = x * 1; y = F.apply(a); a.add_(1); y.sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); ctx.save_for_backward(x, x); return x * 2
    @staticmethod
    def backward(ctx, g): print(len(ctx.saved_tensors)); return g
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(3); return x * 2
    @staticmethod
    def backward(ctx, g): return g
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, g): return g * 10
x = torch.ones(2, requires_grad=True); y = F.apply(x); print(y is x, y.grad_fn, y._base is x if y._base is not None else None); y.sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.view(-1)
    @staticmethod
    def backward(ctx, g): return g.view(2, 1)
x = torch.ones(2, 1, requires_grad=True); y = F.apply(x); print(y, y._is_view()); y += 1
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return [x * 2, 'a', None, 3]
    @staticmethod
    def backward(ctx, *g): print(g); return g[0]
x = torch.ones(2, requires_grad=True); r = F.apply(x); print(type(r), r); r[0].sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return {'a': x}
    @staticmethod
    def backward(ctx, g): return g
x = torch.ones(2, requires_grad=True); F.apply(x)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, *, k=2): ctx.k = k; return x * k
    @staticmethod
    def backward(ctx, g): return g * ctx.k
x = torch.ones(2, requires_grad=True); F.apply(x, k=5).sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): print(torch.is_grad_enabled(), x.requires_grad, (x * 2).requires_grad); return x * 2
    @staticmethod
    def backward(ctx, g): print(torch.is_grad_enabled()); return g
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward(); F.apply(x).sum().backward(create_graph=True)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): raise ValueError('inside')
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): print('ran'); return g
x = torch.ones(2); y = F.apply(x); y.requires_grad, y.grad_fn
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y): print(ctx.needs_input_grad); return x + y
    @staticmethod
    def backward(ctx, g): return (g if ctx.needs_input_grad[0] else None), (g if ctx.needs_input_grad[1] else None)
a = torch.ones(2, requires_grad=True); b = torch.ones(2); F.apply(b, a).sum().backward(); a.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x.exp()
    @staticmethod
    def backward(ctx, g): return g * ctx.saved_tensors[0].exp()
    @staticmethod
    def jvp(ctx, t): return t
x = torch.ones(2, requires_grad=True); f = F.apply(x).grad_fn; f.saved_tensors, f._saved_tensors if hasattr(f, '_saved_tensors') else None, f.needs_input_grad, [n[0].name() for n in f.next_functions]
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return torch.tensor(x.detach().numpy() ** 2)
    @staticmethod
    def backward(ctx, g): return torch.from_numpy(g.numpy() * 2)
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.long()
    @staticmethod
    def backward(ctx, g): return g
x = torch.ones(2, requires_grad=True); F.apply(x)
# ---
class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 3
    @staticmethod
    def backward(ctx, g): return g * 3
class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            xx = x.detach().requires_grad_(); y = Inner.apply(xx) ** 2
        ctx.save_for_backward(xx, y); return y.detach()
    @staticmethod
    def backward(ctx, g):
        xx, y = ctx.saved_tensors
        with torch.enable_grad(): r, = torch.autograd.grad(y, xx, g)
        return r
x = torch.ones(2, requires_grad=True); Outer.apply(x).sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def vjp(ctx, g): return g * 2
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return None
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward(); print(x.grad); torch.autograd.grad(F.apply(x).sum(), x)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): g.mul_(2); return g
x = torch.ones(2, requires_grad=True); y = F.apply(x); y.backward(torch.ones(2)); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, xs): return xs[0] + xs[1]
    @staticmethod
    def backward(ctx, g): return None
x = torch.ones(2, requires_grad=True); F.apply([x, x]).requires_grad
# ---
import torch.utils.checkpoint as cp
x = torch.ones(2, requires_grad=True); y = cp.checkpoint(lambda a: (a * 2).exp(), x, use_reentrant=False); print(y.grad_fn); y.sum().backward(); x.grad
# ---
import torch.utils.checkpoint as cp
x = torch.ones(2, requires_grad=True); y = cp.checkpoint(lambda a: (a * 2).exp(), x, use_reentrant=True); print(y.grad_fn); y.sum().backward(); x.grad
# ---
import torch.utils.checkpoint as cp
x = torch.ones(2, requires_grad=True); y = cp.checkpoint(lambda a: (a * 2).exp(), x); y.sum().backward(); x.grad
# ---
import torch.utils.checkpoint as cp
x = torch.ones(2); w = torch.ones(2, requires_grad=True); y = cp.checkpoint(lambda a: a * w, x, use_reentrant=True); y.requires_grad
# ---
import torch.utils.checkpoint as cp
x = torch.ones(2); w = torch.ones(2, requires_grad=True); y = cp.checkpoint(lambda a: a * w, x, use_reentrant=False); y.sum().backward(); w.grad
# ---
import torch.utils.checkpoint as cp
x = torch.ones(2, requires_grad=True); y = cp.checkpoint(lambda a: (a * 2).exp(), x, use_reentrant=True); torch.autograd.grad(y.sum(), x)
# ---
import torch.utils.checkpoint as cp
x = torch.ones(2, requires_grad=True); y = cp.checkpoint(lambda a: (a * 2).exp(), x, use_reentrant=False).sum(); y.backward(); y.backward()
# ---
import torch.utils.checkpoint as cp
n = [0]
def f(a):
    n[0] += 1
    return a.exp() if n[0] == 1 else a.exp().sin()
x = torch.ones(2, requires_grad=True); y = cp.checkpoint(f, x, use_reentrant=False); y.sum().backward(); x.grad, n
# ---
import torch.utils.checkpoint as cp
n = [0]
def f(a):
    n[0] += 1
    return a.exp().sin().cos() if n[0] == 1 else a.exp()
x = torch.ones(2, requires_grad=True); y = cp.checkpoint(f, x, use_reentrant=False); y.sum().backward()
# ---
import torch.utils.checkpoint as cp
n = [0]
def f(a):
    n[0] += 1
    return a.exp() if n[0] == 1 else a.double().exp()
x = torch.ones(2, requires_grad=True); y = cp.checkpoint(f, x, use_reentrant=False); y.sum().backward()
# ---
import torch.utils.checkpoint as cp
x = torch.ones(2, requires_grad=True); cp.checkpoint(lambda a: a, x, use_reentrant=False, foo=1)
# ---
import torch.utils.checkpoint as cp
torch.manual_seed(0); x = torch.ones(6, requires_grad=True); y = cp.checkpoint(lambda a: torch.nn.functional.dropout(a) * a, x, use_reentrant=False); y.sum().backward(); y, x.grad
# ---
import torch.utils.checkpoint as cp
x = torch.ones(2, requires_grad=True); y = cp.checkpoint(lambda a: cp.checkpoint(lambda b: b.exp(), a, use_reentrant=False).sin(), x, use_reentrant=False); y.sum().backward(); x.grad
# ---
import torch.utils.checkpoint as cp
x = torch.ones(2, requires_grad=True); y = cp.checkpoint(lambda a: (a ** 3), x, use_reentrant=False); g, = torch.autograd.grad(y.sum(), x, create_graph=True); torch.autograd.grad(g.sum(), x)
