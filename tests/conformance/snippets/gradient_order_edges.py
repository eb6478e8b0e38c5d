c = torch.ones(2, 3, dtype=torch.complex64, requires_grad=True)
seen = []
for change in (lambda w: w.abs(), lambda w: w.angle(), lambda w: w.sgn().abs()):
    w = c.T
    seen.append([g.stride() for g in torch.autograd.grad(change(w).sum(), [w, c])])
seen
# ---
a, t = torch.ones(()).expand(3, 2), torch.ones(2, 3, dtype=torch.complex64).T
(a * t).stride(), (a + t).stride(), (t * a).stride(), (a / t).stride(), (2.0**t.real).stride(), torch.full_like(t, 1).stride()
# ---
r = torch.ones(2, 3, requires_grad=True)
w = r.T
torch.autograd.grad(torch.maximum(w, w * 2).sum(), w)[0].stride(), torch.autograd.grad((w**w.detach()).sum(), w)[0].stride()
# ---
c = torch.tensor([0, 1 + 1j], requires_grad=True)
(g,) = torch.autograd.grad(c.abs().sum(), c, create_graph=True)
(second,) = torch.autograd.grad(g.abs().sum(), c, create_graph=True)
second.detach().abs() < 1e-6, second.grad_fn.name(), [n.name() for n, _ in second.grad_fn.next_functions]
