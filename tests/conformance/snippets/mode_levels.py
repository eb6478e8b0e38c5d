# Casts of weights are kept by autocast, whatever the grad mode was when they were made.
W = nn.Parameter(torch.ones(2, 2)); x = torch.ones(1, 2)
with torch.autocast("cpu", torch.bfloat16):
    with torch.no_grad(): z = x @ W
    y, y2 = x @ W, x @ W
    print(y, z.requires_grad, y.grad_fn.next_functions[1][0] is y2.grad_fn.next_functions[1][0])
(y.sum() + y2.sum()).backward()
print(W.grad)
# ---
lin = nn.Linear(2, 1); opt = torch.optim.SGD(lin.parameters(), lr=0.1); x = torch.ones(4, 2)
for step in range(2):
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        with torch.no_grad(): teacher = lin(x)
        loss = ((lin(x) - teacher.float() - 1) ** 2).mean()
    loss.backward()
    opt.step()
    print(lin.weight.grad, lin.bias.grad)
# ---
W = nn.Parameter(torch.ones(2, 2)); x = torch.ones(1, 2)
with torch.autocast("cpu", torch.bfloat16):
    with torch.inference_mode():
        y = x @ W
        with torch.inference_mode(False): W.data.mul_(3)
        print(y.tolist(), (x @ W).tolist())
    z = x @ W
    with torch.no_grad(): W.mul_(3); print((x @ W).tolist())
    with torch.inference_mode(): print((x @ W).tolist(), (x @ W).is_inference())
z.sum().backward(); print(z, W.grad)
# ---
from torch.utils.checkpoint import checkpoint
W = nn.Parameter(torch.ones(2, 2))
for reentrant in (True, False):
    for inside in (True, False):
        W.grad = None; x = torch.ones(1, 2, requires_grad=True)
        with torch.autocast("cpu", torch.bfloat16):
            y = checkpoint(lambda t: t @ W, x, use_reentrant=reentrant)
            z = checkpoint(lambda t: t @ W, x, use_reentrant=reentrant)
            if inside: (y.sum() + z.sum()).backward()
        if not inside: (y.sum() + z.sum()).backward()
        print(W.grad, x.grad)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w); r = x @ w; print(r.requires_grad, r.dtype); return r
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors; return g.float() @ w.t(), x.t() @ g.float()
W = nn.Parameter(torch.ones(2, 2)); x = torch.ones(1, 2)
with torch.autocast("cpu", torch.bfloat16):
    y = F.apply(x, W); z = x @ W
    (y.sum() + z.sum()).backward()
print(W.grad)
# ---
from torch.func import *
W = nn.Parameter(torch.ones(2, 2)); x = torch.ones(1, 2)
with torch.autocast("cpu", torch.bfloat16):
    with torch.no_grad(): print(grad(lambda x: (x @ W).sum())(x))
    o = (x @ W).sum(); o.backward(); print(W.grad)
    r = vmap(lambda x: (x @ W).sum() + (x @ W).sum())(torch.ones(3, 2)); r.sum().backward(); print(r, W.grad)
    def f(w):
        with torch.no_grad(): a = x @ w
        b = x @ w
        return (b * a).sum()
    print(grad(f)(W))
# --- no_grad inside of a function holds for all levels that it is differentiated at
from torch.func import *
x = torch.tensor(2., requires_grad=True)
def f(w):
    with torch.no_grad(): a = w ** 2
    b = w ** 3
    return a * b
print(grad(f)(x), grad(grad(f))(x), grad(grad(grad(f)))(x))
with torch.no_grad():
    print(grad(f)(x), grad(grad(f))(x), x * 2, grad(lambda w: w * x)(x))
    def g(x):
        with torch.enable_grad(): return f(x)
    print(grad(g)(x))
print(hessian(f)(x), jacfwd(grad(f))(x), jacrev(grad(f))(x), jvp(f, (x,), (torch.tensor(1.),))[1])
# ---
from torch.func import *
x = torch.tensor(2., requires_grad=True)
def h(w):
    with torch.no_grad(): return grad(lambda v: v ** 3)(w)
print(grad(h)(x))
def h(w):
    with torch.no_grad(): y = grad(lambda v: v ** 3)(w)
    return y * w
print(grad(h)(x))
def h(w):
    with torch.no_grad(): y = vjp(lambda v: v ** 3, w)[1](torch.tensor(1.))[0]
    return y * w
print(grad(h)(x))
def f(x):
    torch.set_grad_enabled(False); y = x * 2; torch.set_grad_enabled(True); return x * y
print(grad(f)(x), grad(grad(f))(x), torch.is_grad_enabled())
# ---
from torch.func import *
x = torch.tensor(2., requires_grad=True)
with torch.inference_mode():
    print(hessian(torch.sin)(x), jacfwd(torch.sin)(x), jvp(torch.sin, (x,), (torch.tensor(1.),)), grad(torch.sin)(x))
    print(grad(lambda x: (print(torch.is_inference_mode_enabled(), torch.is_grad_enabled()), x ** 3)[1])(x).is_inference())
    o, p = vjp(torch.sin, x); print(o, p(torch.tensor(1.)), o.is_inference(), torch.is_inference_mode_enabled())
