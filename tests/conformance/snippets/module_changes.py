import torch.nn.utils as U

m = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
x = torch.randn(5, 3)
m(x).pow(2).sum().backward()
print(U.clip_grad_norm_(m.parameters(), 1.0), m[0].weight.grad)
print(
    U.get_total_norm([p.grad for p in m.parameters()]),
    U.clip_grad_norm_(m[0].weight, 0.1, norm_type=float("inf")),
    U.clip_grad_norm_(m.parameters(), 1.0, norm_type=1),
)
U.clip_grad_value_(m.parameters(), 0.01)
print(m[0].weight.grad)
U.clip_grads_with_norm_(m.parameters(), 1e-3, torch.tensor(1.0))
print(m[0].bias.grad)
print(U.clip_grad_norm_([], 1.0), U.clip_grad_norm_((p for p in []), 1.0))
m[0].weight.grad[0, 0] = float("nan")
print(
    attempt(lambda: U.clip_grad_norm_(m.parameters(), 1.0, error_if_nonfinite=True)),
    attempt(lambda: U.clip_grad_norm(m[1].parameters(), 1.0)),
    U.clip_grad_norm_(m.parameters(), 1.0),
)
# ---
import torch.nn.utils as U

m = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
v = U.parameters_to_vector(m.parameters())
print(v.shape, v.grad_fn)
U.vector_to_parameters(torch.arange(26.0), m.parameters())
print(m[1].bias, m[0].weight, attempt(lambda: U.vector_to_parameters([1], m.parameters())), m[0].weight.requires_grad)
# ---
x = torch.ones(2, 3)
l = nn.utils.weight_norm(nn.Linear(3, 4))
print(l, list(dict(l.named_parameters())), list(l.state_dict()))
y = l(x)
print(y)
y.sum().backward()
print(l.weight_g.grad, l.weight_v.grad, l.weight.grad_fn.name())
print(attempt(lambda: nn.utils.weight_norm(l)))
nn.utils.remove_weight_norm(l)
print(list(dict(l.named_parameters())), attempt(lambda: nn.utils.remove_weight_norm(l)), l(x))
# ---
from torch.nn.utils import parametrizations

x = torch.ones(2, 3)
for d in (0, 1, None):
    torch.manual_seed(2)
    l = parametrizations.weight_norm(nn.Linear(3, 4), dim=d)
    print(l, [(n, p.shape) for n, p in l.named_parameters()], l(x))
    l(x).pow(2).sum().backward()
    print([p.grad for p in l.parameters()])
    gs = torch.autograd.grad(l(x).pow(2).sum(), list(l.parameters()), create_graph=True)
    print(torch.autograd.grad(sum(q.pow(2).sum() for q in gs), list(l.parameters())))
l.load_state_dict({"bias": torch.ones(4), "weight_g": torch.tensor(2.0), "weight_v": torch.ones(4, 3)})
print(l.weight, list(l.state_dict()))
# ---
x = torch.ones(2, 3)
l = nn.utils.spectral_norm(nn.Linear(3, 4))
y = l(x)
print(y)
y.sum().backward()
print(l.weight_orig.grad, l.weight_u, list(l.state_dict()), l.state_dict()._metadata)
l.eval()
print(
    l(x),
    attempt(lambda: nn.utils.spectral_norm(l)),
    attempt(lambda: nn.utils.spectral_norm(nn.Linear(2, 2), n_power_iterations=0)),
)
m = nn.utils.spectral_norm(nn.Linear(3, 4))
m.load_state_dict(l.state_dict())
print(m.eval()(x))
nn.utils.remove_spectral_norm(l)
print(list(l.state_dict()), attempt(lambda: nn.utils.remove_spectral_norm(l)))
# ---
from torch.nn.utils import parametrizations

x = torch.ones(2, 3)
l = parametrizations.spectral_norm(nn.Linear(3, 4), n_power_iterations=2)
print(l, list(l.state_dict()))
y = l(x)
print(y)
y.sum().backward()
print(l.parametrizations.weight.original.grad)
l.eval()
print(
    l(x),
    attempt(lambda: parametrizations.spectral_norm(nn.Linear(2, 2), "foo")),
    attempt(lambda: parametrizations.spectral_norm(nn.Linear(2, 2), dim=5)),
)
# ---
import copy

