# title: create_graph, and a ring that is not freed
# summary: x holds x.grad, whose history leads back to x; autograd.grad returns it instead.

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)

loss = (x ** 3).sum()
loss.backward(create_graph=True)
print(x.grad)

first, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
second, = torch.autograd.grad(first.sum(), x)
print(second)
