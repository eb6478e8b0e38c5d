import torch

x = torch.ones(2, 3, requires_grad=True)
y = x * 1
column = y[:, 1]
y.pow_(2)
print(type(column.grad_fn).__name__)
column.sum().backward()
print(x.grad)
