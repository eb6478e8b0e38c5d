import torch.autograd.forward_ad as fw

changes = [lambda d: d.mul_(d), lambda d: d.hypot_(d), lambda d: d.atan2_(d), lambda d: d.addcmul_(d, d), lambda d: d.mul_(d.view(3))]
found = []
for change in changes:
    with fw.dual_level():
        d = fw.make_dual(torch.tensor([3.0, 2.0, 0.5]), torch.tensor([1.0, 10.0, 100.0]))
        change(d)
        found.append(fw.unpack_dual(d).tangent)
found
# ---
import warnings

warnings.simplefilter("ignore")
changes = [
    lambda x: x.sin_(), lambda x: x.clamp_(0, 1), lambda x: x.addcmul_(x.sin(), x.cos()), lambda x: x.cumsum_(0), lambda x: x.square_(),
    lambda x: x.scatter_(0, torch.tensor([0, 1]), 1.0), lambda x: x.hypot_(x.sin()), lambda x: x.view_as(x).lerp_(x.exp(), 0.5),
]
found = []
for change in changes:
    one, two = torch.rand(3, 4), torch.rand(2, 3, 4)
    torch.vmap(lambda x: (change(x), x)[1])(one)
    torch.vmap(torch.vmap(lambda x: (change(x), x)[1]))(two)
    found.append((one._version, two._version))
found
# ---
import warnings

warnings.simplefilter("ignore")
torch.vmap(lambda x: x.pow_(x.select(-1, -1)))(torch.rand(3, 2))
# ---
def doubled(x):
    x[..., 0] *= 2
    return x


torch.vmap(doubled)(torch.ones(1, 3))
# ---
torch.vmap(lambda x: x.new_ones(4).tril())(torch.ones(3, 4)), torch.vmap(lambda x: x.triu(1))(torch.ones(3, 4))
# ---
x = torch.ones(2, 3).expand(2, 2, 3)
x.conj_physical_()._version
# ---
t = torch.ones(2, 3).T
found = []
for name in ("neg", "sin", "clamp_min", "hypot", "eq"):
    out = torch.zeros(0)
    getattr(torch, name)(*((t, t) if name in ("hypot", "eq") else (t, 0.5) if name == "clamp_min" else (t,)), out=out)
    found.append(out.stride())
found, torch.sub(t, t, alpha=2, out=torch.zeros(0)).stride(), torch.matmul(t, t.T, out=torch.zeros(0)).stride()
# ---
whole, out = torch.ones(1, 3, dtype=torch.int64), torch.zeros(0, dtype=torch.int64)
found = []
for call in (lambda: torch.softmax(whole, 0, out=out), lambda: torch.lerp(whole[:, :2], whole[:, :2], 0.5, out=out)):
    try:
        call()
    except NotImplementedError:
        found.append(tuple(out.shape))
        out.resize_(0)
found
# ---
x = torch.ones(6, requires_grad=True)
x.sum().backward()
x.grad.as_strided_((2,), (1,))
x.sum().backward()
# ---
torch.view_as_complex(torch.rand(2, 2).unfold(1, 2, 1)).shape, torch.view_as_complex(torch.rand(6).as_strided((1, 2), (3, 1))).stride()
# ---
torch.var(torch.empty(0, 2), 1)
# ---
torch.std(torch.ones(1, dtype=torch.complex64), 0).isnan()
# ---
torch.einsum("i,i->", torch.ones(3), None)
# ---
torch.ones(3).split([1], -1)
# ---
x = torch.ones(2, 3)
x[...] = torch.ones(3, requires_grad=True)
below = x.grad_fn.next_functions[1][0]
below.name(), below.next_functions[0][0].name()
# ---
x = torch.ones(3, 1, requires_grad=True)
(g,) = torch.autograd.grad((x.squeeze() ** 2).sum(), x, create_graph=True)
g.grad_fn.name()
