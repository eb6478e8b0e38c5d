m = nn.Linear(2, 3)
print(m, repr(m), str(m), m._get_name(), m.extra_repr())
print([n for n in vars(m)])


# ---
class M(nn.Module):
    pass


attempt(lambda: M()(1))


# ---
class M(nn.Module):
    def __init__(self):
        self.a = nn.Parameter(torch.ones(1))


print(attempt(M))


class M(nn.Module):
    def __init__(self):
        self.a = nn.Linear(1, 1)


print(attempt(M))


class M(nn.Module):
    def __init__(self):
        self.register_buffer("a", torch.ones(1))


print(attempt(M))


class M(nn.Module):
    def __init__(self):
        self.register_parameter("a", None)


print(attempt(M))


class M(nn.Module):
    def __init__(self):
        self.a = nn.Buffer(torch.ones(1))


print(attempt(M))


class M(nn.Module):
    def __init__(self):
        self.a = 3


print(
    attempt(lambda: M().a), attempt(lambda: M()(1)), attempt(lambda: list(M().parameters())), attempt(lambda: repr(M()))
)
# ---
m = nn.Module()
for args in [
    ("a",),
    (3, None),
    ("a.b", None),
    ("", None),
    ("training", None),
    ("p", torch.ones(1)),
    ("p", 3),
    ("p", nn.Parameter(torch.ones(1))),
    ("p", None),
    ("q", nn.Parameter(torch.ones(1)) * 2),
]:
    print(args, attempt(lambda: m.register_parameter(*args)))
print(m._parameters)
# ---
m = nn.Module()
for args in [
    (3, None),
    ("a.b", None),
    ("", None),
    ("training", None),
    ("p", 3),
    ("p", torch.ones(1)),
    ("p", None),
    ("q", torch.ones(1), False),
    ("q", torch.ones(2), True),
]:
    print(args, attempt(lambda: m.register_buffer(*args)))
print(m._buffers, m._non_persistent_buffers_set)
# ---
m = nn.Module()
for args in [
    (3, None),
    ("a.b", nn.Identity()),
    ("", None),
    ("training", None),
    ("p", 3),
    ("p", torch.ones(1)),
    ("p", None),
    ("q", nn.Identity()),
    ("q", nn.ReLU()),
    ("r", nn.Identity),
]:
    print(args, attempt(lambda: m.add_module(*args)))
