class NoneGradF(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y): return x * y
    @staticmethod
    def backward(ctx, g): return g, None
h = []
x = torch.ones(2, requires_grad=True); y = torch.ones(2, requires_grad=True)
y.register_hook(lambda g: h.append(g)); rx, ry = x * 1, y * 1
ry.register_hook(lambda g: h.append(g)); NoneGradF.apply(rx, ry).sum().backward(); (h, y.grad)
# ---
i = torch.rand(1, 3, requires_grad=True); h1 = i * 3; o = (h1 * h1).sum()
h1.retain_grad(); h1.retain_grad(); o.backward(retain_graph=True); print(torch.equal(h1 * 2, h1.grad)); o.backward(retain_graph=True); print(torch.equal(h1 * 4, h1.grad))
with torch.no_grad(): i.grad.zero_()
i.retain_grad(); i.retain_grad(); o.backward(); (i.grad / h1)
# ---
r = []
a = torch.tensor(1., requires_grad=True); b = a.clone()
b.register_hook(lambda g: r.append(('1', g.item()))); b.mul_(2)
b.register_hook(lambda g: r.append(('2', g.item()))); b.sum().backward(); r
# ---
r = []
base = torch.tensor([1., 2.], requires_grad=True).clone(); v = base[:]; v2 = base[0]
v.register_hook(lambda g: r.append(('v', g.tolist()))); base.register_hook(lambda g: r.append(('base', g.tolist())))
v2.register_hook(lambda g: r.append(('v2', g.tolist())))
base.mul_(2); v.sum().backward(retain_graph=True); print(r); v2.register_hook(lambda g: r.append('v2b')); v2.backward(); r
# ---
base = torch.tensor([1.], requires_grad=True).clone(); v = base[:]; v2 = base[:]
v.retain_grad(); v2.retain_grad(); v.mul_(2); (v * 3 + v2 * 5).sum().backward(); (v.grad, v2.grad, base.retains_grad)
# ---
t = torch.rand(10, requires_grad=True).clone(); t2, _ = (t.clone().unbind()[0], 1)
t2.register_hook(lambda g: print(g)); t2.backward()
# ---
x = torch.randn(5, 5); y = torch.randn(5, requires_grad=True); z = torch.randn(5, requires_grad=True)
x[0] = y; x[1] = 2 * z; (x.requires_grad, x.grad_fn is not None); x.sum().backward(); (y.grad, z.grad)
# ---
x = torch.zeros(2, 2); y = torch.ones(2, requires_grad=True)
x[0] = y * 2; x[1, 1] = y[0] ** 2; x[:, 0] += y
def gd(f): return 'None' if f is None else type(f).__name__ + '(' + ', '.join(gd(n) for n, _ in f.next_functions) + ')'
gd(x.grad_fn)
# ---
x = torch.ones(3, requires_grad=True); x.grad_dtype
# ---
x = torch.ones(5, 5, requires_grad=True); a = torch.broadcast_tensors(x, torch.ones(3,5,5)); a[0].sum().backward(); (x.grad[0,0], a[0].grad_fn)
# ---
def f(x):
    out = x.clone().view(-1); out.add_(1); return out
x = torch.ones(2, 2, requires_grad=True)
with torch.autograd._force_original_view_tracking(False): print(f(x).grad_fn.name(), torch.autograd.is_view_replay_enabled())
with torch.autograd._force_original_view_tracking(True): print(f(x).grad_fn.name(), torch.autograd.is_view_replay_enabled())
@torch.autograd._force_original_view_tracking(True)
def g(x): return f(x)
print(g(x).grad_fn.name(), torch.autograd.is_view_replay_enabled())
torch.autograd._force_original_view_tracking(True); print(f(x).grad_fn.name()); torch.autograd._force_original_view_tracking(False); f(x).grad_fn.name()
# ---
x = torch.ones(2, requires_grad=True).clone(); x.add_(1); x.add_(2)
with torch.autograd._unsafe_preserve_version_counter(x): x.mul_(2)
print(x._version)
torch._C._autograd._unsafe_set_version_counter((x,), (0,)); print(x._version)
y = torch.ones(2, requires_grad=True).clone()
with torch.autograd._unsafe_preserve_version_counter((x, y)): x.mul_(2); y.mul_(3)
print(x._version, y._version)
torch._C._autograd._unsafe_set_version_counter((x,), (-1,))
# ---
x = torch.ones(5, 5, requires_grad=True)
def run():
    y = x * 2; y.retain_grad(); return y / 2, torch._C._WeakTensorRef(y)
