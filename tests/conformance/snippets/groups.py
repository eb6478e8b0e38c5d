xs = [torch.zeros_like(torch.ones(2, requires_grad=True)), torch.rand_like(torch.ones(2), requires_grad=True), torch.ones(2, requires_grad=True).new_zeros(2), torch.ones(2, requires_grad=True).new_tensor([1.], requires_grad=True), torch.as_tensor(torch.ones(2, requires_grad=True)), torch.full((2,), 3., requires_grad=True), torch.empty_like(torch.ones(2, requires_grad=True), requires_grad=True).fill_ is not None]
[(t.requires_grad, t.is_leaf) if isinstance(t, torch.Tensor) else t for t in xs]
# ---
torch.zeros(2, dtype=torch.complex64, requires_grad=True).requires_grad, torch.zeros(2, dtype=torch.float16, requires_grad=True).requires_grad
# ---
torch.tensor([True], requires_grad=True)
# ---
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor(x); (y.requires_grad, y.is_leaf)
# ---
x = torch.tensor(1., requires_grad=True); torch.tensor([x, x * 2])
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.requires_grad = True; (y.requires_grad, y.is_leaf)
# ---
x = torch.ones(2); x.requires_grad = 1
# ---
x = torch.ones(2); x.requires_grad_(1).requires_grad
# ---
p = torch.nn.Parameter(torch.ones(2)); q = torch.nn.Parameter(torch.ones(2), requires_grad=False)
(p, q, p.is_leaf, (p * 1).is_leaf, type(p.data), type(p.detach()), type(p + 0), isinstance(p, torch.Tensor), torch.nn.Parameter(torch.ones(1, dtype=torch.int64), False))
# ---
torch.nn.Parameter(torch.ones(1, dtype=torch.int64))
# ---
x = torch.ones(2, requires_grad=True); p = torch.nn.Parameter(x * 2); (p.is_leaf, p.requires_grad, p.grad_fn)
# ---
x = torch.ones(2, requires_grad=True); d = x.detach(); (d.requires_grad, d.is_leaf, d.data_ptr() == x.data_ptr(), d._is_view(), d._base)
# ---
x = torch.ones(4, requires_grad=True); a, b = x.chunk(2); (x.output_nr, a.output_nr, b.output_nr)
# ---
x = torch.ones(3, requires_grad=True); [(t.requires_grad, t.is_leaf) for t in (x.argmax(), x > 0, x.int(), x.sign(), x.floor(), x.round(), x.bool(), torch.isnan(x), x.detach(), x.data, torch.ones_like(x), x.size and x.sort()[1], x.nonzero())]
# ---
torch.autograd.Variable(torch.ones(2), requires_grad=True, volatile=True)
# ---
x = torch.ones(2, requires_grad=True); g = torch.ones(2); x.grad = g; x.grad is g
# ---
x = torch.ones(2, requires_grad=True); x.data = 3
# ---
x = torch.ones(2, requires_grad=True); x.data = torch.zeros(3); (x, x.shape, x._version)
# ---
x = torch.ones(2, requires_grad=True); x.grad = torch.ones(2, dtype=torch.float64)
# ---
x = torch.ones(2, requires_grad=True); x.grad = torch.ones(2, device='meta')
# ---
x = torch.ones(2, requires_grad=True); x.grad = torch.ones(3)
# ---
torch.set_default_dtype(torch.int32)
# ---
x = torch.ones(2) * 2; (x.is_leaf, x.grad_fn, x.requires_grad)
# ---
import copy
x = torch.ones(2, requires_grad=True); x.grad = torch.ones(2); c = copy.copy(x); d = copy.deepcopy(x); (c.requires_grad, c.is_leaf, c.grad, d.grad, d.grad is x.grad, c.data_ptr() == x.data_ptr())
# ---
x = torch.ones(3, requires_grad=True); (x * 2).backward([1., 1., 1.])
# ---
x = torch.ones(3, requires_grad=True); (x * 2).backward((torch.ones(3),)); x.grad
# ---
x = torch.ones(3, requires_grad=True); torch.autograd.backward(x * 2, torch.ones(3)); x.grad
# ---
x = torch.ones(3, requires_grad=True); (x * 2).backward("a")
# ---
import numpy as np
x = torch.ones(3, requires_grad=True); (x * 2).backward(np.ones(3))
# ---
x = torch.ones(1, requires_grad=True); (x * 2).backward(torch.tensor(1.))
# ---
x = torch.ones(1, requires_grad=True, dtype=torch.complex64); (x * 2).sum().backward()
# ---
x = torch.ones(1, requires_grad=True); (x * 2).backward(torch.ones(1, dtype=torch.float64)); x.grad.dtype
# ---
x = torch.ones(2, 3, requires_grad=True); (x * 2).backward(torch.arange(6.).view(3, 2).t()); print(x.grad, x.grad.stride()); y = torch.ones(2, 3, requires_grad=True); y.backward(torch.ones(1).expand(2, 3)); y.grad.stride()
# ---
x = torch.ones(2, requires_grad=True); torch.autograd.backward([x * 2], grad_variables=[torch.ones(2)]); x.grad
# ---
x = torch.ones((), requires_grad=True); y = x * 2; torch.autograd.backward([y, y]); x.grad
# ---
x = torch.ones((), requires_grad=True); y = x * 2; z = y * 3; torch.autograd.backward([y, z]); x.grad
# ---
from torch.autograd.graph import get_gradient_edge as ge
x = torch.ones(2, requires_grad=True); y = (x * 2); torch.autograd.backward(ge(y), torch.ones(2)); print(x.grad); torch.autograd.backward(ge(x * 2))
# ---
x = torch.ones(2, requires_grad=True); (x * 2).backward(torch.tensor([float('nan'), 0.])); x.grad
# ---
torch.autograd.backward(3)
# ---
x = torch.ones(2); x.sum().backward()
# ---
torch.tensor(3).backward()
# ---
x = torch.ones((), requires_grad=True); y = x * 2
with torch.no_grad(): y.backward(); print(x.grad)
with torch.inference_mode(): 
    y = x * 2
    y.backward()
