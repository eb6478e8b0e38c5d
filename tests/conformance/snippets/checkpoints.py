from torch.utils.checkpoint import checkpoint
n = []
def g(x): y = x.exp(); n.append('a'); z = y.sin(); n.append('b'); w = z + 1; n.append('c'); return w
x = torch.ones(2, requires_grad=True); checkpoint(g, x, use_reentrant=False).sum().backward(); print(n); n.clear()
checkpoint(g, x, use_reentrant=False, early_stop=False).sum().backward(); print(n); n.clear(); checkpoint(g, x, use_reentrant=True).sum().backward(); n
# ---
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop
n = []
def g(x): y = x.exp(); n.append('a'); z = y.sin(); n.append('b'); return z
x = torch.ones(2, requires_grad=True)
with set_checkpoint_early_stop(False): y = checkpoint(g, x, use_reentrant=False)
y.sum().backward(); n
# ---
from torch.utils.checkpoint import checkpoint
n = []
def h(x): n.append(1); return x.exp(), x.sin()
x = torch.ones(2, requires_grad=True); a, b = checkpoint(h, x, use_reentrant=False); a.sum().backward(); print(len(n)); b.sum().backward(); len(n), x.grad
# ---
from torch.utils.checkpoint import checkpoint
n = []
def h(x): n.append(1); return x.exp()
x = torch.ones(2, requires_grad=True); y = checkpoint(h, x, use_reentrant=False).sum(); y.backward(retain_graph=True); y.backward(retain_graph=True); print(len(n)); y.backward(); y.backward()
# ---
from torch.utils.checkpoint import checkpoint
x = torch.full((2,), .5, requires_grad=True); y = checkpoint(lambda x: x.exp().sin(), x, use_reentrant=False); print(y.grad_fn._saved_self, y.grad_fn._saved_self); y.sum().backward(); y.grad_fn._saved_self
# ---
from torch.utils.checkpoint import checkpoint
k = [0]
def more(x): k[0] += 1; return x.exp().sin() if k[0] > 1 else x.exp()
x = torch.ones(2, requires_grad=True); checkpoint(more, x, use_reentrant=False).sum().backward(); print(x.grad); k[0] = 0
checkpoint(more, x, use_reentrant=False, early_stop=False).sum().backward()
# ---
from torch.utils.checkpoint import checkpoint
k = [0]
def less(x): k[0] += 1; return x.exp().sin() if k[0] == 1 else x.exp()
x = torch.ones(2, requires_grad=True); checkpoint(less, x, use_reentrant=False).sum().backward()
# ---
from torch.utils.checkpoint import checkpoint
k = [0]
def meta(x): k[0] += 1; return x.exp().sum() if k[0] == 1 else x[:1].double().exp().sum()
x = torch.ones(2, requires_grad=True); checkpoint(meta, x, use_reentrant=False).backward()
# ---
from torch.utils.checkpoint import checkpoint
k = [0]
def meta(x): k[0] += 1; return x.exp().sum() if k[0] == 1 else (x * 2).exp().sum()
x = torch.ones(2, requires_grad=True); checkpoint(meta, x, use_reentrant=False, determinism_check='none').backward(); x.grad
# ---
from torch.utils.checkpoint import checkpoint
checkpoint(torch.exp, torch.ones(2, requires_grad=True), use_reentrant=False, determinism_check='foo')
# ---
from torch.utils.checkpoint import checkpoint
checkpoint(torch.exp, torch.ones(2, requires_grad=True), use_reentrant=True, debug=True)
# ---
from torch.utils.checkpoint import checkpoint
def kw(x, *, k=1): return x * x * k
x = torch.ones(2, requires_grad=True); checkpoint(kw, x, use_reentrant=False, k=5).sum().backward(); print(x.grad); checkpoint(kw, x, use_reentrant=False, z=5)
# ---
from torch.utils.checkpoint import checkpoint
for pres in (True, False):
    for re in (True, False):
        torch.manual_seed(0); x = torch.ones(2, requires_grad=True); y = checkpoint(lambda x: x * torch.rand(2), x, use_reentrant=re, preserve_rng_state=pres); r = torch.rand(1); y.sum().backward(); print(pres, re, y.tolist() == x.grad.tolist(), torch.rand(1))