z, ref = run(); ref.expired()
# ---
r = []
a = torch.ones(2, requires_grad=True); b = a * 2
b.register_hook(lambda g: r.append(torch._C._current_autograd_node().name() if torch._C._current_autograd_node() else None))
b.sum().backward(); (r, torch._C._current_autograd_node())
# ---
a = torch.rand(3, requires_grad=True); b = a * 2
cnt = [0, 0]
def post(gi, go): print(gi[0], go[0]); return gi
def pre(go): cnt[0] += 1; return (go[0] * 2,)
b.grad_fn.register_hook(post); b.grad_fn.register_hook(post)
b.grad_fn.register_prehook(pre); b.grad_fn.register_prehook(lambda x: None); b.grad_fn.register_prehook(pre); b.grad_fn.register_prehook(lambda x: x)
b.sum().backward(); cnt
# ---
a = torch.tensor([[1., 2.], [3., 5.]], requires_grad=True)
v, m = torch.var_mean(a, dim=0)
print(m.grad_fn.name()); m.grad_fn.register_prehook(lambda g: (g[0] * 2, g[1] * 2)); (v + m).sum().backward(); a.grad
# ---
a = torch.tensor([[1., 2.], [3., 5.]], requires_grad=True)
def unpack(t):
    n = torch._C._current_autograd_node()
    def hook(o, i): print(i); return tuple(None if k is None else k / 2 for k in o)
    n.register_hook(hook); return t
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
    v, m = torch.var_mean(a, dim=0); (v + m).sum().backward()
a.grad
# ---
class DoubleMul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2, x * 3
    @staticmethod
    def backward(ctx, g1, g2): return g1 * 2 + g2 * 3
for fn in (DoubleMul.apply, lambda b: torch.var_mean(b, dim=0)):
    b = torch.tensor([[1., 2.], [3., 5.]], requires_grad=True); v, m = fn(b); v.retain_grad(); m.retain_grad(); v.mul_(2)
    (v + m).sum().backward(); print(v.grad, m.grad, b.grad, v.grad_fn.name())
# ---
class DoubleMul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2, x * 3
    @staticmethod
    def backward(ctx, g1, g2): return g1 * 2 + g2 * 3
for fn in (DoubleMul.apply, lambda b: torch.var_mean(b, dim=0)):
    b = torch.tensor([[1., 2.], [3., 5.]], requires_grad=True); o1, o2 = fn(b)
    o1.register_hook(lambda g: print(0, g)); o2.register_hook(lambda g: print(1, g)); o1.mul_(2); o1.register_hook(lambda g: print(2, g))
    (o1 + o2 * 3).sum().backward(); print(b.grad)
# ---
base = torch.tensor([1.], requires_grad=True).clone(); v = base[:]; v2 = base[:]
v.register_hook(lambda g: print('v')); v2.register_hook(lambda g: print('v2')); v.mul_(2); v2.grad_fn; v2.register_hook(lambda g: print('new', g)); (v + v2).sum().backward()
# ---
x = torch.randn(1, 2); xz = x[:]; x.data = torch.randn(2, 3); x.add_(1); print(x._version, xz._version); xz.add_(1); print(x._version, xz._version)
a = torch.tensor(1., requires_grad=True); a.data = torch.tensor(3)
# ---
x = torch.randn(1, 2); x.data = torch.sparse_coo_tensor(torch.zeros([1, 1]), torch.ones([1]))
# ---
class Deep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.x = torch.autograd.Variable(x.detach(), requires_grad=True); ctx.x = ctx.x - 1
        return ctx.x.detach()
    @staticmethod
    def backward(ctx, x):
        if ctx.x < 0: return x
        with torch.enable_grad(): Deep.apply(ctx.x).sum().backward()
        return x
