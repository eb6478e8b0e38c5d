def note(tag):
    def hook(m, *a):
        print(
            tag,
            type(m).__name__,
            *[
                tuple(None if x is None else (tuple(x.shape) if isinstance(x, torch.Tensor) else x) for x in v)
                if isinstance(v, tuple)
                else (tuple(v.shape) if isinstance(v, torch.Tensor) else v)
                for v in a
            ],
        )

    return hook


net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
for m in net.modules():
    m.register_forward_pre_hook(note("pre"))
    m.register_forward_hook(note("post"))
    m.register_full_backward_pre_hook(note("bpre"))
    m.register_full_backward_hook(note("bpost"))
x = torch.ones(4, 2, requires_grad=True)
y = net(x)
y.mean().backward()
print(x.grad.shape)
# ---
seen = []
m = nn.Linear(1, 1)
hs = [m.register_forward_hook(lambda m, a, o, i=i: seen.append(i), prepend=i % 2 == 1) for i in range(5)]
m(torch.ones(1, 1))
print(seen)
hs[1].remove()
hs[1].remove()
seen.clear()
m(torch.ones(1, 1))
print(seen, len(m._forward_hooks), hs[0].id in m._forward_hooks)
with m.register_forward_hook(lambda m, a, o: seen.append("ctx")):
    seen.clear()
    m(torch.ones(1, 1))
    print(seen)
seen.clear()
m(torch.ones(1, 1))
print(seen)
# ---
m = nn.Sigmoid()
x = torch.ones(5, requires_grad=True)
for fail in (
    lambda m, gi, go: gi[:-1],
    lambda m, gi, go: gi + (torch.ones(2),),
    lambda m, gi, go: torch.ones(5),
    lambda m, gi, go: [gi[0]],
    lambda m, gi, go: 3,
    lambda m, gi, go: (torch.ones(3),),
    lambda m, gi, go: (None,),
    lambda m, gi, go: gi,
    lambda m, gi, go: (gi[0] * 2,),
    lambda m, gi, go: (gi[0].double(),),
    lambda m, gi, go: ("x",),
    lambda m, gi, go: 1 / 0,
):
    for kind in ("register_full_backward_hook", "register_backward_hook"):
        mm = nn.Sigmoid()
        getattr(mm, kind)(fail)
        x.grad = None
        print(attempt(lambda: mm(x).sum().backward()), x.grad)
# ---
x = torch.ones(5, requires_grad=True)
for fail in (
    lambda m, go: (),
    lambda m, go: go + (torch.ones(2),),
    lambda m, go: torch.ones(5),
    lambda m, go: 3,
    lambda m, go: (torch.ones(3),),
    lambda m, go: (None,),
    lambda m, go: go,
    lambda m, go: (go[0] * 2,),
    lambda m, go: [go[0] * 3],
    lambda m, go: (go[0].double(),),
):
    mm = nn.Sigmoid()
    mm.register_full_backward_pre_hook(fail)
    x.grad = None
    print(attempt(lambda: mm(x).sum().backward()), x.grad)
# ---
m = nn.Linear(2, 3)
inp = torch.ones(1, 2)
got = []


def hook(m, gi, go):
    got.append((gi, [g.shape for g in go]))
    return ret


m.register_full_backward_hook(hook)
ret = None
m(inp).sum().backward()
ret = (None,)
m(inp).sum().backward()
print(got)
ret = inp
print(attempt(lambda: m(inp).sum().backward()))
ret = (inp,)
print(attempt(lambda: m(inp).sum().backward()))


# ---
class M(nn.Module):
    def forward(self, non_tensor, tensor, *, k=None):
        return tensor.clone(), non_tensor, k


m = M()
t = torch.ones(2, requires_grad=True)
m.register_full_backward_hook(lambda m, gi, go: print(gi, go))
out, _, _ = m(True, t, k=torch.ones(1, requires_grad=True))
print(out)
out.sum().backward()
m(t * 2, t)[0].sum().backward()
print(m("x", t.detach()))


# ---
class M(nn.Module):
    def forward(self, inp, change):
        self.inp = inp
        if change:
            inp += 1
        return inp.clone()


x = torch.ones(3, requires_grad=True)
m = M()
m.register_full_backward_hook(lambda *a: None)
print(attempt(lambda: m(x.clone(), True)))
y = x.clone()
out = m(y, False)
y[0] *= 1
print(attempt(lambda: m.inp + 2))
out = m(x, False)
print(
    attempt(lambda: out.add_(1)),
    attempt(lambda: out.detach().add_(1)),
    out.clone().add_(1),
    out._is_view(),
    out._base is not None,
)


# ---
class M(nn.Module):
    def forward(self, a, b):
        t = a.sum() * b
        t = t + b.sum() * a.sum()
        return t.sum().view(1).expand(8).contiguous()


