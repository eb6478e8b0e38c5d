class Cube(torch.autograd.Function):
    generate_vmap_rule = False
    @staticmethod
    def forward(x, k): return x ** 3 * k
    @staticmethod
    def setup_context(ctx, inputs, output): x, k = inputs; ctx.save_for_backward(x); ctx.save_for_forward(x); ctx.k = k
    @staticmethod
    def backward(ctx, g): x, = ctx.saved_tensors; return 3 * x ** 2 * g * ctx.k, None
    @staticmethod
    def jvp(ctx, t, _): x, = ctx.saved_tensors; return 3 * x ** 2 * t * ctx.k
from torch.func import *
x = torch.tensor(2.); v = torch.tensor([1., 2., 3.]); f = lambda t: Cube.apply(t, 2)
grad(f)(x), grad(grad(f))(x), grad(grad(grad(f)))(x), grad_and_value(f)(x), jacrev(f)(v) if False else None
# ---
class Cube(torch.autograd.Function):
    generate_vmap_rule = False
    @staticmethod
    def forward(x, k): return x ** 3 * k
    @staticmethod
    def setup_context(ctx, inputs, output): x, k = inputs; ctx.save_for_backward(x); ctx.save_for_forward(x); ctx.k = k
    @staticmethod
    def backward(ctx, g): x, = ctx.saved_tensors; return 3 * x ** 2 * g * ctx.k, None
    @staticmethod
    def jvp(ctx, t, _): x, = ctx.saved_tensors; return 3 * x ** 2 * t * ctx.k
from torch.func import *
x = torch.tensor(2.); v = torch.tensor([1., 2., 3.]); f = lambda t: Cube.apply(t, 2)
o, fn = vjp(f, v); print(o, fn(torch.ones(3))); jvp(f, (v,), (torch.ones(3),)), jvp(lambda y: jvp(f, (y,), (torch.ones(3),))[1], (v,), (torch.ones(3),))
# ---
class Cube(torch.autograd.Function):
    generate_vmap_rule = False
    @staticmethod
    def forward(x, k): return x ** 3 * k
    @staticmethod
    def setup_context(ctx, inputs, output): x, k = inputs; ctx.save_for_backward(x); ctx.save_for_forward(x); ctx.k = k
    @staticmethod
    def backward(ctx, g): x, = ctx.saved_tensors; return 3 * x ** 2 * g * ctx.k, None
    @staticmethod
    def jvp(ctx, t, _): x, = ctx.saved_tensors; return 3 * x ** 2 * t * ctx.k
from torch.func import *
x = torch.tensor(2.); v = torch.tensor([1., 2., 3.]); f = lambda t: Cube.apply(t, 2)
vmap(f)(v)
# ---
class Cube(torch.autograd.Function):
    generate_vmap_rule = False
    @staticmethod
    def forward(x, k): return x ** 3 * k
    @staticmethod
    def setup_context(ctx, inputs, output): x, k = inputs; ctx.save_for_backward(x); ctx.save_for_forward(x); ctx.k = k
    @staticmethod
    def backward(ctx, g): x, = ctx.saved_tensors; return 3 * x ** 2 * g * ctx.k, None
    @staticmethod
    def jvp(ctx, t, _): x, = ctx.saved_tensors; return 3 * x ** 2 * t * ctx.k