print(m, attempt(lambda: m.register_module("z", nn.Tanh())), m)
# ---
m = nn.Module()
m.x = nn.Parameter(torch.ones(1))
print(
    list(m._parameters),
    attempt(lambda: setattr(m, "x", torch.ones(1))),
    attempt(lambda: setattr(m, "x", 3)),
    attempt(lambda: setattr(m, "x", None)),
    m._parameters,
    m.x,
)
m.x = nn.Parameter(torch.zeros(1))
m.x = nn.Linear(1, 1)
print(list(m._parameters), list(m._modules))
print(
    attempt(lambda: setattr(m, "x", 3)),
    attempt(lambda: setattr(m, "x", torch.ones(1))),
    attempt(lambda: setattr(m, "x", None)),
    m._modules,
)
m.register_buffer("b", torch.ones(1))
m.b = torch.zeros(2)
print(m._buffers, attempt(lambda: setattr(m, "b", 3)))
m.b = None
print(m._buffers)
m.b = nn.Parameter(torch.ones(1))
print(m._buffers, list(m._parameters))
m.c = torch.ones(1)
print("c" in m.__dict__)
m.c = nn.Parameter(torch.ones(1))
print("c" in m.__dict__, list(m._parameters))
del m.c
print(attempt(lambda: m.c), list(m._parameters))
print(attempt(lambda: delattr(m, "nothing")))
del m.x
print(list(m._modules))
# ---
m = nn.Module()
m.a = nn.Buffer(torch.ones(2))
m.b = nn.Buffer(torch.ones(2), persistent=False)
m.c = nn.Buffer(torch.ones(2, requires_grad=True))
print(
    list(m.state_dict()),
    list(dict(m.named_buffers())),
    m.c.requires_grad,
    isinstance(m.a, nn.Buffer),
    type(m.a),
    m.b.persistent,
)
m.b = torch.zeros(2)
print(list(m.state_dict()), m.b, isinstance(m.b, nn.Buffer))
m.b = nn.Buffer(torch.ones(1))
print(list(m.state_dict()))
# ---
net = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 3), nn.ReLU()), nn.Linear(3, 1))
print(
    [n for n, _ in net.named_modules()],
    [n for n, _ in net.named_children()],
    [n for n, _ in net.named_parameters()],
    [n for n, _ in net.named_parameters(prefix="x")],
    [n for n, _ in net.named_parameters(recurse=False)],
    len(list(net.modules())),
    [n for n, _ in net.named_modules(prefix="p")],
)
shared = nn.Linear(2, 2)
net = nn.Sequential(shared, nn.ReLU(), shared)
print(
    [n for n, _ in net.named_modules()],
    [n for n, _ in net.named_modules(remove_duplicate=False)],
    [n for n, _ in net.named_parameters()],
    [n for n, _ in net.named_parameters(remove_duplicate=False)],
    [n for n, _ in net.named_children()],
    list(net.state_dict()),
    len(list(net.parameters())),
    len(list(net.modules(remove_duplicate=False))),
)
# ---
net = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 3), nn.ReLU()))
net.register_buffer("buf", torch.ones(1))
print(net.get_submodule("1.0"), net.get_submodule(""), net.get_parameter("1.0.bias").shape, net.get_buffer("buf"))
for f in (
    lambda: net.get_submodule("1.5"),
    lambda: net.get_submodule("0.weight"),
    lambda: net.get_parameter("buf"),
    lambda: net.get_parameter("0.foo"),
    lambda: net.get_buffer("0.weight"),
    lambda: net.get_buffer("x"),
    lambda: net.set_submodule("", nn.ReLU()),
    lambda: net.set_submodule("1.0", 3),
    lambda: net.set_submodule("1.7", nn.ReLU(), strict=True),
    lambda: net.set_submodule("1.7", nn.ReLU()),
    lambda: net.set_submodule("0.weight", nn.ReLU()),
    lambda: net.set_submodule("q.w", nn.ReLU()),
    lambda: net.set_submodule("1.0", nn.Tanh()),
):
    print(attempt(f))
print(net)
# ---
net = (
    nn.Sequential(nn.Linear(2, 3), nn.Dropout(), nn.Linear(3, 1))
    if hasattr(nn, "Dropout")
    else nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
)
print(
    net.training,
    net.eval() is net,
    [m.training for m in net.modules()],
    net.train() is net,
    [m.training for m in net.modules()],
    attempt(lambda: net.train(1)),
    attempt(lambda: net.train("x")),
)
print(net.requires_grad_(False) is net, [p.requires_grad for p in net.parameters()])
seen = []
print(net.apply(lambda m: seen.append(type(m).__name__)) is net, seen)
# ---
net = nn.Linear(2, 2)
net(torch.ones(1, 2)).sum().backward()
print(net.weight.grad)
net.zero_grad(set_to_none=False)
print(net.weight.grad)
net.zero_grad()
print(net.weight.grad)
net(torch.ones(1, 2)).sum().backward(create_graph=False)
g = net.weight.grad
net.zero_grad(False)
print(g is net.weight.grad, g)
# ---
net = nn.Linear(2, 2)
w = net.weight
net.double()
print(w is net.weight, net.weight.dtype, net.bias.dtype)
net(torch.ones(1, 2, dtype=torch.double)).sum().backward()
net.float()
print(net.weight.grad.dtype, net.weight.dtype, net.weight.requires_grad, net.weight.is_leaf)
net.half()
print(net.weight.dtype)
net.bfloat16()
print(net.weight.dtype)
net.to(torch.float64)
print(net.weight.dtype)
net.register_buffer("n", torch.tensor(3))
net.float()
print(net.n.dtype)
net.type(torch.float64)
print(net.n.dtype, net.weight.dtype)
print(
    net.to("cpu") is net,
    net.to(device="cpu", dtype=torch.float32).weight.dtype,
    net.to(torch.ones(1, dtype=torch.double)).weight.dtype,
    net.cpu() is net,
)
for f in (
    lambda: net.to(torch.int32),
    lambda: net.cuda(),
    lambda: net.to("cuda"),
    lambda: net.to(foo=1),
    lambda: net.to(torch.complex64).weight.dtype,
):
    print(attempt(f))
