# title: A checkpoint that records nothing
# summary: use_reentrant=True sees only what the function is given: x needs no gradient, so w gets none.

import torch
from torch.utils.checkpoint import checkpoint

x = torch.tensor([1.0, -2.0, 3.0])
w = torch.tensor(0.5, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)

def block(t):
    return torch.sigmoid(t * w)

h = checkpoint(block, x, use_reentrant=True)
(h + b).sum().backward()
print(w.grad, b.grad)

v = torch.tensor(0.5, requires_grad=True)
h = checkpoint(lambda t: torch.sigmoid(t * v), x, use_reentrant=False)
h.sum().backward()
print(v.grad)
