# title: A gradient that vanishes
# summary: Twelve sigmoids in a row: each lets through a quarter of the gradient at most.

import torch

w = torch.tensor(0.5, requires_grad=True)
h = w
for layer in range(12):
    h = torch.sigmoid(h)

h.backward()
print(h)
print(w.grad)
