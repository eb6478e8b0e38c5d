# title: Why is .grad None?
# summary: The gradient passes through h like a ghost; it stays in leaves, and where retain_grad() asks for it.

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
unused = torch.tensor([5.0], requires_grad=True)
h = x * 3
k = h + 1
k.retain_grad()

loss = (k ** 2).sum()
loss.backward()
print(x.grad)
print(k.grad)
print(unused.grad)
print(h.is_leaf, h.requires_grad)