# ---
import copy

net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
net.foo = [1, 2]
net(torch.ones(1, 2)).sum().backward()
c = copy.deepcopy(net)
print(
    c,
    c[0].weight is net[0].weight,
    torch.equal(c[0].weight, net[0].weight),
    c[0].weight.grad,
    c.foo is net.foo,
    type(c[0].weight),
)
s = copy.copy(net)
print(s[0] is net[0])
net.register_forward_hook(lambda m, a, o: o * 0)
c = copy.deepcopy(net)
print(c(torch.ones(1, 2)))
# ---
m = nn.Linear(1, 1)
print(
    attempt(lambda: nn.Linear(1)),
    attempt(lambda: nn.Linear("a", 2)),
    attempt(lambda: nn.Linear(2, 2, foo=1)),
    attempt(lambda: nn.Linear(-1, 2)),
    attempt(lambda: nn.Module(1)),
    attempt(lambda: nn.Module(a=1)),
    attempt(lambda: m.foo),
    attempt(lambda: m()),
    attempt(lambda: m(1)),
    attempt(lambda: m(torch.ones(1), torch.ones(1))),
)
# ---
print(nn.Linear(0, 3).weight, nn.Linear(3, 0).weight.shape, nn.Linear(3, 0)(torch.ones(2, 3)).shape)


# ---
class M(nn.Module):
    call_super_init = True

    def __init__(self, *a, **k):
        super().__init__(*a, **k)


class Base:
    def __init__(self, x=None):
        self.x = x


class N(nn.Module, Base):
    call_super_init = True

    def __init__(self, x):
        super().__init__(x=x)


print(attempt(lambda: N(5).x), attempt(M), attempt(lambda: M(3)))


# ---
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
        self.l = [nn.Linear(1, 1)]
        self.t = torch.ones(2)
        self.d = {"a": nn.Linear(1, 1)}
        self.n = None

    @property
    def prop(self):
        return self.missing


print(M(), [n for n, _ in M().named_parameters()], attempt(lambda: M().prop))


# ---
class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
        self.head = nn.ModuleDict({"a": nn.Linear(1, 2), "b": nn.Identity()})
        self.list = nn.ModuleList(
            [
                nn.Linear(1, 1),
                nn.Linear(1, 1),
                nn.ReLU(),
                nn.Sequential(nn.ReLU(), nn.Tanh()),
                nn.Sequential(nn.ReLU(), nn.Tanh()),
            ]
        )
        self.none = None
        self.register_module("gone", None)

    def extra_repr(self):
        return "first line\nsecond line"


Outer()


# ---
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.ones(1))
        self.register_buffer("b", torch.ones(1))
        self.c = nn.ReLU()
        self.d = 3


m = M()
print(
    hasattr(m, "a"),
    "a" in dir(m),
    "b" in dir(m),
    "c" in dir(m),
    "d" in dir(m),
    "a" in m.__dict__,
    isinstance(m.a, nn.Parameter),
    getattr(m, "zz", "default"),
)
# ---
s = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 3))
print(
    len(s),
    s[0],
    s[-1],
    s[0:2],
    s[::2],
    type(s[1:]),
    attempt(lambda: s[3]),
    attempt(lambda: s[-4]),
    attempt(lambda: s["0"]),
    list(iter(s))[1],
)
s[1] = nn.Tanh()
print(s)
s.append(nn.Sigmoid())
s.extend([nn.ReLU()])
s.insert(1, nn.Identity())
print(s)
print(s.pop(1), s.pop(-1))
del s[0]
print(s)
del s[1:]
print(s)
print(nn.Sequential(nn.ReLU()) + nn.Sequential(nn.Tanh()), nn.Sequential(nn.ReLU()) * 2, 2 * nn.Sequential(nn.ReLU()))
s *= 3
print(s)
s += nn.Sequential(nn.ReLU())
print(s)
for f in (
    lambda: s + [nn.ReLU()],
    lambda: s * 0,
    lambda: s * 1.5,
    lambda: s.__imul__(-1),
    lambda: s.insert(99, nn.ReLU()),
    lambda: s.insert(0, 3),
    lambda: s.append(3),
    lambda: s.extend(3),
    lambda: s.__setitem__(0, 3),
    lambda: s.__iadd__(3),
    lambda: nn.Sequential(3),
    lambda: nn.Sequential(lambda x: x),
    lambda: s.pop(99),
    lambda: s.pop("1"),
):
    print(attempt(f))
