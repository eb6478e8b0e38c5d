t, c, e = torch.ones(2, 3).t(), torch.ones(3, 2), torch.ones(()).expand(3, 2)
[[torch.where(m, a, b).stride() for a in (t, c, e, torch.tensor(1.0)) for b in (t, c, e)] for m in (t > 0, c > 0, e > 0)]
# ---
x, c = torch.ones(2, 3, requires_grad=True), torch.ones(3, 2)
for create_graph in (False, True):
    seen = []
    for f in (torch.relu, F.leaky_relu, lambda v: F.threshold(v, 0.0, 0.0), lambda v: v**1, lambda v: v**2, lambda v: v**v, lambda v: v.clamp(0.0), lambda v: F.layer_norm(v, (2,)), lambda v: torch.where(v > 0, v, c)):
        seen += [torch.autograd.grad((f(x.t()) * k).sum(), x, create_graph=create_graph)[0].stride() for k in (1, c)]
    print(seen)
[torch.autograd.grad((torch.maximum(x.t(), c) * k).sum(), x)[0].stride() for k in (1, c)]
# ---
y, z = torch.ones(2, 3), torch.ones(2, 3, 4)
[(y.t() ** p).stride() for p in (0, 1, 1.0, 2, 0.5)], F.layer_norm(y.t(), (2,)).stride(), F.layer_norm(z.permute(2, 0, 1), (2, 3)).stride(), F.layer_norm(z[..., ::2], (2,), torch.ones(2)).stride()
# ---
x = torch.tensor(2j)
y = x.logcumsumexp(0)
y.fill_(1)
x, y
