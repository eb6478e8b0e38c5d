import warnings
x = torch.tensor([-1.], requires_grad=True)
with torch.autograd.set_detect_anomaly(True): y = x.sqrt().sum()
try: y.backward()
except RuntimeError as e: print(e)
with torch.autograd.set_detect_anomaly(True):
    try: (x.sqrt() * 0).sum().backward()
    except RuntimeError as e: print(e)
# ---
torch.autograd.set_detect_anomaly(True, check_nan=False); print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()); torch.autograd.set_detect_anomaly(False); torch.is_anomaly_enabled()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, flag=True, *rest): ctx.set_materialize_grads(False); ctx.n = len(rest); return x * y, 'tag', None, x + y
    @staticmethod
    def backward(ctx, *g): print(g, ctx.needs_input_grad); return (g[0], g[3], None) + (None,) * ctx.n
x = torch.ones(2, requires_grad=True); y = torch.ones(2); o = F.apply(x, y, False, 1, 2); print(o); o[0].sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(x, k): return x * k
    @staticmethod
    def setup_context(ctx, inputs, output): print(inputs, output); ctx.k = inputs[1]; ctx.save_for_backward(output)
    @staticmethod
    def backward(ctx, g): print(ctx.saved_tensors); return g * ctx.k, None
x = torch.ones(2, requires_grad=True); F.apply(x, 3).sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(x): return x
F.apply(torch.ones(1, requires_grad=True))
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y): return x * y
    @staticmethod
    def backward(ctx, g): return g
F.apply(torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)).backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): x.add_(1); ctx.mark_dirty(x); return x
    @staticmethod
    def backward(ctx, g): return g * 2
x = torch.ones(1, requires_grad=True); y = x * 1; z = F.apply(y); print(z is y, y.grad_fn, y._version); z.backward(); print(x.grad); F.apply(x)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): x.add_(1); return x
    @staticmethod
    def backward(ctx, g): return g * 2
x = torch.ones(1, requires_grad=True); y = x * 1; z = F.apply(y); (z is y, y, z, y._version)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): t = x.exp(); ctx.save_for_backward(t); return t * 2
    @staticmethod
    def backward(ctx, g): ctx.save_for_backward(g); t, = ctx.saved_tensors; return g * t * 2
x = torch.zeros(1, requires_grad=True); y = F.apply(x); print(y.grad_fn, y.grad_fn.next_functions, y.grad_fn.saved_tensors); y.backward(); x.grad
# ---
class Base(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g): return g * 5
class G(Base):
    @staticmethod
    def forward(ctx, x): return x.clone()
x = torch.ones(1, requires_grad=True); y = G.apply(x); print(y.grad_fn.name(), type(y.grad_fn), type(y.grad_fn).__mro__[1].__name__); y.backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 1
    @staticmethod
    def backward(ctx, g): raise KeyError('k')
F.apply(torch.ones(1, requires_grad=True)).backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x ** 3
    @staticmethod
    def backward(ctx, g): x, = ctx.saved_tensors; return g * 3 * x ** 2
x = torch.tensor(2., requires_grad=True); g, = torch.autograd.grad(F.apply(x), x, create_graph=True); print(g, torch.autograd.grad(g, x)); torch.autograd.gradcheck(F.apply, torch.tensor([2.], dtype=torch.double, requires_grad=True)), torch.autograd.gradgradcheck(F.apply, torch.tensor([2.], dtype=torch.double, requires_grad=True))
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, *, k): return x * k
    @staticmethod
    def backward(ctx, g): return g
F.apply(torch.ones(1, requires_grad=True), k=3)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.detach()
    @staticmethod
    def backward(ctx, g): return g * 9
x = torch.ones(1, requires_grad=True); y = F.apply(x); print(y.requires_grad, y._is_view(), y._base is x); y.backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): print(ctx.needs_input_grad); return x * 2
    @staticmethod
    def backward(ctx, g): return g
print(F.apply(torch.ones(1)).requires_grad)
with torch.no_grad(): print(F.apply(torch.ones(1, requires_grad=True)).requires_grad)
# ---
from torch.autograd.graph import saved_tensors_hooks as h
log = []
with h(lambda t: log.append(('p', tuple(t.shape))) or t.double(), lambda t: log.append('u') or t.float()):
    x = torch.ones(2, requires_grad=True); y = (x * x).exp().sum()
