# title: Two paths to one leaf
# summary: x is used twice, so two gradients arrive at it, and they add up: 4 + 3 = 7.

import torch

x = torch.tensor(2.0, requires_grad=True)

a = x**2
b = 3*x
y = a + b

y.backward()
print(x.grad)