# ---
x = torch.ones(2, requires_grad=True); (x * 2).backward(torch.tensor([1., 0]).to_sparse()); x.grad
# ---
x = torch.ones(2, requires_grad=True); g = torch.ones(2, requires_grad=True); (x * x).backward(g, create_graph=True); (x.grad, torch.autograd.grad(x.grad.sum(), g))
# ---
x = torch.ones((), requires_grad=True); (x * 2).backward(None, None, False, None, 3)
# ---
x = torch.ones(2, requires_grad=True); w = torch.ones(2, requires_grad=True); y = (x.exp() * w.exp()).sum(); y.backward(inputs=[x]); y.backward(inputs=[w])
# ---
x = torch.ones(2, requires_grad=True); h = x.exp(); a = h.sum(); b = (h * 2).sum(); a.backward(); b.backward()
# ---
x = torch.ones(2, requires_grad=True); y = x.exp(); y.sum().backward(); y.grad_fn._saved_result
# ---
x = torch.ones(2, requires_grad=True); y = x.exp(); y.sum().backward(); y.grad_fn._raw_saved_result
# ---
o = []
for n, f in dict(div=lambda x: x / 2, pow=lambda x: x ** 2, where=lambda x: torch.where(x > 0, x, 0.), max=lambda x: x.max(), idx=lambda x: x[torch.tensor([0])], mf=lambda x: x.masked_fill(x > 0, 1.), add=lambda x: x + 1, cat=lambda x: torch.cat([x, x]), sel=lambda x: x[0], cs=lambda x: x.cumsum(0), lerp=lambda x: torch.lerp(x, x, .5), mean=lambda x: x.mean(), abs=lambda x: x.abs(), relu=lambda x: x.relu(), clamp=lambda x: x.clamp(0, 1), sort=lambda x: x.sort()[0], norm=lambda x: x.norm(), flip=lambda x: x.flip(0), roll=lambda x: x.roll(1), std=lambda x: x.std(), prod=lambda x: x.prod(), gather=lambda x: x.gather(0, torch.tensor([0])), stack=lambda x: torch.stack([x, x]), to=lambda x: x.double(), drop=lambda x: torch.nn.functional.dropout(x), pad=lambda x: torch.nn.functional.pad(x, (1, 1)), amax=lambda x: x.amax(), tril=lambda x: x.view(1, -1).tril(), mul=lambda x: x * 2, neg=lambda x: -x, rsub=lambda x: 1 - x, rdiv=lambda x: 1 / x, addc=lambda x: torch.addcmul(x, x, x), rep=lambda x: x.repeat(2), ri=lambda x: x.repeat_interleave(2), mse=lambda x: torch.nn.functional.mse_loss(x, x * 0), take=lambda x: x.take(torch.tensor([0])), idxs=lambda x: x.index_select(0, torch.tensor([0])), floor=lambda x: x.floor(), var=lambda x: x.var()).items():
    x = torch.tensor([1., 2., 3.], requires_grad=True); y = f(x); g = torch.ones_like(y); y.backward(g)
    try: y.backward(g); o.append(n)
    except RuntimeError: o.append(n + '!')
