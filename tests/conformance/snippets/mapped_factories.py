# New tensors like one that vmap maps over are mapped over, in every nesting.
from torch.func import *
x = torch.arange(6.).reshape(3, 2)
fs = [lambda x: torch.zeros_like(x), lambda x: torch.ones_like(x), lambda x: torch.empty_like(x).zero_(), lambda x: torch.full_like(x, 7.), lambda x: x.new_zeros(2),
      lambda x: x.new_ones(2), lambda x: x.new_full((2,), 3.), lambda x: x.new_empty((2,)).zero_(), lambda x: x.new_empty_strided((2,), (2,)).zero_(), lambda x: x.new_tensor([1., 2.]), lambda x: torch.zeros(2)]
for f in fs:
    def g(x): r = f(x); print(r, r.shape, r.stride()); return r
    print(attempt(lambda: vmap(g)(x)), attempt(lambda: vmap(vmap(g))(x[None].expand(2, 3, 2)).shape), attempt(lambda: vmap(g, in_dims=1)(torch.arange(6.).reshape(2, 3))))
# ---
from torch.func import *
x = torch.arange(6.).reshape(3, 2)
fs = [lambda x: torch.zeros_like(x), lambda x: torch.full_like(x, 7.), lambda x: x.new_zeros(2), lambda x: x.new_full((2,), 3.), lambda x: x.new_empty((2,)).zero_(), lambda x: x.new_empty_strided((2,), (2,)).zero_(), lambda x: x.new_tensor([1., 2.]), lambda x: torch.zeros(2)]
for f in fs:
    def h(x): r = f(x); r.copy_(x); return r
    def s(x): r = f(x); r[0] = x[1]; r[1] += x[0]; r[1] += 1; return r
    for k in (h, s):
        print(attempt(lambda: vmap(k)(x)), attempt(lambda: vmap(grad(lambda x: (k(x) * x.sum()).sum()))(x)), attempt(lambda: grad(lambda x: vmap(k)(x).sum())(x)))
        print(attempt(lambda: jvp(lambda x: vmap(k)(x).sum(), (x,), (x,))), attempt(lambda: vmap(lambda x: jvp(lambda x: k(x).sum(), (x,), (x,)))(x)))
        print(attempt(lambda: jacrev(k)(x[0])), attempt(lambda: jacfwd(k)(x[0])), attempt(lambda: vmap(hessian(lambda x: (k(x) ** 2).sum()))(x)))
# --- in-place changes of shape
from torch.func import *
x = torch.arange(24.).reshape(3, 2, 1, 4)
fs = [lambda x: x.squeeze_(), lambda x: x.squeeze_(1), lambda x: x.squeeze_(-2), lambda x: x.squeeze_((0, 1)), lambda x: x.unsqueeze_(0), lambda x: x.unsqueeze_(-1), lambda x: x.transpose_(0, 2),
      lambda x: x.squeeze_(1).t_(), lambda x: x.swapaxes_(0, -1), lambda x: x.swapdims_(0, 1), lambda x: x.unsqueeze_(0).mul_(2), lambda x: x[0].squeeze_().mul_(3)]
for f in fs:
    def h(x): return f(x.clone())
    def h2(x): y = x * 1; f(y); return y
    for k in (h, h2):
        print(vmap(k)(x).stride(), vmap(k, in_dims=1)(x).reshape(-1)[:5], vmap(k, in_dims=-1)(x).reshape(-1)[:5])
        print(vmap(grad(lambda x: (k(x) ** 2).sum()))(x).sum(), grad(lambda x: (vmap(k)(x) ** 2).sum())(x).sum(), jvp(lambda x: (vmap(k)(x) ** 2).sum(), (x,), (x,)))
        print(vmap(lambda x: jvp(lambda x: (k(x) ** 2).sum(), (x,), (x,)))(x), jacrev(k)(x).shape, jacfwd(k)(x).shape, vmap(hessian(lambda x: (k(x) ** 3).sum()))(x).sum())
# --- vectors times matrices
from torch.func import *
def f(w, x, t): return ((x @ w - t) ** 2).sum()
x, t, w = torch.arange(6.).reshape(3, 2), torch.arange(3.).reshape(3, 1), torch.ones(2, 1)
print(vmap(lambda x, t: grad(f)(w, x, t))(x, t), vmap(hessian(f), in_dims=(None, 0, 0))(w, x, t).shape, vmap(lambda x: jacrev(lambda w: x @ w)(torch.ones(2, 4)))(x).shape)
v = torch.arange(4.).reshape(2, 2)
print(vmap(jacfwd(jacrev(lambda x: F.linear(x, v).relu())))(torch.ones(4, 2)).shape, vmap(jacfwd(jacrev(lambda x: (F.linear(x, v) ** 2).sum())))(x))
print(vmap(jacfwd(jacrev(lambda x: (F.linear(x, v).relu(),) * 2, has_aux=True), has_aux=True))(torch.ones(4, 2))[0].shape)
# --- conjugates
from torch.func import *
c, r = torch.tensor([1. + 2j, 3 - 1j]), torch.tensor([2., -1.])
fs = [lambda x: torch.conj(x * 1j), lambda x: (x * 1j).conj().real, lambda x: (x * 1j).imag, lambda x: (x * 1j).conj().resolve_conj(), lambda x: torch.outer(x * 1j, x).mH,
      lambda x: torch.view_as_real(x * 1j), lambda x: torch.vdot(x * 1j, x * 2j), lambda x: torch.outer(x * 1j, x).conj().t() @ torch.outer(x * 1j, x), lambda x: (x * 1j).abs(), lambda x: (x * 1j).conj().conj()]
