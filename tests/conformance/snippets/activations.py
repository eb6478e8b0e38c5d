x = torch.tensor([-4.0, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 4.0], requires_grad=True)
for n, kw in [
    ("elu", {}),
    ("celu", {}),
    ("selu", {}),
    ("leaky_relu", {}),
    ("hardtanh", {}),
    ("relu6", {}),
    ("relu", {}),
    ("silu", {}),
    ("mish", {}),
    ("hardswish", {}),
    ("hardsigmoid", {}),
    ("rrelu", {}),
    ("rrelu", dict(training=True)),
    ("threshold", dict(threshold=0.3, value=5.0)),
]:
    y = x * 1
    o = getattr(F, n)(y, inplace=True, **kw)
    (g,) = torch.autograd.grad(o.sum(), x)
    print(n, o, o is y, y._version, g)
# ---
x = torch.tensor([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.5], requires_grad=True)
for n, kw in [
    ("elu", {}),
    ("celu", dict(alpha=2.0)),
    ("selu", {}),
    ("gelu", {}),
    ("gelu", dict(approximate="tanh")),
    ("logsigmoid", {}),
    ("hardshrink", {}),
    ("softshrink", {}),
    ("softsign", {}),
    ("tanhshrink", {}),
    ("leaky_relu", dict(negative_slope=0.2)),
    ("hardtanh", dict(min_val=-0.3, max_val=0.7)),
    ("relu6", {}),
    ("relu", {}),
    ("silu", {}),
    ("mish", {}),
    ("hardswish", {}),
    ("hardsigmoid", {}),
    ("rrelu", {}),
    ("rrelu", dict(training=True)),
    ("threshold", dict(threshold=0.3, value=5.0)),
    ("softplus", dict(beta=2)),
    ("sigmoid", {}),
    ("tanh", {}),
    ("softmax", dict(dim=0)),
    ("log_softmax", dict(dim=0)),
    ("softmin", dict(dim=0)),
]:
    torch.manual_seed(1)
    o = getattr(F, n)(x, **kw)
    (g,) = torch.autograd.grad((o * torch.linspace(0.5, 1.5, 7)).sum(), x, create_graph=True)
    print(n, o, g)
    if g.requires_grad:
        print(attempt(lambda: torch.autograd.grad((g**2).sum(), x)))
# ---
for n in (
    "elu",
    "gelu",
    "relu",
    "silu",
    "softplus",
    "hardtanh",
    "leaky_relu",
    "logsigmoid",
    "hardshrink",
    "softshrink",
    "mish",
    "hardswish",
    "hardsigmoid",
    "glu",
    "celu",
    "selu",
    "rrelu",
    "relu6",
    "sigmoid",
    "softsign",
):
    for t in (torch.long, torch.half, torch.bfloat16, torch.complex64, torch.bool):
        if (n == "softsign" and t is torch.bool) or (n == "sigmoid" and t is torch.complex64):
            continue
        print(n, t, attempt(lambda: getattr(F, n)(torch.tensor([-1.0, 0.0, 0.6, 2.0]).to(t))))
# ---
x = torch.tensor([[-1.0, 2.0, -3.0], [0.5, -0.5, 0.0]], requires_grad=True)
for w in (
    torch.tensor([0.25], requires_grad=True),
    torch.tensor([0.1, 0.2, 0.3], requires_grad=True),
    torch.tensor(0.5, requires_grad=True),
):
    o = F.prelu(x, w)
    print(o, o.grad_fn.next_functions[1][0].name(), torch.autograd.grad(o.sum(), (x, w)))
print(
    attempt(lambda: F.prelu(x, torch.ones(2))),
    attempt(lambda: F.prelu(x, torch.ones(1, 1))),
    attempt(lambda: F.prelu(x, torch.ones(1).double())),
    attempt(lambda: F.prelu(torch.tensor(1.0), torch.ones(2))),
    attempt(lambda: F.prelu(x, 3)),
    F.prelu(torch.tensor(-1.0), torch.ones(1) * 0.3),
)
m = nn.PReLU(3, 0.3)
print(m, m.weight, list(m.state_dict()))
o = m(x)
o.sum().backward()
print(o, m.weight.grad)
# ---
x = torch.arange(12.0).reshape(2, 6).requires_grad_()
for d in (0, 1, -1):
    o = F.glu(x, d)
    print(o, torch.autograd.grad(o.sum(), x))