from torch.func import *
x = torch.tensor(2.); v = torch.tensor([1., 2., 3.]); f = lambda t: Cube.apply(t, 2)
jacfwd(f)(v)
# ---
class Cube(torch.autograd.Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(x, k): return x ** 3 * k
    @staticmethod
    def setup_context(ctx, inputs, output): x, k = inputs; ctx.save_for_backward(x); ctx.save_for_forward(x); ctx.k = k
    @staticmethod
    def backward(ctx, g): x, = ctx.saved_tensors; return 3 * x ** 2 * g * ctx.k, None
    @staticmethod
    def jvp(ctx, t, _): x, = ctx.saved_tensors; return 3 * x ** 2 * t * ctx.k
from torch.func import *
x = torch.tensor(2.); v = torch.tensor([1., 2., 3.]); f = lambda t: Cube.apply(t, 2)
print(vmap(f)(v), vmap(grad(f))(v), vmap(vmap(f))(v.view(1, 3)), grad(lambda y: vmap(f)(y).sum())(v)); jacrev(f)(v), jacfwd(f)(v), hessian(f)(v)
# ---
class Cube(torch.autograd.Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(x, k): return x ** 3 * k
    @staticmethod
    def setup_context(ctx, inputs, output): x, k = inputs; ctx.save_for_backward(x); ctx.save_for_forward(x); ctx.k = k
    @staticmethod
    def backward(ctx, g): x, = ctx.saved_tensors; return 3 * x ** 2 * g * ctx.k, None
    @staticmethod
    def jvp(ctx, t, _): x, = ctx.saved_tensors; return 3 * x ** 2 * t * ctx.k
from torch.func import *
x = torch.tensor(2.); v = torch.tensor([1., 2., 3.]); f = lambda t: Cube.apply(t, 2)
r = v.clone().requires_grad_(); y = vmap(f)(r); print(y, y.grad_fn.name()); torch.autograd.grad(y.sum(), r), vmap(lambda a: Cube.apply(v, 2) + a)(v)
# ---
class Cube(torch.autograd.Function):
    generate_vmap_rule = False
    @staticmethod
    def forward(x, k): return x ** 3 * k
    @staticmethod
    def setup_context(ctx, inputs, output): x, k = inputs; ctx.save_for_backward(x); ctx.save_for_forward(x); ctx.k = k
    @staticmethod
    def backward(ctx, g): x, = ctx.saved_tensors; return 3 * x ** 2 * g * ctx.k, None
    @staticmethod
    def jvp(ctx, t, _): x, = ctx.saved_tensors; return 3 * x ** 2 * t * ctx.k
from torch.func import *
x = torch.tensor(2.); v = torch.tensor([1., 2., 3.]); f = lambda t: Cube.apply(t, 2)
r = x.clone().requires_grad_(); o = grad(f)(r); o, torch.autograd.grad(o, r)
# ---
class Old(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * 2
torch.func.grad(Old.apply)(torch.tensor(2.))
# ---
class VM(torch.autograd.Function):
    @staticmethod
    def forward(x, y): return x * y
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g): print(ctx.needs_input_grad); x, y = ctx.saved_tensors; return g * y, g * x
    @staticmethod
    def vmap(info, in_dims, x, y): print(info, in_dims, x.shape, y.shape); x = x if in_dims[0] is None else x.movedim(in_dims[0], 0); y = y if in_dims[1] is None else y.movedim(in_dims[1], 0); return VM.apply(x, y), 0
from torch.func import *
v = torch.tensor([1., 2., 3.]); x = torch.tensor(2.)
print(vmap(VM.apply)(v, v), vmap(VM.apply, in_dims=(0, None))(v, x)); vmap(grad(VM.apply, argnums=(0, 1)))(v, v)
# ---
class VM(torch.autograd.Function):
    @staticmethod
    def forward(x, y): return x * y
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g): print(ctx.needs_input_grad); x, y = ctx.saved_tensors; return g * y, g * x
    @staticmethod
    def vmap(info, in_dims, x, y): print(info, in_dims, x.shape, y.shape); x = x if in_dims[0] is None else x.movedim(in_dims[0], 0); y = y if in_dims[1] is None else y.movedim(in_dims[1], 0); return VM.apply(x, y), 0
from torch.func import *
v = torch.tensor([1., 2., 3.]); x = torch.tensor(2.)
vmap(VM.apply, in_dims=(1, 0))(torch.arange(6.).view(2, 3), v.view(3, 1))
# ---
class VM(torch.autograd.Function):
    @staticmethod
    def forward(x, y): return x * y
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g): print(ctx.needs_input_grad); x, y = ctx.saved_tensors; return g * y, g * x
    @staticmethod
    def vmap(info, in_dims, x, y): print(info, in_dims, x.shape, y.shape); return x * y
from torch.func import *
v = torch.tensor([1., 2., 3.]); x = torch.tensor(2.)
vmap(VM.apply)(v, v)
# ---
class VM(torch.autograd.Function):
    @staticmethod
    def forward(x, y): return x * y
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g): print(ctx.needs_input_grad); x, y = ctx.saved_tensors; return g * y, g * x
    @staticmethod
    def vmap(info, in_dims, x, y): print(info, in_dims, x.shape, y.shape); return x * y, 0, 0
from torch.func import *
v = torch.tensor([1., 2., 3.]); x = torch.tensor(2.)
vmap(VM.apply)(v, v)
# ---
class VM(torch.autograd.Function):
    @staticmethod
    def forward(x, y): return x * y
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g): print(ctx.needs_input_grad); x, y = ctx.saved_tensors; return g * y, g * x
    @staticmethod
    def vmap(info, in_dims, x, y): print(info, in_dims, x.shape, y.shape); return x * y, (0, 0)
