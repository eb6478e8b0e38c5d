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
x = torch.ones(3).as_strided((2, 2), (0, 1))
x[...] = x
x[:] = x.conj()
x[0] = x[0]
x._version, x.copy_(x.view_as(x))._version
# ---
x = torch.ones(3).as_strided((2, 2), (0, 1))
x[...] = x + 1