# ---
from collections import OrderedDict

s = nn.Sequential(OrderedDict([("fc", nn.Linear(1, 2)), ("act", nn.ReLU())]))
print(
    s,
    s.fc,
    s[0],
    s["fc"] if False else "",
    list(s.state_dict()),
    s[0:1],
    attempt(lambda: nn.Sequential({"a": nn.ReLU()})),
    nn.Sequential(),
    nn.Sequential()(3),
    s.append(nn.Tanh()),
)
del s[0]
print(s)
# ---
l = nn.ModuleList([nn.Linear(1, 1), nn.ReLU()])
print(
    len(l),
    l[0],
    l[-1],
    l[0:1],
    attempt(lambda: l[2]),
    attempt(lambda: l["a"]),
    [m for m in l],
    nn.ReLU() in l,
    l[1] in l,
)
l.append(nn.Tanh())
l.extend([nn.Sigmoid()])
l.insert(0, nn.Identity())
l += [nn.ReLU()]
print(l)
del l[0]
del l[1:3]
print(l, l.pop(0), l)
l[0] = nn.GELU()
print(l)
for f in (
    lambda: l(1),
    lambda: l.append(3),
    lambda: l.extend(3),
    lambda: nn.ModuleList(3),
    lambda: l + [nn.ReLU()],
    lambda: l.insert(9, nn.ReLU()) or l,
    lambda: l.__setitem__(9, nn.ReLU()),
    lambda: l.__delitem__(77),
    lambda: nn.ModuleList([1]),
):
    print(attempt(f))
# ---
d = nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.ReLU()})
print(d, len(d), list(d), list(d.keys()), list(d.items())[1], list(d.values())[1], "a" in d, "z" in d, d["b"])
d["c"] = nn.Tanh()
d.update({"d": nn.Identity()})
d.update([("e", nn.ReLU())])
print(d, d.pop("a"))
del d["b"]
print(d)
for f in (
    lambda: d["zz"],
    lambda: d.pop("zz"),
    lambda: d.__setitem__("q", 3),
    lambda: d.__setitem__(3, nn.ReLU()),
    lambda: d.update(3),
    lambda: d.update([3]),
    lambda: d.update([(1, 2, 3)]),
    lambda: d(1),
    lambda: d.__setitem__("x.y", nn.ReLU()),
    lambda: d.__setitem__("keys", nn.ReLU()),
    lambda: d.__delitem__("zz"),
    lambda: nn.ModuleDict(3),
):
    print(attempt(f))
d.clear()
print(d, len(d))
# ---
p = nn.ParameterList([nn.Parameter(torch.ones(2)), torch.zeros(3, 4), 5, "x", nn.Parameter(torch.tensor(1.0))])
print(
    p,
    len(p),
    p[0],
    p[1],
    type(p[1]),
    p[-1],
    p[1:3],
    [n for n, _ in p.named_parameters()],
    attempt(lambda: p[9]),
    attempt(lambda: p()),
)
p.append(torch.ones(1))
p.extend([torch.ones(2)])
p += [nn.Parameter(torch.ones(1, 1))]
p[0] = torch.full((2,), 7.0)
print(
    p,
    p[0],
    attempt(lambda: p.extend(torch.ones(1))),
    attempt(lambda: p.extend(3)),
    attempt(lambda: p["a"]),
    list(p.state_dict()),
)
print(
    nn.ParameterList(torch.ones(1) for _ in range(2)),
    nn.ParameterList(),
    nn.ParameterList([torch.ones(2, dtype=torch.float64)]),
)
# ---
p = nn.ParameterDict({"b": torch.ones(2), "a": nn.Parameter(torch.zeros(1)), "c": 5})
print(
    p,
    list(p),
    list(p.keys()),
    p["a"],
    "a" in p,
    len(p),
    p.get("z"),
    p.get("z", 3),
    attempt(lambda: p["zz"]),
    attempt(lambda: p(1)),
    [n for n, _ in p.named_parameters()],
    list(p.items())[2],
    list(reversed(p)),
)
p["d"] = torch.ones(1)
p.update({"e": torch.ones(1)})
p.setdefault("f", torch.ones(1))
p.setdefault("a", torch.ones(1))
print(
    p.pop("b"),
    p.popitem(),
    p,
    p.copy(),
    p | nn.ParameterDict({"z": torch.ones(1)}),
    p.fromkeys(["x", "y"], torch.ones(1)),
)
del p["a"]
print(
    p,
    attempt(lambda: p.__setitem__(3, torch.ones(1))),
    attempt(lambda: p.update(3)),
    attempt(lambda: p.update([1])),
    attempt(lambda: p.update([(1, 2, 3)])),
    attempt(lambda: p.pop("zz")),
)
p.clear()
print(p)
p = nn.ParameterDict([("k", torch.ones(1))])
p |= {"m": torch.ones(2)} if False else nn.ParameterDict({"m": torch.ones(2)})
print(p)
# ---
p = nn.Parameter(torch.ones(2))
q = nn.Parameter(torch.ones(2), requires_grad=False)
print(
    p,
    q,
    type(p),
    isinstance(p, torch.Tensor),
    p.is_leaf,
    (p * 2).__class__.__name__,
    type(p.data),
    type(p.detach()),
    type(p.clone()),
    type(p.view(2)),
    type(p[0]),
    nn.Parameter(p) is p,
    nn.Parameter(),
    p.requires_grad_(False) is p,
    [p, q],
    {"a": p},
    f"{p}",
    f"{nn.Parameter(torch.tensor(2.0)):.3f}",
)
# ---
import copy

