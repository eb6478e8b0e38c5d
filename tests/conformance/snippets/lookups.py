table = torch.arange(21.0).reshape(7, 3).requires_grad_()
at, starts = torch.tensor([1, 2, 4, 5, 1]), torch.tensor([0, 2])
for mode in ("sum", "mean"):
    out = F.embedding_bag(at, table, starts, mode=mode, scale_grad_by_freq=True)
    print(torch.autograd.grad(out, table, torch.ones_like(out))[0])


# ---
table = torch.arange(21.0, dtype=torch.float64).reshape(7, 3).requires_grad_()
weights = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
out = F.embedding_bag(torch.tensor([[1, 2], [4, 1]]), table, mode="sum", per_sample_weights=weights)
found = torch.autograd.grad(out.sum(), (table, weights), create_graph=True)
print([g.grad_fn.name() for g in found])
print(attempt(lambda: torch.autograd.grad(found[0].sum(), weights)))
print(attempt(lambda: torch.autograd.grad(found[1].sum(), weights)))


# ---
for kind in (torch.float32, torch.float64):
    table = torch.ones(7, 3, dtype=kind)
    for mode in ("sum", "mean", "max"):
        for padding in (None, 1):
            print(kind, mode, padding)
            print(attempt(lambda: F.embedding_bag(torch.tensor([1, 9]), table, torch.tensor([0]), mode=mode, padding_idx=padding)))
print(attempt(lambda: F.embedding(torch.tensor([7]), table, max_norm=1.0)))
print(attempt(lambda: F.embedding(torch.tensor([1.0]), table, max_norm=1.0)))


# ---
for at, classes in (([0, 2, 1], 2), ([1], 0), ([1], -2), ([0, -1], -1), ([], 3), ([0, 2], 5)):
    print(attempt(lambda: F.one_hot(torch.tensor(at, dtype=torch.int64), classes)))


# ---
for lengths, mode in (((1,), "foo"), ((1,) * 8, "reflect"), ((1,) * 8, "constant"), ((1, 1), "foo"), ((1,), "constant")):
    print(attempt(lambda: F.pad(torch.ones(2, 3, 5), lengths, mode)))
print(attempt(lambda: F.interpolate(torch.ones(1, 2, 3), size=0)))
print(attempt(lambda: F.grid_sample(torch.ones(2, 3, 4), torch.ones(2, 3, 2), align_corners=False)))
print(F.grid_sample(torch.ones(0, 3, 4, 5), torch.ones(0, 3, 2, 2), align_corners=False).shape)
print(attempt(lambda: F.unfold(torch.ones(4, 5), 2)), attempt(lambda: F.fractional_max_pool2d(torch.ones(4, 5), 2, 3)))
unpool = nn.MaxUnpool2d(2)
values, at = F.max_pool2d(torch.arange(16.0).reshape(1, 1, 4, 4), 2, return_indices=True)
for size in ([100, 100], torch.Size([1, 1, 5, 9]), (4, 5), [2]):
    print(attempt(lambda: unpool(values, at, output_size=size)))


# ---
logs = torch.randn(6, 2, 4, dtype=torch.float64).log_softmax(2).requires_grad_()
targets = torch.tensor([[1, 2, 3], [2, 2, 1]])
for inputs, labels in (((6, 5), (3, 0)), ((6, 5), (3, 1)), ((2, 2), (3, 2)), ((3, 2), (4, 2))):
    for zero in (False, True):
        loss = attempt(lambda: F.ctc_loss(logs, targets, inputs, labels, zero_infinity=zero))
        print(loss if isinstance(loss, str) else (loss, torch.autograd.grad(loss, logs)[0][:2]))


# ---
a, b, c = torch.randn(3, 2, requires_grad=True), torch.randn(5, 2, 4, requires_grad=True), torch.randn(3, 4, requires_grad=True)
out = torch._trilinear(a, b, c, [1, 3], [0], [1, 2], [2, 3])
found = torch.autograd.grad(out, (a, b, c), torch.ones_like(out), create_graph=True)
print(out, found, torch._trilinear(a, a, a, [], [], [], [0]))
torch.autograd.grad(sum(g.sum() for g in found), (a, b, c))


