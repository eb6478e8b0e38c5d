import torch

x = torch.tensor([1.0, 2.0])
w = torch.tensor([3.0, 4.0])
loss = (x * w).sum()
print(loss)
loss.backward()
