# title: A NaN that spreads
# summary: The slope of sqrt at 0 is infinite; 0 times infinity is NaN, and all that lies behind it becomes NaN too.

import torch

x = torch.tensor([0.0, 2.0])
w = torch.tensor([3.0, 2.0], requires_grad=True)
b = torch.tensor([0.0, 0.0], requires_grad=True)

h = w * x + b
root = torch.sqrt(h)
loss = (root * torch.tensor([0.0, 1.0])).sum()

loss.backward()
print(w.grad, b.grad)
