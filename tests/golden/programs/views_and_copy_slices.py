import torch

x = torch.ones(4, requires_grad=True)
y = x * 1
v = y[1:3]
v.mul_(5)
y[0] = 7.0
s = y.sum()
s.backward()
print(x.grad, v, y)
d = x.detach()
print(d.requires_grad)