p = nn.Parameter(torch.ones(2))
p.tag = 1
p.sum().backward()
c = copy.deepcopy(p)
print(type(c), c.grad, hasattr(c, "tag"), c.requires_grad, copy.copy(p).grad, attempt(lambda: copy.deepcopy(p * 2)))
# ---
for f in (
    lambda: nn.Parameter(torch.ones(2).long()),
    lambda: nn.Parameter(3.0),
    lambda: nn.Parameter([1.0]),
    lambda: nn.Parameter(torch.ones(2), 3),
    lambda: nn.Parameter(torch.ones(2).long(), requires_grad=False),
    lambda: nn.Parameter(torch.ones(2, requires_grad=True) * 2).is_leaf,
    lambda: nn.Parameter(torch.ones(2, dtype=torch.complex64)),
):
    print(attempt(f))
# ---
x = torch.zeros(2)
p = nn.Parameter(x)
with torch.no_grad():
    p.add_(1)
print(x, p._version, x._version)
x.mul_(3)
print(p, p._version)
p.data = torch.ones(3)
print(p, x)
p.data.fill_(5)
print(p, p._version)
p.grad = torch.ones(3)
print(attempt(lambda: setattr(p, "grad", torch.ones(2))), attempt(lambda: p.add_(1)))


# ---
class MyP(nn.Parameter):
    pass


class T(torch.Tensor):
    pass


p = MyP(torch.ones(1))
print(type(p), p, isinstance(p, nn.Parameter), type(p * 2))
m = nn.Module()
m.p = p
print(list(m.named_parameters()))
# ---
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy

u = UninitializedParameter()
print(u, is_lazy(u), is_lazy(nn.Parameter(torch.ones(1))), attempt(lambda: u.shape), type(u), u.requires_grad, u.dtype)
u.materialize((2, 3))
print(type(u), u.shape)
b = UninitializedBuffer()
print(b, is_lazy(b))
b.materialize((2,))
print(type(b), b.shape)
# ---
l = nn.LazyLinear(3)
print(l, l.weight, l.bias, l.has_uninitialized_params(), list(l.state_dict()), type(l), l.in_features)
y = l(torch.ones(2, 4))
print(l, type(l), y.shape, l.weight.shape, hasattr(l, "_initialize_hook"))
# ---
a = nn.LazyLinear(3)
b = nn.Linear(4, 3)
a.load_state_dict(b.state_dict())
print(a, type(a), a.weight.shape, attempt(lambda: a(torch.ones(1, 4)).shape), a)
c = nn.LazyLinear(3)
print(
    attempt(lambda: b.load_state_dict(c.state_dict())),
    attempt(lambda: c.double().weight.dtype),
    attempt(lambda: c(torch.ones(1, 4, dtype=torch.double)).dtype),
)
