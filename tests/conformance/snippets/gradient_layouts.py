for n, k, m in ((5, 3, 4), (5, 3, 1), (1, 3, 4), (2, 2, 2)):
    x, w, b = (torch.randn(s, requires_grad=True) for s in ((n, k), (m, k), (m,)))
    second = torch.randn(k, m, requires_grad=True)
    for call, leaves in (
        (lambda: F.linear(x, w, b), (x, w, b)),
        (lambda: F.linear(x, w), (x, w)),
        (lambda: x @ w.t(), (x, w)),
        (lambda: x @ second, (x, second)),
        (lambda: torch.addmm(b, x, w.t()), (x, w, b)),
        (lambda: w.t().contiguous().t() @ x.t(), (w, x)),
    ):
        for create_graph in (False, True):
            out = call()
            found = torch.autograd.grad(out, leaves, torch.randn_like(out), create_graph=create_graph)
            print(n, k, m, [g.stride() for g in found], [g.grad_fn and g.grad_fn.name() for g in found])


# ---
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
loss = net(torch.ones(5, 3)).pow(2).sum()
found = torch.autograd.grad(loss, list(net.parameters()), create_graph=True)
flat = torch.cat([g.view(-1) for g in found])
torch.autograd.grad(flat.dot(flat.detach()), list(net.parameters()))


# ---
theta = torch.randn(2, 2, 3, requires_grad=True)
F.affine_grid(theta, (2, 3, 4, 5), align_corners=False).sum().backward()
theta.grad.stride(), torch.autograd.grad(
    F.affine_grid(theta, (2, 3, 1, 4), align_corners=True).sum(), theta
)[0].stride()