v = torch.tensor(2000.0, requires_grad=True); Deep.apply(v).sum().backward(); v.grad
# ---
order = []
class My(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, x): order.append("My"); return x
class Re(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad(): ctx.x = torch.autograd.Variable(x.detach(), requires_grad=True) - 1
        return ctx.x.detach()
    @staticmethod
    def backward(ctx, x):
        order.append("Re")
        if ctx.x < 0: return x
        with torch.enable_grad(): Re.apply(ctx.x).backward()
        return x
a = My.apply(torch.tensor(6., requires_grad=True)); b = Re.apply(torch.tensor(9., requires_grad=True)); (a * b).backward(); order
# ---
from torch.utils.checkpoint import checkpoint
class MyFunc(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, z):
        w = x * y * z; out = w + w; ctx.save_for_backward(x, y, z, w, out); return out
    @staticmethod
    def backward(ctx, g):
        x, y, z, w, out = ctx.saved_tensors
        try: ctx.saved_tensors
        except RuntimeError as e: print(e)
        return x, y, z
x, y, z = (torch.tensor(float(i), requires_grad=True) for i in (1, 2, 3))
def foo(x, y, z): return MyFunc.apply(x * y * z, y * y * z, z * z)
checkpoint(foo, x, y, z, use_reentrant=False).sum().backward(); (x.grad, y.grad, z.grad)
# ---
from torch.utils.checkpoint import checkpoint
import contextlib
checkpoint(lambda x: x.sin(), torch.ones(1, requires_grad=True), use_reentrant=True, context_fn=lambda: (contextlib.nullcontext(), contextlib.nullcontext()))
# ---
from torch.utils.checkpoint import checkpoint
import contextlib
@contextlib.contextmanager
def c(n):
    print('in', n); yield; print('out', n)
o = checkpoint(lambda x: x.exp(), torch.ones(1, requires_grad=True), use_reentrant=False, context_fn=lambda: (c('f'), c('r'))); o.backward()
# ---
with torch.autograd.detect_anomaly(check_nan=True):
    x = torch.zeros(1, requires_grad=True); y = (x / x).sum(); y.backward()
# ---
def f(w): a=torch.ones(3,requires_grad=True); b=torch.zeros(3,requires_grad=True); torch.lerp(a,b,w).sum().backward(); return a.grad,b.grad,w.grad
(f(torch.full((3,), .25, requires_grad=True)), f(torch.full((), .75, requires_grad=True)))
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
F()(torch.ones(1))
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
F()
# ---
class F(torch.autograd.Function):
    def forward(self, x): return x
    def backward(self, g): return g
F.apply(torch.ones(1, requires_grad=True))
# ---
import weakref
class MyFn(torch.autograd.Function):
    clear_saved_tensors_on_access = True
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x.clone()
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors; ref = weakref.ref(x); del x; print(ref()); ctx.saved_tensors; return g
x = torch.randn(3, requires_grad=True); MyFn.apply(x.clone()).sum().backward()
# ---
p = lambda t: t
u = lambda t: t
a = torch.tensor(2., requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(p, u): b = a ** 2
c = b.exp(); d = c ** 2
s, e, q = b.grad_fn._raw_saved_self, c.grad_fn._raw_saved_result, d.grad_fn._raw_saved_self
(s.data is a, s.unpack_hook is u, e.data is c, e.unpack_hook, q.data is c, q.unpack_hook)
# ---
class MyFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x, None); return x
    @staticmethod
    def backward(ctx, g): return g
a = torch.ones(2, requires_grad=True); y = MyFn.apply(a); print(y.grad_fn.saved_tensors)
s = y.grad_fn._raw_saved_tensors; print(isinstance(s[0], torch._C._autograd.SavedTensor), type(s[1]).__name__)
for f in (lambda: s[1].register_hooks(lambda x: x, lambda x: x), lambda: s[0].register_hooks(lambda x: x), lambda: s[0].register_hooks(1, 1), lambda: s[0].register_hooks(lambda x: x, lambda x: x), lambda: s[0].register_hooks(lambda x: x, lambda x: x)):
    try: f()
    except Exception as e: print(type(e).__name__, str(e)[:70])
y.sum().backward()
for f in (lambda: y.grad_fn._raw_saved_tensors, lambda: y.grad_fn.saved_tensors):
    try: f()
    except Exception as e: print(type(e).__name__, e)
# ---
Node = torch.autograd.graph.Node
b = torch.rand(3, requires_grad=True).exp()
print(isinstance(b.grad_fn, Node), issubclass(type(b.grad_fn), Node), Node in type(b.grad_fn).mro(), isinstance(torch._C._functions.AccumulateGrad, Node), issubclass(torch._C._functions.AccumulateGrad, Node), issubclass(torch._C._functions.DelayedError, Node), isinstance(Node, Node), issubclass(Node, Node), issubclass(torch.autograd.function.BackwardCFunction, Node))
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): print(isinstance(ctx, Node)); return x
    @staticmethod
    def backward(ctx, x): print(isinstance(ctx, Node)); return x
