# title: NaN from the branch that was not selected
# summary: where() shows finite numbers, but log(0) ran, and in the backward pass 0 times infinity is NaN.

import torch

x = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
y = torch.where(x > 0, torch.log(x), torch.zeros(3))
print(y)

y.sum().backward()
print(x.grad)

z = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
safe = torch.where(z > 0, z, torch.ones(3))
y = torch.where(z > 0, torch.log(safe), torch.zeros(3))
y.sum().backward()
print(z.grad)
