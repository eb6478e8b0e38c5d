# title: Accumulation, and three ways to clear it
# summary: backward() adds to .grad; None, zero_() and an optimizer empty it.

import torch

x = torch.tensor(2.0, requires_grad=True)

(x**2).backward()
print(x.grad)
(x**2).backward()
print(x.grad)

x.grad = None
(x**2).backward()
print(x.grad)

x.grad.zero_()
(3*x).backward()
print(x.grad)

optimizer = torch.optim.SGD([x], lr=0.1)
optimizer.zero_grad()
print(x.grad)
(3*x).backward()
print(x.grad)
optimizer.step()
print(x)