m = M()
a, b = torch.ones(2, 2, requires_grad=True), torch.ones(3, requires_grad=True)
with m.register_full_backward_hook(lambda m, gi, go: print([g.shape for g in gi], [g.shape for g in go])):
    m(a, b).sum().backward()
print(a.grad, b.grad)
# ---
m = nn.Sigmoid()
x = torch.ones(2, requires_grad=True)
m.register_full_backward_hook(lambda m, gi, go: print("full", gi, go))
y = m(x)
for _ in range(2):
    y.backward(torch.ones(2) * 2, retain_graph=True)
print(torch.autograd.grad(y.sum(), x, retain_graph=True), torch.autograd.grad(y.sum(), m(x) if False else x))
# ---
m = nn.Linear(1, 1)
m.register_full_backward_hook(lambda m, gi, go: print("hook"))
x = torch.ones(1, 1, requires_grad=True)
y = m(x)
print(torch.autograd.grad(y, m.weight, retain_graph=True))
print(torch.autograd.grad(y, x))
y = m(x.detach())
print(torch.autograd.grad(y, m.weight))


# ---
class M(nn.Module):
    def forward(self, x):
        return [x * 2]


m = M()
m.register_full_backward_hook(lambda m, gi, go: print(gi, go))
x = torch.ones(1, requires_grad=True)
m(x)[0].backward()
print(x.grad)


class N(nn.Module):
    def forward(self, d):
        return d["x"] * 2


n = N()
n.register_full_backward_hook(lambda m, gi, go: print(gi, go))
x.grad = None
n({"x": x}).backward()
print(x.grad)


class O(nn.Module):
    def forward(self, x):
        return None


o = O()
o.register_full_backward_hook(lambda m, gi, go: None)
print(attempt(lambda: o(x)))
# ---
from collections import namedtuple

P = namedtuple("P", "a b")


class M(nn.Module):
    def forward(self, x):
        return P(x * 2, x * 3)


m = M()
m.register_full_backward_hook(lambda m, gi, go: print(gi, go))
x = torch.ones(1, requires_grad=True)
r = m(x)
print(type(r).__name__, r)
(r.a + r.b).backward()
print(x.grad)


# ---
class M(nn.Module):
    def forward(self, a, b=2):
        return a * b


m = M()
m.register_forward_pre_hook(lambda m, a, k: ((a[0] + 1,), {"b": 5}), with_kwargs=True)
print(m(1, b=3), m(1))
m.register_forward_pre_hook(lambda m, a: None)
m.register_forward_hook(lambda m, a, k, o: (a, k, o), with_kwargs=True)
print(m(1, b=3))
m.register_forward_pre_hook(lambda m, a, k: (1, 2, 3), with_kwargs=True)
print(attempt(lambda: m(1)))


# ---
class M(nn.Module):
    def forward(self, x):
        if x < 0:
            raise RuntimeError("neg")
        return x


m = M()
m.register_forward_hook(lambda m, a, o: print("always", a, o), always_call=True)
m.register_forward_hook(lambda m, a, o: print("normal", o))
m(1)
print(attempt(lambda: m(-1)))


def boom(m, a, o):
    raise ValueError("hook failed")


m.register_forward_hook(boom, always_call=True)
print(attempt(lambda: m(1)))
print(attempt(lambda: m(-1)))
m = M()
m.register_forward_pre_hook(lambda m, a: 1 / 0)
m.register_forward_hook(lambda m, a, o: print("always2", a, o), always_call=True)
print(attempt(lambda: m(1)))
m = M()
m.register_forward_hook(lambda m, a, k, o: print("kw", a, k, o), always_call=True, with_kwargs=True)
print(attempt(lambda: m(x=-1)))
# ---
import torch.nn.modules.module as mm

log = []
hs = [
    mm.register_module_forward_pre_hook(lambda m, a: log.append(("gpre", type(m).__name__))),
    mm.register_module_forward_hook(lambda m, a, o: log.append(("gpost", type(m).__name__))),
    mm.register_module_full_backward_pre_hook(lambda m, go: log.append(("gbpre", type(m).__name__))),
]
m = nn.Sequential(nn.Linear(1, 1))
m[0].register_forward_pre_hook(lambda m, a: log.append("local pre"))
m[0].register_forward_hook(lambda m, a, o: log.append("local post"))
m[0].register_full_backward_pre_hook(lambda m, go: log.append("local bpre"))
m(torch.ones(1, 1, requires_grad=True)).sum().backward()
for h in hs:
    h.remove()
print(log)
log.clear()
m(torch.ones(1, 1)).sum().backward()
print(log)
hs = [
    mm.register_module_forward_pre_hook(lambda m, a: (a[0] * 2,)),
    mm.register_module_forward_hook(lambda m, a, o: -o),
    mm.register_module_forward_hook(lambda m, a, k, o: print(k), with_kwargs=True),
    mm.register_module_forward_hook(lambda m, a, o: print("always", o), always_call=True),
]
print(nn.Identity()(torch.ones(1)))
print(attempt(lambda: nn.Linear(1, 1)(torch.ones(3))))
for h in hs:
    h.remove()
