import torch

x = torch.tensor(3.0
y = x * 2
