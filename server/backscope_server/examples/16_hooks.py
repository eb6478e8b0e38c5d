# title: Looking at gradients on their way
# summary: A hook doubles the gradient of h; retain_grad keeps it in h.grad.

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.retain_grad()
h.register_hook(lambda grad: grad * 2)

y = (h ** 2).sum()
y.backward()
print(h.grad)
print(x.grad)