# ---
import torch.nn.modules.module as mm

log = []
h1 = mm.register_module_buffer_registration_hook(
    lambda m, n, b: log.append(("buffer", n)) or (torch.zeros(1) if n == "swap" else None)
)
h2 = mm.register_module_parameter_registration_hook(lambda m, n, p: log.append(("parameter", n)))
h3 = mm.register_module_module_registration_hook(lambda m, n, s: log.append(("module", n)))


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.ones(1))
        self.register_buffer("b", torch.ones(1))
        self.register_buffer("swap", torch.ones(1))
        self.c = nn.Linear(1, 1)
        self.add_module("d", nn.ReLU())
        self.a = None


m = M()
print(log, m.swap)
for h in (h1, h2, h3):
    h.remove()
log.clear()
M()
print(log)


# ---
def old(m, gi, go):
    print([None if g is None else g.shape for g in gi], [g.shape for g in go])


m = nn.Linear(2, 3)
m.register_backward_hook(old)
m(torch.ones(1, 2)).sum().backward()
m(torch.ones(1, 2, requires_grad=True)).sum().backward()
m = nn.Sigmoid()
m.register_backward_hook(lambda m, gi, go: (gi[0] * 2,))
x = torch.zeros(2, requires_grad=True)
m(x).sum().backward()
print(x.grad)


class L(nn.Module):
    def forward(self, l):
        return l[0].clone(), l[1].clone()


a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
m = L()
m.register_backward_hook(lambda *a: None)
m([a, b])


class L(nn.Module):
    def forward(self, a, b):
        return [a.clone(), b.clone()]


m = L()
m.register_backward_hook(lambda *a: None)
m(a, b)


class L(nn.Module):
    def forward(self, a):
        return a.clone().clone()


m = L()
m.register_backward_hook(lambda *a: None)
m(a)
m(a.detach())


class L(nn.Module):
    def forward(self, a):
        return {"k": [a * 2]}


m = L()
m.register_backward_hook(lambda *a: None)
m(a)


class L(nn.Module):
    def forward(self, a):
        return {"k": 3}


m = L()
m.register_backward_hook(lambda *a: None)
print(attempt(lambda: m(a)))
# ---
m = nn.Linear(1, 1)
for f in (lambda: m.register_forward_hook(3), lambda: m.register_full_backward_hook(3)):
    print(type(attempt(f)).__name__)
print(attempt(lambda: m(torch.ones(1, 1))))
# ---
m = nn.Linear(2, 2)
feats = {}
h = m.register_forward_hook(lambda mod, inp, out: feats.update(out=out.detach()))
y = m(torch.ones(1, 2))
print(
    torch.equal(feats["out"], y),
    feats["out"].requires_grad,
    type(h).__name__,
    type(h).__module__,
    h.id in m._forward_hooks,
)
h.remove()
print(len(m._forward_hooks))
# ---
m = nn.Linear(2, 2)
m.weight.register_hook(lambda g: print("tensor hook", g) or g * 0)
m.register_full_backward_hook(lambda m, gi, go: print("module hook", gi, go))
m.weight.register_post_accumulate_grad_hook(lambda p: print("post", p.grad))
m(torch.ones(1, 2)).sum().backward()


# ---
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(1, 1)
        self.b = nn.Linear(1, 1)

    def forward(self, x):
        return self.b(self.a(x)) + self.a(x)


n = Net()
order = []
for name, m in n.named_children():
    m.register_full_backward_hook(lambda m, gi, go, name=name: order.append(name))
n(torch.ones(1, 1, requires_grad=True)).sum().backward()
print(order)
# ---
m = nn.Linear(1, 1)
m.register_full_backward_hook(lambda m, gi, go: print("hooked", gi, go))
with torch.no_grad():
    y = m(torch.ones(1, 1))
    print(y.grad_fn)
for p in m.parameters():
    p.requires_grad_(False)
print(m(torch.ones(1, 1)).grad_fn, m(torch.ones(1, 1, requires_grad=True)).grad_fn.name())
# ---
m = nn.Linear(1, 1)
m.register_full_backward_hook(lambda m, gi, go: print(gi[0].requires_grad, go[0].requires_grad))
x = torch.ones(1, 1, requires_grad=True)
(g,) = torch.autograd.grad(m(x) ** 2, x, create_graph=True)
print(g.requires_grad)
g.sum().backward()
print(x.grad)
# ---
import copy
import pickle

m = nn.Linear(1, 1)
m.register_full_backward_hook(print)
c = copy.deepcopy(m)
print(len(c._backward_hooks), c._is_full_backward_hook)
c(torch.ones(1, 1)).sum().backward()
print(pickle.loads(pickle.dumps(nn.Linear(1, 1))))
