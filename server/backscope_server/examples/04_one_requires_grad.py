# title: Only one of two requires grad
# summary: Nothing is saved and nothing is sent for a tensor that wants no gradient.

import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([4.0, 5.0, 6.0])

c = (a * b).sum()
print(c)

c.backward()
print(a.grad)
print(b.grad)
print(a.requires_grad, b.requires_grad, c.requires_grad)