for f in fs:
    for v in (r, c):
        print(attempt(lambda: jvp(f, (v,), (v * 0 + 1,))), attempt(lambda: vmap(lambda x: f(x))(torch.stack([v, v]))), attempt(lambda: vmap(lambda x: jvp(f, (x,), (x,)))(torch.stack([v, v]))))
        print(attempt(lambda: jacfwd(f)(v)), attempt(lambda: grad(lambda x: f(x).abs().sum())(v)), attempt(lambda: vmap(grad(lambda x: f(x).abs().sum()))(torch.stack([v, v]))))
# --- tangents that views of one memory share
from torch.func import *
c, r, m = torch.tensor([1. + 2j, 3 - 1j]), torch.tensor([2., -1.]), torch.arange(6.).reshape(2, 3)
def f(x): y = x.clone(); y.conj().mul_(2j); return y
print(jvp(f, (c,), (c,)), vmap(f)(torch.stack([c, c])), vmap(lambda x: jvp(f, (x,), (x,)))(torch.stack([c, c])))
def f(x): y = torch.zeros_like(x); v = y.conj(); y.copy_(x); return v * 1
print(jvp(f, (c,), (c,)), vmap(lambda x: jvp(f, (x,), (x,)))(torch.stack([c, c])))
def f(x): y = torch.zeros_like(x); v = y[0:1]; y.copy_(x); return v * 1
print(jvp(f, (r,), (r,)), vmap(lambda x: jvp(f, (x,), (x,)))(torch.stack([r, r])))
def f(x): y = torch.zeros_like(x); v = y[0:1]; v.copy_(x[1:]); return y * 1
print(jvp(f, (r,), (r,)), vmap(lambda x: jvp(f, (x,), (x,)))(torch.stack([r, r])), jacfwd(f)(r))
def f(x): z = x.new_zeros(3, 2).t(); w = z[0]; z.copy_(x); w.mul_(2); return z
print(jvp(f, (m,), (m,)), jacfwd(f)(m).sum(), vmap(jacfwd(f))(torch.stack([m, m])).sum())
def f(x): v = x.view(-1); v.mul_(2); return x * 1
print(jvp(f, (m.clone(),), (m,)), jacfwd(lambda x: f(x.clone()))(m).sum(), vmap(jacfwd(lambda x: f(x * 1)))(torch.stack([m, m])).sum())
def f(x, y): x.copy_(y); return x
print(vmap(lambda xt, yt: jvp(f, (torch.ones(2), torch.ones(2)), (xt, yt)))(torch.ones(3, 2), torch.ones(3, 2)))
def f(x): x.mul_(x.sin()); return x
print(jvp(f, (torch.ones(2),), (torch.ones(2),)), vmap(lambda t: jvp(f, (torch.ones(2),), (t,)))(torch.ones(3, 2)))
# --- the layout of tangents
import torch.autograd.forward_ad as fwAD
m = torch.arange(6.).reshape(2, 3)
with fwAD.dual_level():
    d = fwAD.make_dual(m, torch.arange(6.).reshape(3, 2).t()); print(fwAD.unpack_dual(d).tangent.stride(), fwAD.unpack_dual(d.view(-1)).tangent, fwAD.unpack_dual(fwAD.make_dual(m.t(), torch.ones(3, 2))).tangent.stride())
    b = torch.zeros(2, 3); v = b[0]; b.copy_(d); print(fwAD.unpack_dual(v).tangent); v.mul_(3); print(fwAD.unpack_dual(b).tangent)
    b = torch.zeros(2, 3); v = b.t(); v.copy_(d.t()); print(fwAD.unpack_dual(b).tangent)
    t, p = torch.ones(3), torch.zeros(3); e = fwAD.make_dual(p, t); e.mul_(2); print(t, fwAD.unpack_dual(e).tangent is t)
    print(attempt(lambda: fwAD.make_dual(torch.zeros(1).expand(3), torch.ones(3))))
    print([fwAD.unpack_dual(fwAD.make_dual(q, t)).tangent is t for q in (p, torch.ones(6)[3:], torch.ones(6)[::2])])
    x = torch.ones(2, dtype=torch.cdouble).conj(); t = torch.ones(2, dtype=torch.cdouble) * 1j
    for a, b in ((x, t), (t, x)): q = fwAD.unpack_dual(fwAD.make_dual(a, b)).tangent; print(q is b, q.is_conj(), torch.equal(q, b))
