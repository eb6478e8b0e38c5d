import torch

torch.manual_seed(1)
x = torch.randn(64, 100)
W = torch.randn(100, 50, requires_grad=True)
h = torch.relu(x @ W)
parts = h.split(25, dim=1)
loss = parts[0].mean() + torch.nn.functional.cross_entropy(parts[1], torch.arange(64) % 25)
optimizer = torch.optim.SGD([W], lr=0.1)
loss.backward()
optimizer.step()
optimizer.zero_grad()
print(round(loss.item(), 4))