' '.join(o)
# ---
x = torch.ones(2, requires_grad=True); w = torch.ones(2, requires_grad=True)
(x * w).sum().backward(inputs=(x,)); print(x.grad, w.grad); (x * w).sum().backward(inputs=(t for t in [w]))
# ---
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(inputs={x}); x.grad
# ---
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(inputs=[])
# ---
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(inputs={})
# ---
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(inputs=[x, x]); x.grad
# ---
x = torch.ones(2, requires_grad=True); w = torch.ones(2, requires_grad=True); (x * 2).sum().backward(inputs=[w]); w.grad
# ---
x = torch.ones(2, requires_grad=True); y = (x * 2).sum(); y.retain_grad(); y.backward(inputs=[y]); (y.grad, x.grad)
# ---
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(inputs=[3])
# ---
from torch.autograd.graph import get_gradient_edge as ge
x = torch.ones(2, requires_grad=True); y = x * 2; y.sum().backward(inputs=[ge(x)])
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.pow(2).sum().backward(inputs=[y], create_graph=True); (y.grad, x.grad)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; z = y.pow(2).sum(); z.backward(inputs=[y], retain_graph=True); z.backward(inputs=[y]); (y.grad)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.register_hook(lambda g: print('y', g)); x.register_hook(lambda g: print('x')); x.register_post_accumulate_grad_hook(lambda p: print('acc')); y.sum().backward(inputs=[y, x]); (y.grad, x.grad)
# ---
x = torch.ones(2, requires_grad=True); x.grad = torch.ones(2, requires_grad=True); (x * 2).sum().backward(); (x.grad, x.grad.requires_grad)
# ---
x = torch.ones(2, 3, requires_grad=True); x.grad = torch.zeros(3, 2).t(); (x * 2).sum().backward(); (x.grad.stride(), x.grad)
# ---
x = torch.ones(1, 2, 2, 2).to(memory_format=torch.channels_last).requires_grad_(); (x * 2).sum().backward(); x.grad.stride()
# ---
x = torch.ones(2, 3).t().requires_grad_(); (x.contiguous() * 2).sum().backward(); x.grad.stride()
# ---
x = torch.ones(3, 2, requires_grad=True); e = torch.nn.functional.embedding(torch.tensor([0, 0]), x, sparse=True); e.sum().backward(); print(x.grad); (x * 2).sum().backward(); print(x.grad); x.grad = None; (x * 2).sum().backward(); g = x.grad; torch.nn.functional.embedding(torch.tensor([1]), x, sparse=True).sum().backward(); (x.grad is g, x.grad)
# ---
m = torch.nn.Linear(1, 1); m(torch.ones(1, 1)).backward(); g = m.weight.grad; o = torch.optim.SGD(m.parameters(), lr=.1); o.zero_grad(); print(m.weight.grad); m(torch.ones(1, 1)).backward(); g = m.weight.grad; o.zero_grad(set_to_none=False); (m.weight.grad is g, g)
# ---
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(); x.grad.mul_(10); (x * 2).sum().backward(); (x.grad, x.grad._version)
# ---
x = torch.ones(1, requires_grad=True); (x * float('inf')).backward(); (x * float('-inf')).backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); g = torch.ones(2); (x + 0).backward(g); (x.grad is g, x.grad.data_ptr() == g.data_ptr())
# ---
x = torch.ones(2, requires_grad=True); a = (x * 1).grad_fn.next_functions[0][0]; print(a, a.variable is x, a.next_functions, a.name()); a(torch.ones(2)); x.grad
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(lambda g: g.expand(2)); (x * 2).sum().backward(); x.grad.stride()
# ---
a = torch.ones(2, dtype=torch.float16, requires_grad=True); b = torch.ones(2, dtype=torch.bfloat16, requires_grad=True); c = a * b; c.sum().backward(); (c.dtype, a.grad.dtype, b.grad.dtype)
# ---
a = torch.ones(2, dtype=torch.float32, requires_grad=True); b = torch.ones(2, dtype=torch.float64, requires_grad=True); c = a + b; print(c.grad_fn.next_functions); c.sum().backward(); (c.dtype, a.grad.dtype, b.grad.dtype)
# ---
a = torch.ones(2, requires_grad=True); c = a * torch.tensor([True, False]); c.sum().backward(); a.grad
# ---
a = torch.tensor([2., 3.], requires_grad=True); c = a ** torch.tensor([2, 3]); c.sum().backward(); a.grad
# ---
a = torch.ones(1, 3, requires_grad=True); b = torch.ones(2, 1, requires_grad=True); (a * b).sum().backward(); (a.grad, b.grad)
# ---
a = torch.full((2,), 60000., dtype=torch.float16, requires_grad=True); (a * 2).sum().backward(); (a.grad, (a * 2))
# ---
a = torch.ones(4, dtype=torch.float16, requires_grad=True); a.mean().backward(); a.grad
# ---
a = torch.ones(3, requires_grad=True); s = torch.tensor(2., dtype=torch.float64, requires_grad=True); y = a * s; y.sum().backward(); (y.dtype, a.grad.dtype, s.grad, y.grad_fn.next_functions)
# ---
a = torch.ones(2, requires_grad=True); y = a * (1 + 2j); print(y); y.abs().sum().backward(); a.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 1
    @staticmethod
    def backward(ctx, g): return g.int()
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward(); x.grad
# ---
torch.ones(3, requires_grad=True) + torch.ones(2)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.retain_grad(); z = y.sum(); g = torch.autograd.grad(z, x); (y.grad, g)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.grad = torch.ones(2); print(y.grad); y.retain_grad(); y.sum().backward(); y.grad
# ---
x = torch.ones(2, requires_grad=True); 
with torch.no_grad(): y = x * 2
y.retain_grad()
# ---
x = torch.ones(2, requires_grad=True)
h = x.register_hook(lambda g: g * 2); h.remove(); h.remove(); (x * 1).sum().backward(); print(x.grad)
def f(g): h2.remove(); return g * 3
h2 = x.register_hook(f); (x * 1).sum().backward(); (x * 1).sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(lambda g: g.double()); (x * 1).sum().backward(); x.grad.dtype
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(lambda g: 3); (x * 1).sum().backward()
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(3); (x * 1).sum().backward()
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(lambda g: g.mul_(5)); (x * 2).sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); h = x.register_hook(lambda g: None); print(type(h), h.id is not None, len(x._backward_hooks)); h.remove(); len(x._backward_hooks)
# ---
x = torch.ones(2, requires_grad=True)
with torch.no_grad(): y = x * 2; y.register_hook(lambda g: g)
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(lambda g: print('hook', g)); y = x.clone(); z = x.detach().requires_grad_(); (y + z).sum().backward()
# ---
from torch.autograd.graph import register_multi_grad_hook as r
a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
h = r((a, b), lambda g: print('any', g), mode='any'); (a * b).sum().backward(); h.remove(); (a * b).sum().backward()
# ---
from torch.autograd.graph import register_multi_grad_hook as r
r((torch.ones(2, requires_grad=True),), lambda g: 1, mode='x')
# ---
from torch.autograd.graph import register_multi_grad_hook as r
a = torch.ones(2, requires_grad=True); r((a, torch.ones(2)), lambda g: print(g)); (a * 2).sum().backward()
# ---
m = torch.nn.Linear(2, 2); torch.nn.init.ones_(m.weight); torch.nn.init.zeros_(m.bias)
m.register_forward_pre_hook(lambda m, a: (a[0] * 2,)); m.register_forward_hook(lambda m, a, o: o + 1); m.register_full_backward_pre_hook(lambda m, g: (g[0] * 10,)); m.register_full_backward_hook(lambda m, gi, go: (gi[0] * 0 + 7,))
x = torch.ones(1, 2, requires_grad=True); y = m(x); y.sum().backward(); (y, x.grad, m.weight.grad)
# ---
m = torch.nn.Linear(2, 2); m.register_full_backward_hook(lambda m, gi, go: print(gi, go)); m(torch.ones(1, 2)).sum().backward()
# ---
m = torch.nn.Linear(2, 2); m.register_full_backward_hook(lambda m, gi, go: None); y = m(torch.ones(1, 2, requires_grad=True)); y.add_(1)
# ---
m = torch.nn.Linear(2, 2); m.register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0])); m(torch.ones(1, 2, requires_grad=True)).sum().backward()
# ---
m = torch.nn.Identity(); m.register_forward_hook(lambda m, a, k, o: print(a, k, o), with_kwargs=True); m.register_forward_pre_hook(lambda m, a, k: (a, k), with_kwargs=True); m(torch.ones(1))
# ---
class M(torch.nn.Module):
    def forward(self, x): raise ValueError('no')
