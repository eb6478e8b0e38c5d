import torch

x = torch.tensor([1.0, 2.0])
print((x * 2).requires_grad)
x.requires_grad_()
y = (x * x).sum()
x.requires_grad = False
y.backward()
print(x.grad)