# ---
from torch.utils.checkpoint import checkpoint
n = []
def inner(x): n.append('i'); return x.sin().exp()
def outer(x): n.append('o'); return checkpoint(inner, x.exp(), use_reentrant=False).sin()
for re in (True, False):
    n.clear(); x = torch.full((2,), .5, requires_grad=True); checkpoint(outer, x, use_reentrant=re).sum().backward(); print(n, x.grad)
# ---
from torch.utils.checkpoint import checkpoint
n = []
def f3(x): n.append(3); return x.sin().cos()
def f2(x): n.append(2); return checkpoint(f3, checkpoint(f3, x.exp(), use_reentrant=False).tanh(), use_reentrant=False)
def f1(x): n.append(1); return checkpoint(f2, x.exp(), use_reentrant=False).exp()
x = torch.full((2,), .25, requires_grad=True); f1(x).sum().backward(); print(x.grad); n.clear(); x.grad = None; checkpoint(f1, x, use_reentrant=False).sum().backward(); x.grad, n
# ---
from torch.utils.checkpoint import checkpoint
x = torch.ones(2, requires_grad=True); y = checkpoint(torch.exp, x, use_reentrant=True).sum(); torch.autograd.grad(y, x)
# ---
from torch.utils.checkpoint import checkpoint
x = torch.ones(2, requires_grad=True); y = checkpoint(torch.exp, x, use_reentrant=True).sum(); y.backward(inputs=[x])
# ---
from torch.utils.checkpoint import checkpoint
x = torch.full((2,), .5, requires_grad=True); y = checkpoint(lambda x: x.exp().sin(), x, use_reentrant=False).sum(); g, = torch.autograd.grad(y, x, create_graph=True); g, torch.autograd.grad(g.sum(), x)
# ---
from torch.utils.checkpoint import checkpoint
def bw(x):
    y = x.sin(); z = y.cos(); gx, = torch.autograd.grad(z.sum(), x); return x.cos() * gx
for es in (True, False):
    x = torch.full((2,), .5, requires_grad=True); checkpoint(bw, x, use_reentrant=False, early_stop=es).sum().backward(); print(x.grad)
# ---
from torch.utils.checkpoint import checkpoint
z = torch.ones(2, requires_grad=True) * 1; y = checkpoint(lambda a: a.exp().sin(), z, use_reentrant=False); z.add_(1); y.sum().backward()
# ---
from torch.utils.checkpoint import checkpoint
x = torch.ones(2, requires_grad=True); r = checkpoint(lambda a: (3, a.exp(), None, [a]), x, use_reentrant=True); print(r); r[1].sum().backward(); print(x.grad)
with torch.no_grad(): print(checkpoint(torch.exp, x, use_reentrant=False), checkpoint(torch.exp, x, use_reentrant=True))
# ---
from torch.utils.checkpoint import checkpoint
checkpoint(lambda a: a.detach().exp(), torch.ones(2, requires_grad=True), use_reentrant=True).sum().backward()
# ---
from torch.utils.checkpoint import checkpoint_sequential
mods = [torch.exp, torch.sin, torch.tanh, torch.cos, torch.exp]
for s in (1, 2, 3, 5):
    for re in (True, False):
        x = torch.full((2,), .5, requires_grad=True); y = checkpoint_sequential(mods, s, x, use_reentrant=re); print(y.grad_fn); y.sum().backward(); print(s, re, x.grad)