m = M(); m.register_forward_hook(lambda m, a, o: print('called', o), always_call=True); m(torch.ones(1))
# ---
m = torch.nn.Identity(); m.register_forward_hook(lambda m, a, o: print(1)); m.register_forward_hook(lambda m, a, o: print(2), prepend=True); m(torch.ones(1))
# ---
from torch.nn.modules.module import register_module_forward_hook, register_module_full_backward_hook
h = register_module_forward_hook(lambda m, a, o: print(type(m).__name__)); torch.nn.Sequential(torch.nn.ReLU())(torch.ones(1)); h.remove()
# ---
x = torch.ones(2, requires_grad=True); y = x * x; y.grad_fn.register_hook(lambda gi, go: (gi[0],)); y.sum().backward()
# ---
x = torch.ones(2, requires_grad=True); y = x * x; y.grad_fn.register_prehook(lambda go: (go[0], go[0])); y.sum().backward()
# ---
x = torch.ones(2, requires_grad=True); y = x * x; y.grad_fn.register_prehook(lambda go: go[0]); y.sum().backward()
# ---
x = torch.ones(4); v = []
for f in (lambda: x.add_(1), lambda: x.zero_(), lambda: x.copy_(torch.ones(4)), lambda: x.fill_(2), lambda: x.__setitem__(0, 3.), lambda: x[1:].mul_(2), lambda: x.resize_(4), lambda: x.data.add_(1), lambda: x.detach().add_(1), lambda: x.uniform_(), lambda: x.requires_grad_(), lambda: x.requires_grad_(False), lambda: x.clamp_(0, 1), lambda: torch.add(x, 1, out=x), lambda: x.t_(), lambda: x.unsqueeze_(0), lambda: x.squeeze_(), lambda: x.set_(torch.ones(4)), lambda: torch.nn.init.ones_(x), lambda: torch.relu_(x), lambda: x.index_fill_(0, torch.tensor([0]), 1.), lambda: x.masked_fill_(x > 0, 1.), lambda: x.sort(out=None) if False else None, lambda: x.normal_(), lambda: x.swap if False else None, lambda: x.view(2, 2).t_(), lambda: x.bernoulli_(.5), lambda: x.exponential_(), lambda: x.detach_()): f(); v.append(x._version)
v
# ---
x = torch.ones(3, requires_grad=True); i = torch.tensor([0, 1]); y = x[i]; i.add_(1); y.sum().backward()
# ---
x = torch.ones(3, requires_grad=True); m = torch.tensor([True, False, True]); y = x.masked_fill(m, 0.); m.logical_not_(); y.sum().backward()
# ---
x = torch.ones(3, requires_grad=True); m = torch.tensor([True, False, True]); y = torch.where(m, x, 0.); m[0] = False; y.sum().backward()
# ---
x = torch.ones(3, requires_grad=True); torch.add(x, 1, out=torch.zeros(3))
# ---
x = torch.ones(1).expand(3); x.add_(1)
# ---
x = torch.ones(3, dtype=torch.int64); x.add_(1.5)
# ---
x = torch.ones(3); x.mul_(1j)
# ---
x = torch.tensor([1., 2.], requires_grad=True); y = x * 1; y.mul_(2).add_(1).pow_(2).sin_(); print(y.grad_fn); y.sum().backward(); x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x.softmax(0); y.mul_(2); y.sum().backward()
# ---
x = torch.ones(3, requires_grad=True)
for f in (lambda: x.add_(1), lambda: x.zero_(), lambda: x.__setitem__(0, 1.), lambda: x.copy_(torch.ones(3)), lambda: x.t_(), lambda: x.resize_(3), lambda: x.uniform_(), lambda: torch.relu_(x), lambda: x.view(3).mul_(1), lambda: x.set_(torch.ones(3)), lambda: x.squeeze_(), lambda: x.index_put_((torch.tensor([0]),), torch.ones(1)), lambda: torch.nn.functional.relu(x, inplace=True), lambda: torch.nn.functional.dropout(x, inplace=True), lambda: x.data.zero_(), lambda: x.detach().add_(1), lambda: x.unbind()[0].add_(1), lambda: x.detach_()):
    try: f(); print('ok', x._version)
    except RuntimeError as e: print(e)