y.backward(); (log, x.grad)
# ---
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks as h
x = torch.ones(2, requires_grad=True)
with save_on_cpu(): y = x.exp()
y.sum().backward(); print(x.grad)
with h(lambda t: 1, lambda i: 'bad'): y = x.exp()
y.sum().backward()
# ---
from torch.autograd.graph import saved_tensors_hooks as h
x = torch.ones(2, requires_grad=True)
def p(t): raise ValueError('p')
with h(p, lambda t: t): x.exp()
# ---
with torch.autograd.graph.disable_saved_tensors_hooks('no hooks'):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t): pass
# ---
x = torch.ones(2, requires_grad=True); w = torch.ones(2, requires_grad=True); y = (x * 2).sum()
for f in (lambda: torch.autograd.grad(y, w), lambda: torch.autograd.grad(y, [x, w], allow_unused=True, retain_graph=True), lambda: torch.autograd.grad(y, w, materialize_grads=True, allow_unused=False, retain_graph=True), lambda: torch.autograd.grad([y, y], x, retain_graph=True), lambda: torch.autograd.grad(y, x, torch.tensor(3.), retain_graph=True), lambda: torch.autograd.grad((y, y * 2), x, (None, torch.tensor(2.)), retain_graph=True), lambda: torch.autograd.grad(y, (x,), is_grads_batched=True, grad_outputs=torch.ones(3), retain_graph=True), lambda: torch.autograd.grad(y, x, grad_outputs=[]), lambda: torch.autograd.grad(y, x), lambda: torch.autograd.grad(y, x)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
# ---
from torch.autograd.functional import *
x = torch.tensor([1., 2.])
import torch.autograd.functional as A
for f in (lambda: A.hessian(lambda x: x, x), lambda: A.vjp(lambda x: x, x), lambda: A.vjp(lambda x: x.sum(), x, strict=True), lambda: A.jacobian(lambda x: 3, x), lambda: A.hvp(lambda x: x.sum(), x, torch.ones(3)), lambda: A.jacobian(lambda x: x, x, vectorize=True, strict=True), lambda: A.jacobian(lambda x: x, x, strategy='forward-mode'), lambda: A.jacobian(lambda x: x, x, strategy='abc'), lambda: A.jvp(lambda x: x.detach(), x, x, strict=True), lambda: A.vhp(lambda x: x.sum(), x, x, strict=True)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
# ---
import torch.autograd.forward_ad as fw
with fw.dual_level():
    d = fw.make_dual(torch.tensor([1., 2.]), torch.tensor([1., 0.])); y = (d * d).sin(); print(y, fw.unpack_dual(y)); print(fw.unpack_dual(y.sum()).tangent, fw.unpack_dual(d[0]).tangent); d2 = d.clone(); d2.mul_(3); print(fw.unpack_dual(d2)); print(fw.unpack_dual(d.detach()))
try: fw.make_dual(torch.ones(1), torch.ones(1))
except Exception as e: print(e)
with fw.dual_level():
    with torch.no_grad(): print(fw.unpack_dual(fw.make_dual(torch.ones(1), torch.ones(1)) * 2).tangent)
    fw.make_dual(torch.ones(1, dtype=torch.int64), torch.ones(1))
# ---
from torch.func import grad, vmap, jacrev, jacfwd, hessian, vjp, jvp, linearize, functional_call, grad_and_value, stack_module_state
f = lambda x: (x ** 3).sum(); x = torch.tensor([1., 2.])
print(grad(f)(x), vmap(grad(lambda x: x.sin()))(x), jacrev(lambda x: x * x)(x), jacfwd(lambda x: x * x)(x), hessian(f)(x), vjp(f, x)[1](torch.tensor(1.)), jvp(f, (x,), (x,)), linearize(f, x)[1](x), grad_and_value(f)(x), grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(x, x), grad(lambda d: (d['a'] ** 2).sum())({'a': x}), grad(lambda x: ((x ** 2).sum(), 'aux'), has_aux=False) if False else grad(lambda x: ((x ** 2).sum(), x + 1), has_aux=True)(x))
for g in (lambda: vmap(lambda x, y: x + y, in_dims=(0, None))(x, torch.ones(2)), lambda: vmap(lambda x: x.sum(), in_dims=1, out_dims=0)(torch.ones(2, 3)), lambda: vmap(lambda x: x)(torch.tensor(1.)), lambda: vmap(lambda x, y: x)(torch.ones(2), torch.ones(3)), lambda: vmap(lambda x: x if x > 0 else -x)(x), lambda: vmap(lambda x: x.item())(x), lambda: vmap(lambda x: torch.randn(()) + x)(x), lambda: vmap(lambda x: 3)(x), lambda: grad(lambda x: x)(x), lambda: vmap(lambda x: x.nonzero())(x), lambda: vmap(lambda x: x, in_dims=2)(x), lambda: jacrev(lambda x: x.sum(), chunk_size=1)(x), lambda: grad(lambda x: 1.0)(x), lambda: vjp(lambda x: x, x)[1](torch.ones(3))):
    try: print(g())
    except Exception as e: print(type(e).__name__, e)
# ---
from torch.utils.checkpoint import checkpoint, checkpoint_sequential, set_checkpoint_early_stop, set_checkpoint_debug_enabled
n = []
def f(x): n.append(torch.is_grad_enabled()); return (x * 2).sin() * torch.nn.functional.dropout(x)
for r in (True, False):
    torch.manual_seed(0); x = torch.ones(3, requires_grad=True); checkpoint(f, x, use_reentrant=r).sum().backward(); print(r, n, x.grad); n.clear()
x = torch.ones(3, requires_grad=True); y = checkpoint(f, x, use_reentrant=True); print(y.grad_fn.name())
try: torch.autograd.grad(y.sum(), x)
except RuntimeError as e: print(e)
k = [0]
def bad(x): k[0] += 1; return x.exp() if k[0] == 1 else x.double().exp().float()
checkpoint(bad, x, use_reentrant=False).sum().backward()
# ---
from torch.utils.checkpoint import checkpoint
k = [0]
def bad(x): k[0] += 1; return x.exp() if k[0] == 1 else x[:2].exp()
x = torch.ones(3, requires_grad=True)
checkpoint(bad, x, use_reentrant=False, determinism_check='none').sum().backward()
