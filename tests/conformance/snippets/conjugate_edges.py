w = torch.tensor([1 + 2j], requires_grad=True)
a = w * 1
b = a.conj()
a.mul_(2)
y = b + b
y.abs().sum().backward()
(y, w.grad)
# ---
a = torch.tensor([1 + 2j])
n = a.conj().imag
a.mul_(2)
(n + n, n * 3, n)
# ---
x = torch.randn(5, dtype=torch.double, requires_grad=True)
def f(v):
    return torch.autograd.grad(x.expand(5, 5).as_strided([5, 5], [0, 1], 0), x, v, create_graph=True)[0]
v = torch.randn(5, 5, dtype=torch.double)
J1 = torch.autograd.functional.jacobian(f, v, vectorize=True)
J2 = torch.autograd.functional.jacobian(f, v)
torch.allclose(J1, J2)
# ---
x = torch.randn(5, dtype=torch.double, requires_grad=True)
y = x.as_strided([3, 3], [1, 1], 0)
B = torch.randn(2, 3, 3, dtype=torch.double)
r, = torch.autograd.grad(y, x, B, is_grads_batched=True, retain_graph=True)
torch.allclose(r, torch.stack([torch.autograd.grad(y, x, b, retain_graph=True)[0] for b in B]))
# ---
x = torch.randn(5, dtype=torch.double, requires_grad=True)
v = torch.randn(3, 3, dtype=torch.double, requires_grad=True)
g, = torch.autograd.grad(x.as_strided([3, 3], [1, 1], 0), x, v, create_graph=True)
B = torch.randn(2, 5, dtype=torch.double)
r, = torch.autograd.grad(g, v, B, is_grads_batched=True, retain_graph=True)
torch.allclose(r, torch.stack([torch.autograd.grad(g, v, b, retain_graph=True)[0] for b in B]))
# ---
x = torch.randn(5, dtype=torch.double, requires_grad=True)
v = torch.randn(5, 5, dtype=torch.double, requires_grad=True)
g, = torch.autograd.grad(x.expand(5, 5).as_strided([5, 5], [0, 1], 0), x, v, create_graph=True)
def names(n, d=0):
    return '' if n is None or d > 6 else n.name() + '(' + ','.join((names(m, d + 1) for m, _ in n.next_functions)) + ')'
names(g.grad_fn)
# ---
from torch.func import vmap
x = torch.arange(10.0).view(2, 5)
vmap(lambda t: t.expand(5, 5).contiguous().as_strided([5, 5], [0, 1], 0))(x)[0]
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
b + b
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
b + 1
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
b * 2
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
b.sum()
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
b * torch.tensor([1.])
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
b.imag
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
b.clone()
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
b.exp()
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
b.tolist()
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
torch.cat([b, b])
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
b[None] @ b[:, None]
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
b.resolve_conj()
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
b.imag + 0
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
b.abs()
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
b == b
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
a.mul_(2)
(b.sum(), b + b)
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
b + 0
a.mul_(2)
b + 1
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
b + 0
a.mul_(2)
b.sum()
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
b + 0
a.mul_(2)
b.clone()
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
b + 0
a.mul_(2)
b.imag+0
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
b + 0
a.mul_(2)
b.tolist()