checkpoint_sequential(mods, 2, x)
checkpoint_sequential(mods, 2, x, use_reentrant=False, foo=1)
# ---
from torch.utils.checkpoint import checkpoint_sequential
m = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)); x = torch.ones(1, 2, requires_grad=True)
checkpoint_sequential(m, 2, x, use_reentrant=False).sum().backward(); a = [p.grad.clone() for p in m.parameters()]; m.zero_grad(); m(x).sum().backward(); [torch.equal(p.grad, q) for p, q in zip(m.parameters(), a)]
# ---
import contextlib
from torch.utils.checkpoint import checkpoint
n = []
@contextlib.contextmanager
def c(name): n.append('>' + name); yield; n.append('<' + name)
x = torch.ones(2, requires_grad=True); checkpoint(lambda x: x.exp().sin(), x, use_reentrant=False, context_fn=lambda: (c('f'), c('r'))).sum().backward(); n
# ---
import contextlib
from torch.utils.checkpoint import checkpoint
@contextlib.contextmanager
def c():
    try: yield
    except ValueError: pass
def f(x): raise ValueError('mine')
checkpoint(f, torch.ones(2, requires_grad=True), use_reentrant=False, context_fn=lambda: (c(), c()))
# ---
from torch.utils.checkpoint import checkpoint, GraphExecGroup
n = []
def f(x): n.append(1); return x.exp(), x.sin()
x = torch.ones(2, requires_grad=True); a, b = checkpoint(f, x, use_reentrant=False)
with GraphExecGroup(): a.sum().backward(); b.sum().backward()
print(len(n)); a, b = checkpoint(f, x, use_reentrant=False)
with GraphExecGroup(): a.sum().backward(retain_graph=True); a.sum().backward()
# ---
from torch.utils.checkpoint import checkpoint
class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): ctx.save_for_backward(a); return a * a
    @staticmethod
    def backward(ctx, g): a, = ctx.saved_tensors; b, = ctx.saved_tensors; return 2 * a * g
checkpoint(lambda x: Sq.apply(x.exp()), torch.ones(2, requires_grad=True), use_reentrant=False).sum().backward()
# ---
from torch.utils.checkpoint import checkpoint
w = torch.ones(2, requires_grad=True); x = torch.ones(2); y = checkpoint(lambda a: a * w, x, use_reentrant=False); print(y.requires_grad); y.sum().backward(); print(w.grad)
y = checkpoint(lambda a, b: a * b, x, w, use_reentrant=True); y.sum().backward(); w.grad, x.grad
# ---
from torch.utils.checkpoint import checkpoint
lin = torch.nn.Linear(2, 2); drop = torch.nn.Dropout(.5); x = torch.ones(1, 2, requires_grad=True)
torch.manual_seed(3); y = checkpoint(lambda t: drop(lin(t).relu()), x, use_reentrant=False); y.sum().backward(); g = lin.weight.grad.clone(); lin.zero_grad(); torch.manual_seed(3); drop(lin(x).relu()).sum().backward(); torch.equal(g, lin.weight.grad)
# ---
from torch.utils.checkpoint import detach_variable, check_backward_validity, noop_context_fn, CheckpointFunction, CheckpointError
x = torch.ones(2, requires_grad=True); d = detach_variable((x, 3, x * 2)); print([getattr(t, 'requires_grad', t) for t in d], d[0] is x, d[2].is_leaf); check_backward_validity([torch.ones(1), 3]); print(noop_context_fn(), issubclass(CheckpointError, RuntimeError), CheckpointFunction.__mro__[1]); detach_variable([x])
# ---
from torch.utils.checkpoint import checkpoint
log = []
with torch.autograd.graph.saved_tensors_hooks(lambda t: log.append(('p', tuple(t.shape))) or t, lambda t: log.append('u') or t):
    x = torch.ones(2, requires_grad=True); y = checkpoint(lambda a: a.exp().sin(), x, use_reentrant=False)
print(log); y.sum().backward(); log