# ---
import torch.autograd.forward_ad as fwAD
from torch.func import *
x = torch.tensor(2., requires_grad=True); one = torch.tensor(1.)
with fwAD._set_fwd_grad_enabled(False):
    print(jvp(torch.sin, (x,), (one,)), hessian(torch.sin)(x), jacfwd(torch.sin)(x))
    print(jvp(lambda y: jvp(torch.sin, (y,), (one,))[1], (x,), (one,))[1].item())
    print(torch.autograd.functional.jvp(torch.sin, x, one))
def f(y):
    with fwAD._set_fwd_grad_enabled(False): z = y.sin()
    return z * y
print(jvp(f, (x.detach(),), (one,)), jvp(lambda y: jvp(f, (y,), (one,))[1], (x.detach(),), (one,)), hessian(f)(x.detach()))
# ---
import torch.autograd.forward_ad as fwAD
from torch.func import *
x = torch.tensor(2., requires_grad=True); one = torch.tensor(1.)
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x); return jvp(torch.sin, (x,), (torch.ones_like(x),))[1]
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors; return g * jvp(torch.cos, (x,), (torch.ones_like(x),))[1]
y = A.apply(x); print(y, torch.autograd.grad(y, x))
class B(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return vmap(jacfwd(torch.sin))(x.expand(3)), vmap(hessian(torch.sin))(x.expand(3))
    @staticmethod
    def backward(ctx, *g): return None
print(B.apply(x))
class C(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with fwAD.dual_level(): return fwAD.unpack_dual(fwAD.make_dual(x, torch.ones_like(x)).sin()).tangent
    @staticmethod
    def backward(ctx, g): return g
print(C.apply(x))
# ---
import torch.autograd.forward_ad as fwAD
from torch.func import *
class S(torch.autograd.Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(x): return torch.sin(x)
    @staticmethod
    def setup_context(ctx, i, o): ctx.save_for_backward(*i); ctx.save_for_forward(*i)
    @staticmethod
    def backward(ctx, g): return g * ctx.saved_tensors[0].cos()
    @staticmethod
    def jvp(ctx, t): return t * ctx.saved_tensors[0].cos()
x = torch.tensor(2.); one = torch.tensor(1.)
def f(w):
    with torch.no_grad(): a = S.apply(w)
    return a * w
print(grad(f)(x), grad(grad(f))(x), hessian(f)(x), grad(lambda x: jvp(f, (x,), (one,))[1])(x))
def f(w):
    with fwAD._set_fwd_grad_enabled(False): a = S.apply(w)
    return a * w
print(jvp(f, (x,), (one,)), jvp(grad(f), (x,), (one,)), jvp(lambda x: jvp(f, (x,), (one,))[1], (x,), (one,)), hessian(f)(x))
with torch.no_grad(): print(grad_and_value(S.apply)(x.clone().requires_grad_()), hessian(S.apply)(x))
with torch.inference_mode(): print(grad(S.apply)(x), grad(grad(S.apply))(x), vmap(grad(S.apply))(torch.ones(2)), jacrev(S.apply)(x))
names = []
def f(x): y = S.apply(x); names.append((type(y.grad_fn).__name__, y.grad_fn.name())); return y.sum()
grad(f)(torch.ones(2)); grad(grad(f))(torch.tensor(1.)); vmap(grad(f))(torch.ones(2)); f(torch.ones(2, requires_grad=True)); grad(lambda x: vmap(f)(x).sum())(torch.ones(2)); print(names)
# --- hooks of saved tensors, and retain_grad, inside transforms
from torch.func import *
H = lambda: torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x)
x = torch.full((3,), .5)
def inside(x):
    with H(): return x.sin().sum()
for t in (grad, jacrev, jacfwd, hessian): print(attempt(lambda: t(inside)(x)))
print(attempt(lambda: vmap(inside)(x.expand(2, 3))), attempt(lambda: jvp(inside, (x,), (x,))), attempt(lambda: vjp(inside, x)))
def around(f):
    with H(): return f()
print(attempt(lambda: around(lambda: hessian(torch.sin)(x))), attempt(lambda: around(lambda: jacfwd(torch.sin)(x))))
def ret(x): y = x.sin(); y.retain_grad(); return y.sum()
for t in (grad, vmap, jacfwd): print(attempt(lambda: t(ret)(x[None].expand(2, 3) if t is vmap else x)))
y = torch.ones(3, requires_grad=True) * 2
def f(x): y.retain_grad(); return x.sum()
print(attempt(lambda: grad(f)(x)), attempt(lambda: vmap(f)(x)))
from torch.utils.checkpoint import checkpoint
print(attempt(lambda: grad(lambda x: checkpoint(torch.sin, x, use_reentrant=False).sum())(x)))
c = H(); c.__enter__(); c.__exit__(); print(y.grad_fn._saved_self is not None)
# ---
from torch.func import *
def f(x): y = nn.Parameter(torch.ones(3)); return (x * y).sum()
print(grad(f)(torch.ones(3)), vmap(f)(torch.ones(2, 3)))
