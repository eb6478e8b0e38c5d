# title: A second backward with retain_graph
# summary: The first pass keeps the saved tensors, so the second works, and .grad adds up.

import torch

x = torch.tensor(3.0, requires_grad=True)
y = x**2
z = y*y
z.backward(retain_graph=True)
print(x.grad)

z.backward()
print(x.grad)
