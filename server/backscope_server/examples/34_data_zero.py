# title: .data says nothing, .detach() complains
# summary: Both change what the sigmoid saved; only one of them is noticed.

import torch

x = torch.tensor([0.0, 1.0], requires_grad=True)
y = torch.sigmoid(x)
y.data.zero_()
y.sum().backward()
print(x.grad)

z = torch.tensor([0.0, 1.0], requires_grad=True)
y = torch.sigmoid(z)
y.detach().zero_()
try:
    y.sum().backward()
except RuntimeError as error:
    print(error)
