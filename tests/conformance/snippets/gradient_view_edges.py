x = torch.ones(2, 3, requires_grad=True)
(g,) = torch.autograd.grad(x.sum(), x)
g.add_(x)
# ---
x = torch.ones(2, 3, requires_grad=True)
(g,) = torch.autograd.grad(x.sum(), x)
g.detach_()
# ---
x = torch.ones(2, 3, requires_grad=True)
(g,) = torch.autograd.grad(x.sum(), x)
g.requires_grad_()
(g * 2).sum().backward()
g._is_view(), g.is_leaf, g.grad
# ---
x = torch.ones(2, 3, requires_grad=True)
x.register_hook(lambda g: None)
[torch.autograd.grad(f(x), x)[0]._is_view() for f in (torch.sum, torch.mean, lambda v: v.t().exp().sum(), lambda v: v.exp().sum())]
