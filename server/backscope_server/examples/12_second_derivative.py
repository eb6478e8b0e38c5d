# title: Second and third derivatives
# summary: create_graph records the backward pass itself, so it can be differentiated again.

import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**4

first, = torch.autograd.grad(y, x, create_graph=True)
print(first)
second, = torch.autograd.grad(first, x, create_graph=True)
print(second)
third, = torch.autograd.grad(second, x)
print(third)