from torch.func import *
v = torch.tensor([1., 2., 3.]); x = torch.tensor(2.)
vmap(VM.apply)(v, v)
# ---
class VM(torch.autograd.Function):
    @staticmethod
    def forward(x, y): return x * y
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g): print(ctx.needs_input_grad); x, y = ctx.saved_tensors; return g * y, g * x
    @staticmethod
    def vmap(info, in_dims, x, y): print(info, in_dims, x.shape, y.shape); return x, None
from torch.func import *
v = torch.tensor([1., 2., 3.]); x = torch.tensor(2.)
vmap(VM.apply)(v, v)
# ---
class Both(torch.autograd.Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(x): return x * 2
    @staticmethod
    def setup_context(ctx, inputs, output): pass
    @staticmethod
    def vmap(info, in_dims, x): return x, 0
torch.func.vmap(Both.apply)(torch.ones(3))
# ---
class Two(torch.autograd.Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(x): return x.sin(), x.cos()
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(*output)
    @staticmethod
    def backward(ctx, g, h): s, c = ctx.saved_tensors; return g * c - h * s
from torch.func import *
x = torch.tensor(2.); v = torch.tensor([1., 2., 3.])
print(vmap(Two.apply)(v), grad(lambda x: Two.apply(x)[1])(x)); vmap(grad(lambda x: sum(Two.apply(x))))(v), grad(lambda x: grad(lambda x: Two.apply(x)[0])(x))(x)
# ---
class Weighted(torch.autograd.Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(x, w): return (x * w).sum(-1)
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g): x, w = ctx.saved_tensors; return g * w, g * x
from torch.func import *
X = torch.arange(6.).view(3, 2); w = torch.tensor([1., 10.])
print(vmap(Weighted.apply, in_dims=(0, None))(X, w), vmap(grad(Weighted.apply, argnums=(0, 1)), in_dims=(0, None))(X, w))
r = w.clone().requires_grad_(); y = vmap(Weighted.apply, in_dims=(0, None))(X, r); torch.autograd.grad(y.sum(), r), grad(lambda w: vmap(Weighted.apply, in_dims=(0, None))(X, w).sum())(w)
# ---
class STE(torch.autograd.Function):
    @staticmethod
    def forward(x): return (x > 0).float()
    @staticmethod
    def setup_context(ctx, inputs, output): pass
    @staticmethod
    def backward(ctx, g): return g * 3
from torch.func import *
v = torch.tensor([1., -2., 3.]); r = v.clone().requires_grad_(); g = grad(lambda t: (STE.apply(t) * t * r).sum())(v); g, torch.autograd.grad(g.sum(), r), grad(lambda t: grad(lambda s: (STE.apply(s) * s).sum())(t).sum())(v)
# ---
import torch.autograd.forward_ad as fwAD
class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, k=2): print('forward', fwAD.unpack_dual(a).tangent); ctx.save_for_forward(a); ctx.k = k; return a * a * k
    @staticmethod
    def jvp(ctx, t, tk=None): a, = ctx.saved_tensors; print('jvp', t, tk, torch.is_grad_enabled()); return 2 * a * t * ctx.k
    @staticmethod
    def backward(ctx, g): return g
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): y = Sq.apply(fwAD.make_dual(x, v), 3); print(fwAD.unpack_dual(y)); p = x.clone().requires_grad_(); u = fwAD.unpack_dual(Sq.apply(fwAD.make_dual(p, v), 3)); print(u, torch.autograd.grad(u.tangent.sum(), p))
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a * 1, b.clone()
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return ta, tb
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): ctx.set_materialize_grads(False); return a * 1
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return ta
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a * 1, b.clone()
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return ta
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a * 1
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return (ta, ta)
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a * 1
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return 3
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a * 1
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return ta.sum()
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a * 1, a.long()
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return ta, None
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a * 1, a.long()
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return ta, ta
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return ta
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return ta.view_as(ta)
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a[:1]
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return ta[:1]
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a[:1]
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return ta[:1].clone()
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): a.add_(1); ctx.mark_dirty(a); return a
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return ta
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): a.add_(1); ctx.mark_dirty(a); return a
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return ta.mul_(2)
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): a.add_(1); ctx.mark_dirty(a); return a
    @staticmethod
    def jvp(ctx, ta, tb): print('t', ta, tb); return ta * 2
x = torch.tensor([1., 2.]); v = torch.tensor([10., 20.])
with fwAD.dual_level(): d = fwAD.make_dual(x.clone(), v.clone()); out = F.apply(d, x); print([fwAD.unpack_dual(o) for o in (out if isinstance(out, tuple) else (out,))])
# ---
import torch.autograd.forward_ad as fwAD
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a * 2
with fwAD.dual_level(): F.apply(fwAD.make_dual(torch.ones(1), torch.ones(1)))