o = F.apply(b); (isinstance(o.grad_fn, Node), Node in type(o.grad_fn).mro()); o.sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.set_materialize_grads(False); return x
    @staticmethod
    def backward(ctx, g): print(g); return g
x = torch.ones(1, requires_grad=True); torch._C._functions.UndefinedGrad()(F.apply(x)).backward(); x.grad
# ---
x = torch.ones(1, requires_grad=True)
y = torch._C._functions.DelayedError("boo", 1)(x); print(y.grad_fn, y.requires_grad); y.backward()
# ---
nn = torch.nn
o = []
a = torch.ones(2, 2, requires_grad=True)
i = torch.tensor([0, 1]); b = a[i]; o += [b.grad_fn._saved_indices, b.grad_fn._saved_self_sym_sizes, b.grad_fn._raw_saved_indices[0] is not None]
y = a.sum(dim=0); o += [y.grad_fn._saved_dim, y.grad_fn._saved_keepdim]
y = nn.functional.interpolate(torch.ones(1, 1, 2, 2, requires_grad=True), 4, mode='bilinear'); o += [y.grad_fn._saved_output_size, y.grad_fn._saved_align_corners, y.grad_fn._saved_scale_factors]
y = nn.Upsample(scale_factor=2)(torch.ones(1, 1, 2, 2, requires_grad=True)); o += [y.grad_fn._saved_scale_factors, y.grad_fn._saved_output_size]
y = torch.sgn(torch.ones(1, dtype=torch.complex64, requires_grad=True)); 
y = nn.MaxPool2d(2)(torch.ones(1, 1, 2, 2, requires_grad=True)); o += [y.grad_fn._saved_kernel_size, y.grad_fn._saved_ceil_mode]
o
# ---
a = torch.randn(3, 5, requires_grad=True); b = torch.tensor([1, 0, 4])
y = torch.nn.NLLLoss()(a, b); print(y.grad_fn._saved_weight); y = torch.nn.NLLLoss(weight=torch.ones(5))(a, b); print(y.grad_fn._saved_weight); y.sum().backward(); y.grad_fn._saved_weight
# ---
def t(gm, rg):
    for mk in (lambda i: i.view_as(i), lambda i: i.unbind()[0], lambda i: i.unbind()[1]):
        inp = torch.ones(2, requires_grad=rg).clone()
        with torch.set_grad_enabled(gm): out = mk(inp)
        try: out.add_(1); print(out._is_view(), 'ok')
        except RuntimeError as e: print(out._is_view(), e)
for gm in (True, False):
    for rg in (True, False): t(gm, rg)
# ---
class MyFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i): return i.view_as(i)
    @staticmethod
    def backward(ctx, g): return g
a = torch.ones(1, 2); b = torch.ones(1, requires_grad=True)
for f in (lambda v: v.add_(b), lambda v: v.copy_(b)):
    try: f(MyFn.apply(a)); print('ok')
    except RuntimeError as e: print(e)
try: a.unbind()[0].copy_(b)
except RuntimeError as e: print(e)
a.select(1, 0).copy_(b); a.grad_fn
# ---
class One(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, mv, pv): ctx._is_pure_view = pv; return a.narrow(0, 0, 2) if mv else a.clone()
    @staticmethod
    def backward(ctx, g): print('bw'); return g, None, None
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, mv, pv):
        ctx._is_pure_view = pv; a = a.narrow(0, 0, 2) if mv else a.clone(); return a, a + b
    @staticmethod
    def backward(ctx, ga, gab): print('bw', ga); return ga + gab, gab, None, None
class VT(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, mv, pv):
        ctx._is_pure_view = pv; ctx.save_for_backward(a); a = a.narrow(0, 0, 2) if mv else a.clone(); b = a.clone(); return b.select(0, 0)
    @staticmethod
    def backward(ctx, g):
        print('bw'); (a,) = ctx.saved_tensors; r = torch.zeros_like(a); r.select(0, 0).copy_(g); return r, None, None
