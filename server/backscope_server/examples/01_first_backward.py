# title: y = w*x + b
# summary: One multiplication, one addition, and the gradients that travel back.

import torch

x = torch.tensor(3.0)
w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)

y = w*x + b
print(y)
print(w.grad, b.grad)

y.backward()
print(w.grad, b.grad)