from torch.nn.utils import parametrize


class Sym(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


l = nn.Linear(3, 3)
parametrize.register_parametrization(l, "weight", Sym())
print(
    l,
    l.weight,
    type(l).__name__,
    isinstance(l, nn.Linear),
    parametrize.is_parametrized(l),
    parametrize.is_parametrized(l, "bias"),
    parametrize.type_before_parametrizations(l),
    [n for n, _ in l.named_parameters()],
    list(l.state_dict()),
)
l.weight = torch.ones(3, 3)
print(l.parametrizations.weight.original)
l2 = copy.deepcopy(l)
print(l2, torch.equal(l2.weight, l.weight))
with parametrize.cached():
    print(l.weight is l.weight)
print(l.weight is l.weight, attempt(lambda: parametrize.register_parametrization(l, "foo", Sym())))
l(torch.ones(1, 3)).sum().backward()
print(l.parametrizations.weight.original.grad)


class Bad(nn.Module):
    def forward(self, X):
        return X[0]


class Bad2(nn.Module):
    def forward(self, X):
        return X.double()


class Bad3(nn.Module):
    def forward(self, X):
        return 3


for B in (Bad, Bad2, Bad3):
    print(
        attempt(lambda: parametrize.register_parametrization(nn.Linear(2, 2), "weight", B())),
        attempt(lambda: parametrize.register_parametrization(l, "weight", B())),
    )
parametrize.remove_parametrizations(l, "weight")
print(l, l.weight, type(l), attempt(lambda: parametrize.remove_parametrizations(l, "weight")))
# ---
from torch.nn.utils import parametrize


class Two(nn.Module):
    def forward(self, a, b):
        return a + b

    def right_inverse(self, w):
        return w / 2, w / 2


l = nn.Linear(2, 2)
parametrize.register_parametrization(l, "weight", Two())
print(l, list(l.state_dict()))
l.weight = torch.eye(2)
print(l.parametrizations.weight.original0)
print(attempt(lambda: parametrize.remove_parametrizations(l, "weight", leave_parametrized=False)))
parametrize.remove_parametrizations(l, "weight")
print(l, l.weight)


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = nn.Parameter(torch.tensor(2.0))

    def forward(self, X):
        return X * self.s


l = nn.Linear(2, 2)
l.register_buffer("b", torch.ones(2))
parametrize.register_parametrization(l, "weight", Scale())
parametrize.register_parametrization(l, "weight", Scale())
parametrize.register_parametrization(l, "b", Scale())
print(l, l.b, len(list(l.parameters())))
l(torch.ones(1, 2)).sum().backward()
print(l.parametrizations.weight[0].s.grad, attempt(lambda: setattr(l, "weight", torch.ones(2, 2))))
o = nn.Linear(2, 2)
parametrize.transfer_parametrizations_and_params(l, o)
print(o)
parametrize.remove_parametrizations(l, "weight", False)
print(l)
# ---
from torch.nn.utils import skip_init
from torch.nn.utils.stateless import functional_call

print(skip_init(nn.Linear, 3, 4), attempt(lambda: skip_init(nn.ReLU)), attempt(lambda: skip_init(int)))
print(
    attempt(
        lambda: functional_call(nn.Linear(1, 1), {"weight": torch.ones(1, 1), "bias": torch.zeros(1)}, torch.ones(1, 1))
    ),
    torch.typename(nn.Linear(1, 1)),
    torch.typename(torch.ones(1)),
    torch.typename(3),
    torch.typename(nn.Linear),
    torch.typename(nn.Parameter(torch.ones(1).double())),
)
# ---
torch.manual_seed(0)
m = nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 10], div_value=2.0)
x = torch.randn(6, 8, requires_grad=True)
t = torch.tensor([0, 4, 6, 12, 19, 9])
o = m(x, t)
print(m, o)
o.loss.backward()
print(x.grad[0], m.log_prob(x).shape, m.predict(x), m.log_prob(x).exp().sum(1))
print(
    attempt(lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, [])),
    attempt(lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 3])),
    attempt(lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, [25])),
    attempt(lambda: m(x, t[:2])),
    attempt(lambda: m(x[0], t)),
    attempt(lambda: m(x, t + 15)),
    m(x[0], t[0]).output.shape,
    attempt(lambda: m(x, t[None])),
)
# ---
m = nn.Bilinear(3, 4, 2)
x, y = torch.randn(5, 3, requires_grad=True), torch.randn(5, 4, requires_grad=True)
o = m(x, y)
print(m, o, o.grad_fn.next_functions[0][0].name())
o.pow(2).sum().backward()
print(x.grad[0], m.weight.grad, m.bias.grad)
(g,) = torch.autograd.grad(m(x, y).pow(2).sum(), x, create_graph=True)
print(torch.autograd.grad(g.sum(), [x, y, m.weight])[1])
print(
    attempt(lambda: m(x, x)),
    attempt(lambda: m(x, y[:2])),
    attempt(lambda: m(x[0], y)),
    attempt(lambda: nn.Bilinear(0, 1, 2)),
    m(x[0], y[0]).shape,
)
# ---
print(
    nn.Flatten(),
    nn.Flatten(0, 1)(torch.ones(2, 3, 4)).shape,
    nn.Flatten()(torch.ones(2, 3, 4)).shape,
    nn.Unflatten(1, (2, 3)),
    nn.Unflatten(1, (2, 3))(torch.ones(2, 6)).shape,
    attempt(lambda: nn.Unflatten(1, 3)),
    attempt(lambda: nn.Unflatten(1, (2, "a"))),
    nn.Identity(1, b=2),
    nn.CosineSimilarity(0),
    nn.PairwiseDistance(1),
    nn.PairwiseDistance(p=1, keepdim=True)(torch.ones(2, 3), torch.zeros(2, 3)),
    nn.CosineSimilarity()(torch.ones(2, 3), torch.ones(2, 3) * -2),
)
# ---
for m in (
    nn.L1Loss(),
    nn.MSELoss(reduction="sum"),
    nn.CrossEntropyLoss(weight=torch.ones(2), label_smoothing=0.1),
    nn.NLLLoss(),
    nn.BCELoss(),
    nn.BCEWithLogitsLoss(pos_weight=torch.ones(2)),
    nn.KLDivLoss(),
    nn.SmoothL1Loss(beta=2),
    nn.HuberLoss(),
    nn.HingeEmbeddingLoss(),
    nn.MarginRankingLoss(),
    nn.CosineEmbeddingLoss(),
    nn.SoftMarginLoss(),
    nn.MultiMarginLoss(),
    nn.MultiLabelMarginLoss(),
    nn.MultiLabelSoftMarginLoss(),
    nn.TripletMarginLoss(),
    nn.TripletMarginWithDistanceLoss(),
    nn.PoissonNLLLoss(),
    nn.GaussianNLLLoss(),
    nn.CTCLoss(),
):
    print(m, list(m.state_dict()), m.reduction)
print(
    attempt(lambda: nn.MSELoss(size_average=False).reduction),
    attempt(lambda: nn.L1Loss(reduce=False).reduction),
    attempt(lambda: nn.MSELoss(reduction="x")(torch.ones(1), torch.ones(1))),
    attempt(lambda: nn.HuberLoss(delta="a")),
    attempt(lambda: nn.MultiMarginLoss(p=3)),
    attempt(lambda: nn.TripletMarginLoss(margin=0)),
    attempt(lambda: nn.NLLLoss2d()),
    attempt(lambda: nn.MSELoss()(torch.ones(2, 1), torch.ones(2))),
    attempt(lambda: nn.CrossEntropyLoss()(torch.ones(2, 3), torch.ones(2))),
    attempt(lambda: nn.MultiMarginLoss(weight=torch.ones(2, 2))),
    nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(-1))(
        torch.ones(2, 3), torch.zeros(2, 3), torch.ones(2, 3) * 2
    ),
)
