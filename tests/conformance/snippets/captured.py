from functools import partial
from torch.func import jvp, vmap
x = torch.arange(6.).view(2, 3); y = torch.ones(3)
def f(x, y):
    x = x.clone(); v = x[0]; v.copy_(y)
    return v, x
print(jvp(partial(f, x), (y,), (y * 2,)))
vmap(lambda x, y, t: jvp(partial(f, x), (y,), (t,)), in_dims=(1, 1, 1))(x.view(2, 1, 3).repeat(1, 2, 1), torch.ones(3, 2), torch.ones(3, 2))
# ---
from torch.func import grad, vmap
def over(change):
    def g(x, y):
        def f(y):
            z = change(x, y)
            return (z * z).sum()
        return grad(f)(y)
    return vmap(g)(torch.ones(2, 3) * 2, torch.arange(6.).view(2, 3))
def first(x, y): z = x.clone(); z[0] = y[0]; return z
def added(x, y): z = x * 2; z.add_(y); return z
def viewed(x, y): z = x * 2; z.view(3)[0].copy_(y[0]); return z
def new(x, y): z = x.new_zeros(3); z.copy_(y); return z
[over(change) for change in (first, added, viewed, new)]
# ---
from torch.func import grad, jvp
c = torch.arange(3.)
def f(x):
    z = c + 1; z[x > 0] = 5.; v = z[1:]; v += x[1:]; z.mul_(2)
    return (z ** 2).sum()
grad(f)(torch.ones(3)), jvp(f, (torch.ones(3),), (torch.ones(3),)), c
# ---
from torch.func import grad
def h(a):
    def g(b):
        def f(c): z = a * b; z[0] = c[0]; z.mul_(c); return z.sum()
        return grad(f)(b)
    return grad(lambda b: g(b).sum())(a)
h(torch.ones(3) * 2)
# ---
from torch.func import grad
w = torch.tensor([1., 2., 3.], requires_grad=True)
def f(x): z = w * 2; print(z); return (z * x).sum()
g = grad(f)(torch.ones(3)); g.sum().backward(); print(g, w.grad)
with torch.no_grad(): print(grad(f)(torch.ones(3)))
# ---
from torch.func import grad
kept = []
c = torch.arange(3.)
def f(x): kept.append(c * 2); i = c.argmax(); print(i, i.item(), c.max(), c.tolist()); return x[i] * 2
grad(f)(torch.ones(3)), kept[0] + 1, kept[0]
# ---
from torch.func import grad, jvp, vmap
def mutating(change):
    c = torch.zeros(3)
    def f(x): change(c); return x.sum()
    return attempt(lambda: grad(f)(torch.ones(3))), attempt(lambda: jvp(f, (torch.ones(3),), (torch.ones(3),))), c
for change in (lambda c: c.add_(1), lambda c: c.mul_(2), lambda c: c.zero_(), lambda c: c[0].add_(1), lambda c: c.view(3, 1).mul_(2), lambda c: c.__setitem__(0, 1.)):
    print(*mutating(change))
for change in (lambda c: c.clone().add_(1), lambda c: c.double().add_(1), lambda c: torch.cat([c, c]).add_(1), lambda c: (c @ c).add_(1), lambda c: c.sort()[0].add_(1), lambda c: torch.add(c, 1, out=c)):
    print(*mutating(change))
c = torch.zeros(3)
def f(x): c.add_(1); return x.sum()
print(vmap(f)(torch.ones(2, 3)), c, attempt(lambda: grad(lambda x: vmap(f)(x).sum())(torch.ones(2, 3))))
# ---
from torch.func import grad
m = nn.BatchNorm1d(3)
grad(lambda x: m(x).sum())(torch.ones(2, 3))
# ---
from torch.func import grad
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(x): return x * 2
    @staticmethod
    def setup_context(ctx, inputs, output): pass
    @staticmethod
    def backward(ctx, g): return g * 2
w = torch.ones(3, requires_grad=True)
def f(x): z = Twice.apply(w); print(z); z.add_(x); return (z * z).sum()
g = grad(f)(torch.ones(3)); g.sum().backward(); g, w.grad
# ---
from torch.func import grad, vmap
p = torch.ones(4) * .5
def f(x): return (torch.bernoulli(p) * x).sum()
for randomness in ('different', 'same', 'error'): print(attempt(lambda: vmap(f, randomness=randomness)(torch.ones(3, 4))))
print(vmap(grad(f), randomness='different')(torch.ones(3, 4)))
print(vmap(vmap(lambda x: torch.bernoulli(p) * x, randomness='different'), randomness='different')(torch.ones(2, 3, 4)))
# ---
from torch.func import vmap
p = torch.ones(4) * .5
print(vmap(lambda x: (torch.normal(p, 1.) * x).sum(), randomness='different')(torch.ones(3, 4)))
print(vmap(lambda x: (torch.poisson(p * 4) * x).sum(), randomness='different')(torch.ones(3, 4)))
print(vmap(lambda x: x[torch.multinomial(p, 2)], randomness='different')(torch.arange(12.).view(3, 4)))
