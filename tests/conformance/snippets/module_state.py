net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1, bias=False))
sd = net.state_dict()
print(
    type(sd),
    sd,
    sd._metadata,
    [v.requires_grad for v in sd.values()],
    sd["0.weight"].data_ptr() == net[0].weight.data_ptr(),
)
kv = net.state_dict(keep_vars=True)
print(kv["0.weight"] is net[0].weight, list(net.state_dict(prefix="p.")))
d = {}
print(net.state_dict(destination=d) is d, list(d))
print(list(net.state_dict(d, "q.", True)), attempt(lambda: list(net.state_dict(None, "x."))))
# ---
net = nn.Linear(2, 2)
other = nn.Linear(2, 2)
w = net.weight
r = net.load_state_dict(other.state_dict())
print(
    r,
    type(r).__name__,
    r.missing_keys,
    r == ([], []),
    torch.equal(net.weight, other.weight),
    net.weight is w,
    net.weight.requires_grad,
)
for sd in (
    {},
    {"weight": torch.ones(2, 2)},
    {"weight": torch.ones(2, 2), "bias": torch.ones(2), "extra": torch.ones(1)},
    {"weight": torch.ones(3, 2), "bias": torch.ones(2)},
    {"weight": torch.ones(3, 2), "foo": 1},
    {"weight": 3, "bias": torch.ones(2)},
    {"weight": [[1.0, 2], [3, 4]], "bias": torch.ones(2)},
    3,
    [("weight", torch.ones(2, 2))],
    None,
):
    print(attempt(lambda: net.load_state_dict(sd)))
    print(attempt(lambda: net.load_state_dict(sd, strict=False)))
print(net.weight)
# ---
net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 1)))
sd = net.state_dict()
sd["1.0.foo"] = torch.ones(1)
sd["2.weight"] = torch.ones(1)
del sd["0.bias"]
sd["1.0.weight"] = torch.ones(5)
print(attempt(lambda: net.load_state_dict(sd)))
print(attempt(lambda: net.load_state_dict(sd, strict=False)))
# ---
net = nn.Linear(2, 2)
sd = {"weight": torch.ones(2, 2, dtype=torch.double), "bias": torch.zeros(2)}
net.load_state_dict(sd)
print(net.weight, net.weight.dtype)
net.load_state_dict(sd, assign=True)
print(
    net.weight,
    net.weight.dtype,
    net.bias is sd["bias"],
    type(net.bias),
    net.bias.requires_grad,
    net.bias.data_ptr() == sd["bias"].data_ptr(),
)
p = nn.Parameter(torch.ones(2), requires_grad=False)
sd["bias"] = p
net.load_state_dict(sd, assign=True)
print(net.bias is p, net.bias.requires_grad)
print(
    attempt(lambda: net.load_state_dict({"weight": torch.ones(2, 2).long(), "bias": torch.zeros(2)}, assign=True)),
    net.weight.dtype,
)


# ---
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.ones(2))
        self.register_buffer("b", torch.ones(2), persistent=False)
        self.register_buffer("c", None)
        self.p = nn.Parameter(torch.tensor(1.0))
        self.register_parameter("q", None)


m = M()
print(
    list(m.state_dict()),
    m.load_state_dict({"a": torch.zeros(2), "p": torch.ones(1) * 5}),
    m.p,
    m.a,
    attempt(lambda: m.load_state_dict({"a": torch.zeros(2), "p": torch.ones(1), "b": torch.ones(2)})),
    attempt(lambda: m.load_state_dict({"a": torch.zeros(2), "p": torch.ones(1), "c": torch.ones(2)})),
    attempt(lambda: m.load_state_dict({"a": torch.zeros(2), "p": torch.ones(2)})),
)


# ---
class M(nn.Linear):
    def get_extra_state(self):
        return {"n": 3}

    def set_extra_state(self, s):
        self.s = s