print(
    attempt(lambda: F.glu(x[:, :5])),
    attempt(lambda: F.glu(torch.tensor(1.0))),
    attempt(lambda: F.glu(x, 5)),
    attempt(lambda: F.glu(3)),
)
# ---
x = torch.ones(2, 3)
print(
    attempt(lambda: F.softmax(x)),
    attempt(lambda: F.log_softmax(x)),
    attempt(lambda: F.softmin(x)),
    attempt(lambda: nn.Softmax()(x)),
    attempt(lambda: nn.LogSoftmax()(x[0])),
    attempt(lambda: nn.Softmin()(x)),
    attempt(lambda: F.softmax(x, 5)),
    attempt(lambda: F.softmax(x.long(), 0)),
    F.softmax(x.long(), 0, dtype=torch.float64),
    attempt(lambda: nn.Softmax2d()(x)),
    nn.Softmax2d()(torch.ones(1, 2, 1, 1)),
    attempt(lambda: F.gelu(x, approximate="foo")),
    attempt(lambda: F.softshrink(x, -1.0)),
    attempt(lambda: F.hardtanh(x, 2, 1)),
    attempt(lambda: nn.Hardtanh(2, 1)),
    attempt(lambda: nn.Hardtanh(min_value=-3)),
    attempt(lambda: F.celu(x, 0.0)),
    attempt(lambda: F.rrelu(x, 3.0, 1.0)),
    attempt(lambda: F.relu(3)),
    attempt(lambda: F.relu()),
    attempt(lambda: F.leaky_relu(-x * 1, -0.1, True)),
)
# ---
for m in (
    nn.ReLU(),
    nn.ReLU(True),
    nn.ReLU6(),
    nn.ELU(0.5),
    nn.CELU(inplace=True),
    nn.SELU(),
    nn.GELU(),
    nn.GELU("tanh"),
    nn.SiLU(),
    nn.Mish(),
    nn.Sigmoid(),
    nn.Tanh(),
    nn.LogSigmoid(),
    nn.Softplus(2, 10),
    nn.Softshrink(0.3),
    nn.Hardshrink(),
    nn.Softsign(),
    nn.Tanhshrink(),
    nn.Threshold(0.1, 20),
    nn.Threshold(0.1, 20, True),
    nn.Hardtanh(-2, 2),
    nn.Hardsigmoid(),
    nn.Hardsigmoid(True),
    nn.Hardswish(),
    nn.LeakyReLU(0.2, True),
    nn.RReLU(),
    nn.RReLU(0.1, 0.2, True),
    nn.PReLU(),
    nn.GLU(1),
    nn.Softmax(1),
    nn.Softmin(dim=0),
    nn.LogSoftmax(-1),
    nn.Softmax2d(),
):
    print(m, type(m).__module__, attempt(lambda: m.eval()(torch.tensor([[0.1, -0.2], [0.3, 0.4]]))))
# ---
l = torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], requires_grad=True)
torch.manual_seed(3)
s = F.gumbel_softmax(l, tau=0.5)
print(s)
torch.manual_seed(3)
h = F.gumbel_softmax(l, tau=0.5, hard=True)
print(h)
h[:, 0].sum().backward()
print(l.grad)
# ---
x = torch.randn(4, requires_grad=True)
y = x * 2
F.relu_(y)
print(y.grad_fn.name(), attempt(lambda: F.relu_(x)), attempt(lambda: F.elu_(torch.ones(2)[:1].expand(2))))
z = x * 2
w = z * z
F.leaky_relu_(z)
print(attempt(lambda: w.sum().backward()))
m = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True), nn.Linear(2, 1))
m(torch.ones(1, 2)).sum().backward()
print(m[0].weight.grad is not None)
r = (x * 1).sigmoid()
s = r * 1
F.relu(r, inplace=True)
print(attempt(lambda: (s + r).sum().backward()))


# ---
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.RReLU()

    def forward(self, x):
        return self.act(x)


torch.manual_seed(0)
m = M()
x = -torch.ones(3, requires_grad=True)
print(m(x), m.eval()(x))
x = torch.randn(100).mul_(3)
torch.manual_seed(5)
print(F.rrelu(x, training=True).sum(), torch.rand(1))
# ---
l = torch.randn(3, 5, requires_grad=True)
for f in (
    F.relu,
    F.gelu,
    F.softmax,
    torch.relu,
    torch.sigmoid,
    torch.tanh,
    F.softplus,
    F.elu,
    F.silu,
    F.leaky_relu,
    F.cross_entropy,
    F.mse_loss,
    F.linear,
):
    print(f.__name__)
