# title: An optimizer moves a parameter
# summary: SGD takes the gradient times the learning rate off each parameter, and the loss falls.

import torch

w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(0.5, requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.125)

for step in range(3):
    loss = (w + b - 1)**2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item(), w.item(), b.item())
