v = torch.arange(4.0)
v[:] = v[1]
x = torch.tensor(-1.0)
x.reshape(1, 1)[...] = x
v, x, torch.arange(3.0)[:2].fill_(torch.arange(3.0)[2]), attempt(lambda: x.expand(2).fill_(x))
# ---
v = torch.arange(4.0, requires_grad=True) * 1
v[:2] = v[1]
v, torch.autograd.functional.jacobian(lambda t: (t * 1).index_fill_(0, torch.tensor([0]), 2.0), torch.ones(2))
# ---
e, j = torch.empty(0, 2), torch.tensor(1j)
e[...] = j
e.copy_(j), e.fill_(j), torch.zeros(2).fill_(j)
# ---
x = torch.arange(6.0).view(2, 3).requires_grad_()
for f in (lambda t: t.take(torch.tensor([0, -1, 0])), lambda t: t.masked_select(t > 2)):
    (g,) = torch.autograd.grad((f(x) ** 3).sum(), x, create_graph=True)
    print(g.detach(), g.stride(), torch.autograd.grad((g * g).sum(), x, retain_graph=True)[0])
    print(g.grad_fn.name(), [n and n.name() for n, _ in g.grad_fn.next_functions])