m = M(1, 1)
sd = m.state_dict()
print(list(sd), sd["_extra_state"])
m.load_state_dict(sd)
print(m.s)
del sd["_extra_state"]
print(attempt(lambda: m.load_state_dict(sd)), m.load_state_dict(sd, strict=False))
l = nn.Linear(1, 1)
print(
    attempt(lambda: l.load_state_dict(M(1, 1).state_dict())),
    attempt(lambda: l.get_extra_state()),
    attempt(lambda: l.set_extra_state(1)),
)
# ---
log = []
net = nn.Sequential(nn.Linear(1, 1))
h1 = net.register_state_dict_pre_hook(lambda m, prefix, keep: log.append(("pre", type(m).__name__, prefix, keep)))
h2 = net[0].register_state_dict_post_hook(lambda m, sd, prefix, meta: log.append(("post", list(sd), prefix, meta)))
h3 = net._register_state_dict_hook(lambda m, sd, prefix, meta: dict.fromkeys(sd, 1))
print(net.state_dict(), log)
h3.remove()
h2.remove()
h1.remove()
log.clear()
print(list(net.state_dict()), log)
net.register_state_dict_post_hook(lambda m, sd, prefix, meta: 3)
print(attempt(lambda: net.state_dict()))
f = lambda m, sd, prefix, meta: None
net2 = nn.Linear(1, 1)
net2.register_state_dict_post_hook(f)
print(attempt(lambda: net2._register_state_dict_hook(f)))
# ---
log = []
net = nn.Sequential(nn.Linear(1, 1))
sd = net.state_dict()
net.register_load_state_dict_pre_hook(
    lambda m, sd, prefix, meta, strict, missing, unexpected, errors: log.append(
        (type(m).__name__, list(sd), prefix, meta, strict, missing, unexpected, errors)
    )
)
net[0]._register_load_state_dict_pre_hook(lambda sd, prefix, *rest: log.append((list(sd), prefix)))
net.register_load_state_dict_post_hook(lambda m, keys: log.append(("post", type(m).__name__, keys)))
net.load_state_dict(sd)
print(log)
log.clear()
net[0].register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
print(net.load_state_dict({"0.bias": torch.ones(1)}))
net.register_load_state_dict_post_hook(lambda m, keys: 3)
print(attempt(lambda: net.load_state_dict(sd)))


# ---
class M(nn.Module):
    _version = 2

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(1))

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        print(prefix, local_metadata, strict)
        state_dict[prefix + "w"] = state_dict.pop(prefix + "old")
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


n = nn.Sequential(M())
print(n.state_dict()._metadata, n.load_state_dict({"0.old": torch.zeros(1)}), n[0].w)
# ---
shared = nn.Linear(1, 1)
net = nn.Sequential(shared, shared)
sd = net.state_dict()
print(list(sd), sd["0.weight"].data_ptr() == sd["1.weight"].data_ptr())
sd["1.weight"] = torch.full((1, 1), 5.0)
net.load_state_dict(sd)
print(net[0].weight)
# ---
import io

net = nn.Linear(2, 2)
f = io.BytesIO()
torch.save(net.state_dict(), f)
f.seek(0)
sd = torch.load(f)
print(list(sd), torch.equal(sd["weight"], net.weight), type(sd))
# ---
net = nn.Linear(2, 2)
with torch.no_grad():
    for p in net.parameters():
        p.fill_(2.0)
    net.weight[0, 0] = 5
    net.bias += 1
print(
    net.weight,
    net.bias,
    net.weight._version,
    attempt(lambda: net.weight.fill_(1)),
    attempt(lambda: net.weight.__setitem__(0, 1.0)),
)
net.weight.data.fill_(1)
net.weight.data = torch.zeros(2, 2)
print(net.weight, net.weight.requires_grad)
net.weight = nn.Parameter(torch.eye(2))
print(list(dict(net.named_parameters())), net.weight)
# ---
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
for p in net[0].parameters():
    p.requires_grad = False
print([(n, p.requires_grad) for n, p in net.named_parameters()])
net(torch.ones(1, 2)).sum().backward()
print([p.grad for p in net.parameters()])
# ---
net = nn.Linear(2, 2)


def mutate():
    net.weight = torch.ones(2, 2)


print(attempt(mutate))
del net.weight
net.weight = torch.ones(2, 2)
print(net(torch.ones(2)), "weight" in net._parameters, list(net.state_dict()))
# ---
a, b = nn.Linear(2, 2), nn.Linear(2, 2)
b.weight = a.weight
print(b.weight is a.weight)
net = nn.Sequential(a, b)
print(len(list(net.parameters())), [n for n, _ in net.named_parameters()])
net(torch.ones(1, 2)).sum().backward()
print(a.weight.grad is b.weight.grad, a.weight.grad)
# ---
opt_net = nn.Linear(2, 1)
opt = torch.optim.SGD(opt_net.parameters(), lr=0.1)
x = torch.ones(4, 2)
losses = []
for _ in range(3):
    opt.zero_grad()
    loss = (opt_net(x) - 1).pow(2).mean()
    loss.backward()
    opt.step()
    losses.append(round(loss.item(), 4))
print(losses, opt_net.weight, opt_net.bias)
