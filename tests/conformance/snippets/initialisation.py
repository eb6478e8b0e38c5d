def fp(t):
    return [round(v, 4) for v in t.detach().flatten()[:6].tolist()] + [round(t.double().sum().item(), 3)]


for seed in (0, 7):
    for shape in ((3, 4), (5, 7), (2, 3, 3), (16, 17), (2, 3, 2, 2)):
        for f in (
            nn.init.uniform_,
            nn.init.normal_,
            nn.init.xavier_uniform_,
            nn.init.xavier_normal_,
            nn.init.kaiming_uniform_,
            nn.init.kaiming_normal_,
            nn.init.trunc_normal_,
            nn.init.ones_,
            nn.init.zeros_,
        ):
            torch.manual_seed(seed)
            t = torch.empty(shape)
            r = f(t)
            print(f.__name__, shape, r is t, fp(t))


# ---
def fp(t):
    return [round(v, 4) for v in t.detach().flatten()[:8].tolist()]


torch.manual_seed(1)
for t in (
    nn.init.uniform_(torch.empty(3), -2, 5),
    nn.init.normal_(torch.empty(5), 3, 0.1),
    nn.init.constant_(torch.empty(2), 3.5),
    nn.init.eye_(torch.empty(2, 3)),
    nn.init.dirac_(torch.empty(3, 2, 3)),
    nn.init.dirac_(torch.empty(4, 2, 3, 3), groups=2).sum(0),
    nn.init.xavier_uniform_(torch.empty(3, 5), gain=2.0),
    nn.init.kaiming_uniform_(torch.empty(3, 5), a=0.2, mode="fan_out", nonlinearity="leaky_relu"),
    nn.init.kaiming_normal_(torch.empty(3, 5), mode="fan_out", nonlinearity="relu"),
    nn.init.trunc_normal_(torch.empty(20), std=0.02),
    nn.init.trunc_normal_(torch.empty(20), 0, 1, -0.5, 0.3),
    nn.init.trunc_normal_(torch.empty(20), 0, 1, 2.0, 3.0),
    nn.init.sparse_(torch.empty(5, 3), 0.4),
    nn.init.normal_(torch.empty(4, dtype=torch.double)),
    nn.init.uniform_(torch.empty(4, dtype=torch.half)),
):
    print(fp(t))
# ---
torch.manual_seed(2)
for shape in ((3, 3), (3, 5), (5, 3), (2, 3, 2)):
    q = nn.init.orthogonal_(torch.empty(shape), gain=1.5)
    f = q.reshape(shape[0], -1)
    print([round(v, 4) for v in q.flatten().tolist()])
# ---
for n, p in [
    ("linear", None),
    ("conv2d", None),
    ("conv_transpose3d", None),
    ("sigmoid", None),
    ("tanh", None),
    ("relu", None),
    ("leaky_relu", None),
    ("leaky_relu", 0.2),
    ("leaky_relu", True),
    ("leaky_relu", "x"),
    ("selu", None),
    ("foo", None),
    ("conv", None),
]:
    print(n, p, attempt(lambda: nn.init.calculate_gain(n, p)))
# ---
t = torch.empty(2, 3)
for f in (
    lambda: nn.init.eye_(torch.empty(3)),
    lambda: nn.init.dirac_(t),
    lambda: nn.init.dirac_(torch.empty(3, 2, 3), 2),
    lambda: nn.init.xavier_uniform_(torch.empty(3)),
    lambda: nn.init.kaiming_normal_(torch.empty(3)),
    lambda: nn.init.kaiming_uniform_(t, mode="foo"),
    lambda: nn.init.kaiming_uniform_(t, nonlinearity="foo"),
    lambda: nn.init.kaiming_uniform_(torch.empty(0, 3)).shape,
    lambda: nn.init.orthogonal_(torch.empty(3)),
    lambda: nn.init.sparse_(torch.empty(3), 0.1),
    lambda: nn.init.trunc_normal_(t, 10.0, 1.0).shape,
    lambda: nn.init.uniform(torch.empty(2)).shape,
    lambda: nn.init.xavier_normal(t).shape,
    lambda: nn.init.normal_(t, std=-1.0),
    lambda: nn.init.uniform_(t, 2.0, 1.0),
    lambda: nn.init._calculate_fan_in_and_fan_out(torch.empty(4, 3, 2, 2)),
    lambda: nn.init._calculate_correct_fan(torch.empty(4, 3), "FAN_OUT"),
    lambda: nn.init.constant(t, 1.0).shape,
):
    print(attempt(f))
# ---
w = nn.Parameter(torch.empty(2, 2))
nn.init.ones_(w)
print(w, w.requires_grad, w.grad_fn, w._version)
x = torch.ones(2, 2, requires_grad=True)
nn.init.zeros_(x)
print(x, x.is_leaf)
y = torch.ones(2, 2, requires_grad=True) * 2
nn.init.constant_(y, 5.0)
print(y)
y.sum().backward()
# ---
g = torch.Generator().manual_seed(5)
torch.manual_seed(0)
a = nn.init.normal_(torch.empty(3), generator=g)
b = torch.randn(2)
print(a, b, nn.init.xavier_uniform_(torch.empty(2, 2), generator=g))


# ---
def fp(t):
    return [round(v, 4) for v in t.detach().flatten()[:5].tolist()]


torch.manual_seed(0)
for m in (
    nn.Linear(4, 3),
    nn.Bilinear(3, 2, 4),
    nn.Linear(2, 2, dtype=torch.double),
    nn.PReLU(2),
    nn.Linear(20, 30),
    nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 10]),
):
    for n, p in m.named_parameters():
        print(n, tuple(p.shape), fp(p))
print(torch.rand(2))


# ---
def init(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight)
        nn.init.zeros_(m.bias)


torch.manual_seed(4)
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
net.apply(init)
print(net.state_dict())
# ---
torch.manual_seed(0)
print(
    torch.empty(3, 5).t().uniform_(),
    torch.empty(3, 6).t().normal_(),
    torch.empty(2, 3).exponential_(),
    torch.empty(4).random_(0, 10),
    torch.empty(3).bernoulli_(0.3),
    torch.normal(torch.zeros(3), torch.ones(3)),
    torch.normal(0.0, 1.0, (2, 2)),
    torch.bernoulli(torch.full((3,), 0.5)),
    torch.multinomial(torch.tensor([0.1, 0.2, 0.7]), 2),
    torch.empty(3).geometric_(0.5),
    torch.empty(2).cauchy_(),
    torch.empty(2).log_normal_(),
)
