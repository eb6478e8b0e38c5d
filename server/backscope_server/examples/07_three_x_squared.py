# title: 3*x**2 at x = 2
# summary: The chain rule in two nodes: 1 → 3 → 12.

import torch

x = torch.tensor(2.0, requires_grad=True)
y = 3*x**2
print(y)

y.backward()
print(x.grad)