for i in ('one', 'two', 'vt'):
    for inplace in (True, False):
        for mv in (True, False):
            for pv in (True, False):
                a = torch.ones(2, dtype=torch.double, requires_grad=True); b = torch.ones(2, dtype=torch.double, requires_grad=True)
                try:
                    x, y = a.clone(), b.clone()
                    if i == 'two':
                        p, q = Two.apply(x, y, mv, pv)
                        if inplace: p += 3; q += 3
                        else: p, q = p + 3, q + 3
                        t = p * q
                    else:
                        t = One.apply(x, mv, pv) if i == 'one' else VT.apply(x + y, mv, pv)
                        if inplace: t += 3
                        else: t = t + 3
                    t.sum().backward(); print(i, inplace, mv, pv, a.grad, b.grad)
                except RuntimeError as e: print(i, inplace, mv, pv, e)
# ---
class Func(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.view_as(x)
    @staticmethod
    def backward(ctx, x): return x
for fi, fn in enumerate([lambda v: v.as_strided_((1, 0), (2, 2)), lambda v: v.transpose_(0, 0), lambda v: v.t_(), lambda v: v.squeeze_(0), lambda v: v.unsqueeze_(0), lambda v: v.swapdims_(0, 0), lambda v: v.swapaxes_(0, 0)]):
    for ty in 'nmc':
        for g1 in (True, False):
            for g2 in (True, False):
                for rg in (True, False):
                    base = torch.rand(2, 3, requires_grad=rg).clone()
                    with torch.set_grad_enabled(g1): inp = base.unbind()[0] if ty == 'm' else Func.apply(base) if ty == 'c' else base.view_as(base)
                    try:
                        with torch.set_grad_enabled(g2): fn(inp)
                        step = 2; inp.add_(1); print(fi, ty, g1, g2, rg, 'ok', inp.grad_fn and inp.grad_fn.name())
                    except RuntimeError as e: print(fi, ty, g1, g2, rg, str(e)[:150])
# ---
a = torch.ones(1, requires_grad=True)
with torch.no_grad(): b = a[:]; b *= 2
print(b)
class Func(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, x): return x
Func.apply(a)
# ---
x = torch.zeros(2)
with torch.no_grad(): y = x.view(2)
y.requires_grad_(True); z = y.view(2); z /= 2
# ---
x = torch.zeros(2)
with torch.inference_mode(): y = x.view(2)
y.requires_grad_(True); z = y.view(2); z /= 2
# ---
a0 = torch.ones(3, 3, requires_grad=True, dtype=torch.complex64); a = a0.clone(); b = torch.view_as_real(a); b = b.transpose(0, 1); b += 1
b.backward(torch.arange(0, 18, dtype=torch.float).view(3, 3, 2)); print(a0.grad)
a0 = torch.ones(3, 3, requires_grad=True, dtype=torch.complex64); a = a0.clone(); b = torch.view_as_real(a); b.transpose_(0, 1); b += 1
b.backward(torch.arange(0, 18, dtype=torch.float).view(3, 3, 2)); a0.grad
# ---
gc = torch.autograd.gradcheck
def tr(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:300])
x = torch.ones(1, dtype=torch.double, requires_grad=True)
def hk(h):
    def fn(x):
        y = x.clone(); y.register_hook(h); return y
    return fn
def undef(g):
    if g is None: raise RuntimeError("x is undefined")
for fast in (True, False):
    tr(lambda: gc(lambda x: torch.tensor([x]), x, fast_mode=fast)); tr(lambda: gc(lambda x: (), (x,), fast_mode=fast))
    tr(lambda: gc(hk(lambda g: g + 1e-2), (x,), atol=1e-1, fast_mode=fast))
    tr(lambda: gc(hk(undef), (x,), fast_mode=fast))
    tr(lambda: gc(hk(lambda g: g + 1e-2), torch.ones(2, 2, dtype=torch.double, requires_grad=True), fast_mode=fast))
    tr(lambda: gc(lambda x: torch.cat([x, x]) if torch.all(x >= 1) else x, (x,), fast_mode=fast))
    tr(lambda: gc(lambda x: x.to(torch.float32) if torch.all(x >= 1) else x, (x,), fast_mode=fast))
    tr(lambda: gc(lambda x: (x, x.real), torch.ones(2, dtype=torch.complex128, requires_grad=True), fast_mode=fast))