# ---
x = torch.ones(4, requires_grad=True); y = x * 1; v = y.view(2, 2); y.add_(1); print(v.grad_fn, v._version); v.mul_(2); print(y.grad_fn, v.grad_fn, y.grad_fn.next_functions); y.sum().backward(); x.grad
# ---
x = torch.ones(4); v = x[1:]; w = v[1:]; (w._base is x, v._is_view(), x._base, w.storage_offset(), x.detach()._base is x, x.data._base, x.clone()._base)
# ---
x = torch.ones(4, requires_grad=True); y = x * 1; y.set_(torch.zeros(2)); (y.shape, y.grad_fn)
# ---
x = torch.ones(4, requires_grad=True); y = x * 1; y.resize_(2)
# ---
x = torch.ones(2, 3); (x.t().contiguous() is x, x.contiguous() is x, x.t().is_contiguous(), x.reshape(6)._base is x, x.t().reshape(6)._base, x.flatten()._base is x, x.ravel()._base is x)
# ---
x = torch.ones(4, requires_grad=True); y = x * 1; a, b = y.split(2)
try: a.add_(1)
except RuntimeError as e: print(e)
y.add_(1); a.grad_fn
# ---
x = torch.ones(4, requires_grad=True); y = x * 1
with torch.no_grad(): a, b = y.chunk(2); a.mul_(3)
(y, y.grad_fn, a.requires_grad, a.grad_fn)
# ---
x = torch.ones(1, 4, requires_grad=True); y = x * 1; y.squeeze_(); print(y.grad_fn); y.unsqueeze_(1).t_(); y.sum().backward(); (y.shape, x.grad, y.grad_fn)
# ---
with torch.no_grad(): x = torch.ones(2, requires_grad=True); y = x * 2; p = torch.nn.Parameter(y)
(x.requires_grad, x.is_leaf, y.requires_grad, p.requires_grad, p.is_leaf)
# ---
with torch.inference_mode(): t = torch.ones(2)
w = torch.ones(2, requires_grad=True); print((w + t).grad_fn); w * t
# ---
with torch.inference_mode(): t = torch.ones(2); print(t.is_inference(), t.requires_grad)
v = t.view(2); print(v.is_inference()); t._version
# ---
with torch.inference_mode(False): print(torch.is_inference_mode_enabled(), torch.is_grad_enabled())
with torch.inference_mode(): 
    with torch.inference_mode(False): print((torch.ones(2, requires_grad=True) * 2).grad_fn)
# ---
x = torch.ones(2, requires_grad=True); y = x * x
with torch.inference_mode(): y.add_(1)
print(y._version, y.grad_fn); 
with torch.inference_mode(): x.add_(1)
y.sum().backward()
# ---
@torch.enable_grad()
def f(x): return x * 2
with torch.no_grad(): print(f(torch.ones(1, requires_grad=True)).requires_grad)
torch.set_grad_enabled(False); print(torch.is_grad_enabled()); torch.set_grad_enabled(True)
@torch.no_grad
def g(x): return x * 2
g(torch.ones(1, requires_grad=True)).requires_grad
# ---
import threading
r = []
with torch.no_grad():
    t = threading.Thread(target=lambda: r.append(torch.is_grad_enabled())); t.start(); t.join()
r
# ---
try:
    with torch.no_grad(): raise ValueError
except ValueError: pass
torch.is_grad_enabled()
