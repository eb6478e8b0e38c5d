# title: A bias over four rows
# summary: What was broadcast in the forward pass is summed in the backward pass.

import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
b = torch.tensor([0.5, -0.5], requires_grad=True)

y = x + b
y.sum().backward()
print(y)
print(b.grad)
