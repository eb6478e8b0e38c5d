# title: In place on a view
# summary: Changing v rewrites the history of y, whose memory it shares: both get a new grad_fn.

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
v = y[1:]
print(y.grad_fn, v.grad_fn)

v.mul_(10)
print(y, y._version)
print(v, v._version)

y.sum().backward()
print(x.grad)
