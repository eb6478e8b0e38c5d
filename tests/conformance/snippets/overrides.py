class L(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print('->', func.__name__, [t.__name__ for t in types], len(args), kwargs)
        return super().__torch_function__(func, types, args, kwargs or {})
x = torch.tensor([1., 2.]).as_subclass(L)
y = x + 1; print(type(y).__name__); z = 2 * x; z = x - y; z = 1 - x; z = x / 2; z = 2 / x; z = x ** 2; z = 2 ** x; z = -x; z = x @ x; z = x > 1; z = x == x; z = x[0]; x[0] = 3.; z = x.sum(); z = torch.exp(x); z = torch.add(x, y, alpha=2); z = x.view(2, 1); x.mul_(2); x += 1; z = torch.stack([x, x]); z = abs(x); z = x.mean(dim=0, keepdim=True); z = torch.linalg.norm(x); z = ~(x > 1); z = x // 2; z = x % 2; z = x & x if 0 else 0; z = x.clone(); z = x.detach(); z = len(x); z = x.T if 0 else 0
# ---
class M(torch.Tensor):
    def __new__(cls, data, meta=None): return torch.as_tensor(data, dtype=torch.float32).as_subclass(cls)
    def __init__(self, data, meta=None): self._meta = meta
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if kwargs is None: kwargs = {}
        ms = tuple(a._meta for a in args if hasattr(a, '_meta')); r = super().__torch_function__(func, types, args, kwargs)
        if isinstance(r, cls): r._meta = ms[0]
        return r
a = M([1., 2.], 'm'); b = torch.mul(a, 2); print(type(b).__name__, b._meta, (a + torch.ones(2))._meta, torch.sum(b).item())
# ---
H = {}
def implements(f):
    def d(g): H[f] = g; return g
    return d
class S(object):
    def __init__(self, N, v): self._N = N; self._v = v
    def tensor(self): return self._v * torch.eye(self._N)
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in H or not all(issubclass(t, (torch.Tensor, S)) for t in types): return NotImplemented
        return H[func](*args, **(kwargs or {}))
@implements(torch.mean)
def mean(input): return float(input._v) / input._N
@implements(torch.add)
def add(a, b): return S(a._N, a._v + b._v)
print(torch.mean(S(5, 2)), torch.add(S(2, 1), S(2, 3))._v)
torch.mul(S(5, 2), 3)
# ---
from torch.overrides import TorchFunctionMode
class F(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(func.__name__); return func(*args, **(kwargs or {}))
with F(): a = torch.ones(2); b = a + 1; c = torch.nn.functional.gelu(b); d = c.sum(); e = torch.zeros(1)
f = torch.ones(1)
class G(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.ones: return torch.zeros(*args, **kwargs)
        return func(*args, **kwargs)
with G(): print(torch.ones(2))
with F():
    with G(): print(torch.ones(1).sum().item())
# ---
from torch.overrides import *
class T(torch.Tensor): pass
print(is_tensor_like(torch.ones(1)), is_tensor_like(3), has_torch_function((torch.ones(1),)), has_torch_function((T([1.]),)), type(T([1.]) * 2).__name__)
class D(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl
d = torch.ones(2).as_subclass(D); print(type(d).__name__, type(d + 1).__name__, type(torch.exp(d)).__name__)
with torch._C.DisableTorchFunctionSubclass(): print(type(T([1.]) + 1).__name__)
def f(x):
    if has_torch_function((x,)): return handle_torch_function(f, (x,), x)
    return 'plain'
class E(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None): return ('took', func.__name__)
print(f(torch.ones(1)), f(torch.ones(1).as_subclass(E)), torch.exp(torch.ones(1).as_subclass(E)))
# ---
class A(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None): return NotImplemented
torch.add(torch.ones(1).as_subclass(A), 1)
# ---
class A(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print('A', [t.__name__ for t in types]); return super().__torch_function__(func, types, args, kwargs or {})
class B(A):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print('B', [t.__name__ for t in types]); return super().__torch_function__(func, types, args, kwargs or {})
r = torch.add(torch.ones(1).as_subclass(A), torch.ones(1).as_subclass(B)); print(type(r).__name__)
x = torch.ones(2, requires_grad=True).as_subclass(A); (x * 3).sum().backward()
