import torch

x = torch.tensor([0.0, 1.0], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))
y.sum().backward()
print(x.grad)
big = torch.tensor([float("inf"), -float("inf"), float("nan")])
z = torch.tensor([1 + 2j, 3.0])
print(big, z)
scores = torch.tensor([0.5, 2.0], requires_grad=True)
masked = scores.masked_fill(torch.tensor([False, True]), float("-inf"))
masked.exp().sum().backward()