# ---
m = nn.Linear(2, 2)
for name in ("cuda", "xpu", "ipu", "mtia"):
    print(attempt(lambda: getattr(m, name)()))
print(attempt(lambda: m.to(3)), m.compile() is None, m(torch.ones(1, 2)).shape)
packed = nn.utils.rnn.pack_sequence([torch.ones(3), torch.ones(2)])
print(attempt(lambda: packed.cuda()), attempt(lambda: packed.pin_memory()))


# ---
import torch.nn.init as init
from torch.nn.modules.module import _addindent, _has_any_global_hook

print(_addindent("a\nb\n\nc", 3), bool(_has_any_global_hook()))
print(init._no_grad_normal_(torch.empty(2), 0.0, 1.0), init._no_grad_trunc_normal_(torch.empty(2), 0, 1, -1, 1))
print(init._no_grad_uniform_(torch.empty(2), 0, 1), init._no_grad_fill_(torch.empty(2), 3), init._no_grad_zero_(torch.ones(2)))
print(attempt(lambda: init.kaiming_uniform_(torch.empty(3), nonlinearity="foo")))
print(attempt(lambda: init.orthogonal_(torch.empty(3, 3, dtype=torch.bfloat16))))
print(attempt(lambda: nn.utils.clip_grads_with_norm_([nn.Parameter(torch.ones(1))], 1.0, 3.0)))


# ---
import pickle

from torch.nn.utils.weight_norm import WeightNorm

m = nn.utils.weight_norm(nn.Linear(2, 3))
again = pickle.loads(pickle.dumps(nn.utils.spectral_norm(nn.Linear(2, 3))))
isinstance(next(iter(m._forward_pre_hooks.values())), WeightNorm), callable(nn.utils.weight_norm), list(again.state_dict())


# ---
for orthogonal_map in ("matrix_exp", "cayley", "householder"):
    for sizes in ((3, 3), (2, 4), (4, 2)):
        m = nn.utils.parametrizations.orthogonal(nn.Linear(*sizes), orthogonal_map=orthogonal_map)
        w = m.weight
        small = w @ w.t() if w.shape[0] <= w.shape[1] else w.t() @ w
        print(orthogonal_map, sizes, torch.allclose(small, torch.eye(len(small)), atol=1e-5), w.sum(), [p.shape for p in m.parameters()])


# ---
for p in (0.0, 1.0, 1.5, 2.0, 3.0, float("inf")):
    rows = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    out = F.pdist(rows, p)
    (slope,) = torch.autograd.grad(out, rows, torch.arange(6.0, dtype=torch.float64), create_graph=True)
    print(out, slope, attempt(lambda: torch.autograd.grad(slope.sum(), rows)))
print(attempt(lambda: F.pdist(torch.ones(3))), attempt(lambda: torch.pdist(torch.ones(3, 2), -1)), torch.pdist(torch.ones(1, 2)))


# ---
for m in (nn.AvgPool1d(2), nn.AvgPool1d((2,), 1, 0, True, False), nn.AvgPool2d(2, divisor_override=3), nn.AvgPool3d((2, 1, 2))):
    dims = int(type(m).__name__[-2])
    print(m, sorted(k for k in vars(m) if k[0] != "_"), m(torch.arange(4.0**dims).reshape(1, 1, *[4] * dims)))
for m in (nn.AvgPool1d((2, 3)), nn.MaxPool1d((2, 3)), nn.MaxPool1d(2, (1, 2)), nn.MaxPool1d(2, padding=(1, 1))):
    print(m, attempt(lambda: m(torch.ones(1, 1, 4))))
print(attempt(lambda: nn.parallel.DistributedDataParallel(nn.Linear(1, 1))))
