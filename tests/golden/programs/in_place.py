import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y.sin_()
y.add_(x)
with torch.no_grad():
    total = y.sum()
    total += 1
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
g.sum().backward()
print(x.grad, total)
