# title: Saved tensors, freed one by one
# summary: Each node lets go of what it saved as soon as it has run, and memory falls with every step.

import torch

x = torch.tensor([0.5, 1.0, 1.5, 2.0], requires_grad=True)

a = x * x
b = torch.sin(a)
c = torch.exp(b)
loss = (c * a).sum()

loss.backward()
print(x.grad)
