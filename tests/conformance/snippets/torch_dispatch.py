from torch.utils._python_dispatch import TorchDispatchMode
class Log(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(func, [tuple(a.shape) if isinstance(a, torch.Tensor) else a for a in args], kwargs or '', types)
        return func(*args, **(kwargs or {}))
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
x, y = torch.randn(5, 4), torch.tensor([0, 1, 2, 0, 1])
with Log():
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    F.mse_loss(net(x), torch.zeros(5, 3)).backward()
# ---
from torch.utils._python_dispatch import TorchDispatchMode
from collections import Counter
class Count(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.calls = Counter()
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.calls[str(func)] += 1
        return func(*args, **(kwargs or {}))
model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
x = torch.randn(3, 1, 6, 6)
with Count() as count:
    for _ in range(2):
        optimizer.zero_grad()
        model(x).logsumexp(1).sum().backward()
        optimizer.step()
for name in ('aten.convolution.default', 'aten.convolution_backward.default', 'aten.addmm.default', 'aten.mm.default', 'aten.addcdiv_.default', 'aten.lerp_.Scalar', 'aten.max_pool2d_with_indices_backward.default', 'aten.native_batch_norm_backward.default', 'aten.threshold_backward.default'):
    print(name, count.calls[name])
# ---
from torch.utils._python_dispatch import TorchDispatchMode
class Named(TorchDispatchMode):
    def __init__(self, name):
        super().__init__()
        self.name = name
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(self.name, 'before', func.overloadpacket, func._overloadname, func.name(), func.namespace)
        out = func(*args, **(kwargs or {}))
        print(self.name, 'after', out.requires_grad, func._schema.name)
        return out
p = torch.tensor([1., 2.], requires_grad=True)
with Named('outer'), Named('inner'):
    q = p.exp() * 2
print(q, q.grad_fn.next_functions)
# ---
from torch.utils._python_dispatch import TorchDispatchMode
class Tenfold(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        return out * 10 if func is torch.ops.aten.mul.Tensor else out
p = torch.tensor([1., 2.], requires_grad=True)
with Tenfold():
    q = p * 3
    r = q.sum()
print(q, r)
r.backward()
print(p.grad, p * 3)
# ---
from torch.utils._python_dispatch import TorchDispatchMode
class Refusing(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise ValueError(f'not {func}')
p = torch.ones(2, requires_grad=True)
try:
    with Refusing(): p.sin()
except ValueError as e: print(e)
y = p.cos()
try:
    with Refusing(): y.sum().backward()
except ValueError as e: print(e)
print(p.sin())
# ---
from torch.utils._python_dispatch import TorchDispatchMode
class Bare(TorchDispatchMode): pass
with Bare(): torch.ones(2) + 1
# ---
from torch.utils._python_dispatch import TorchDispatchMode
class Norms(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if isinstance(out, torch.Tensor) and out.is_floating_point(): print(func, round(out.abs().max().item(), 4))
        return out
x = torch.tensor([[1., -2.], [3., 4.]], requires_grad=True)
with Norms():
    (x.softmax(1) * x).sum().backward()
    x.grad.zero_()
    with torch.no_grad(): x.mul_(0.5).add_(1, alpha=2)
# ---
from torch.utils._pytree import tree_map
class LoggingTensor(torch.Tensor):
    @staticmethod
    def __new__(cls, elem, *args, requires_grad=False):
        made = torch.Tensor._make_wrapper_subclass(cls, elem.size(), strides=elem.stride(), storage_offset=elem.storage_offset(), dtype=elem.dtype, layout=elem.layout, device=elem.device, requires_grad=requires_grad)
        made.elem = elem
        return made
    def __repr__(self): return f'LoggingTensor({self.elem})'
    __torch_function__ = torch._C._disabled_torch_function_impl
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        print(func, [t.__name__ for t in types])
        unwrap = lambda e: e.elem if isinstance(e, cls) else e
        wrap = lambda e: cls(e) if isinstance(e, torch.Tensor) else e
        return tree_map(wrap, func(*tree_map(unwrap, args), **tree_map(unwrap, kwargs or {})))
x = LoggingTensor(torch.tensor([3., 4.]), requires_grad=True)
y = x ** 2
print(y, y.grad_fn.name(), y.requires_grad, y.shape, y.dtype)
y.sum().backward()
print(x.grad, x.grad.elem)
(x * 3).sum().backward()
print(x.grad.elem)
v = LoggingTensor(torch.arange(6.).reshape(2, 3))
print(v.t().shape, v.t().stride(), v[0], v.view(6), torch.mm(v, torch.ones(3, 2)))
print(v.add_(1), v.split(1)[1], torch.cat([v, v]).shape)
# ---
class NoDispatch(torch.Tensor): pass
torch.Tensor._make_wrapper_subclass(NoDispatch, (2,))
# ---
print(torch.ops.aten.add.Tensor, repr(torch.ops.aten.mm.default), torch.ops.aten.mm.default.name(), torch.ops.aten.sum.dim_IntList._schema.name, torch.ops.aten._softmax.default(torch.tensor([[1., 2.]]), 1, False), torch.ops.aten.threshold_backward.default(torch.ones(2), torch.tensor([-1., 1.]), 0))
# ---
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes, _get_current_dispatch_mode
class Log(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(func)
        return func(*args, **(kwargs or {}))
with Log() as log:
    print(_get_current_dispatch_mode() is log)
    with _disable_current_modes(): torch.ones(2).sin()
    x = torch.ones(2, requires_grad=True)
    g, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
    g.sum().backward()
    print(x.grad.tolist(), x[0].item(), x.argmax(), x.detach())
print(_get_current_dispatch_mode())
# ---
from torch.utils._python_dispatch import TorchDispatchMode
class Count(TorchDispatchMode):
    n = 0
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        Count.n += 1
        return func(*args, **(kwargs or {}))
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g): return g * 2
x = torch.ones(2, requires_grad=True)
with Count():
    y = Double.apply(x)
    print(Count.n)
    torch.utils.checkpoint.checkpoint(lambda t: t.sin().cos(), y, use_reentrant=False).sum().backward()
print(x.grad, y.grad_fn.name())
# ---
from torch.utils.flop_counter import FlopCounterMode
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 2, 3, stride=2), nn.Flatten(), nn.Sequential(nn.Linear(18, 10), nn.ReLU()))
with FlopCounterMode(display=False) as counter:
    net(torch.randn(2, 1, 9, 9)).sum().backward()
print(counter.get_total_flops())
for name, counts in sorted(counter.get_flop_counts().items()): print(name, sorted((str(k), v) for k, v in counts.items()))
x, w = torch.randn(4, 3, 5, requires_grad=True), torch.randn(5, 2, requires_grad=True)
with FlopCounterMode(display=False) as counter:
    (x @ w).sum().backward()
    torch.einsum('ij,jk->ik', w, w.t())
    nn.ConvTranspose1d(3, 2, 3)(x).sum().backward()
print(counter.get_total_flops())
for name, counts in sorted(counter.get_flop_counts().items()): print(name, sorted((str(k), v) for k, v in counts.items()))
