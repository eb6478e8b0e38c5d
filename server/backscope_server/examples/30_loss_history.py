# title: Losses that keep every graph
# summary: Each loss has a history: its graph stays alive as long as a list or a sum holds it. item() leaves it behind.

import torch

torch.manual_seed(0)
w = torch.zeros(4, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
total = 0
losses = []

for step in range(5):
    x = torch.ones(4) * step
    optimizer.zero_grad()
    loss = ((w - x) ** 2).mean()
    loss.backward()
    optimizer.step()
    total = total + loss
    losses.append(loss)

print(total)
print([round(one.item(), 3) for one in losses])
