# title: A saved tensor changed in place
# summary: The sigmoid saved its result; line 5 overwrote it, and backward() notices by the version.

import torch

x = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
y = torch.sigmoid(x)
y.mul_(2)

try:
    y.sum().backward()
except RuntimeError as error:
    print(error)
