# title: Ties and kinks
# summary: What PyTorch takes where a derivative jumps: relu 0, maximum .5, max() a share, max(0) all for one.

import torch

a = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
torch.relu(a).sum().backward()
print(a.grad)

b = torch.tensor([0.0, 1.0], requires_grad=True)
torch.maximum(b, torch.tensor([0.0, 0.0])).sum().backward()
print(b.grad)

c = torch.tensor([3.0, 3.0, 1.0], requires_grad=True)
c.max().backward()
print(c.grad)

d = torch.tensor([3.0, 3.0, 1.0], requires_grad=True)
d.max(0).values.backward()
print(d.grad)

e = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
e.clamp(min=0).sum().backward()
print(e.grad)
