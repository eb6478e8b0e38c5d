# title: Not a scalar: an error, then a gradient
# summary: backward() starts from 1 only for a single number; otherwise it needs a weight for each element.

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x*2
print(y)

try:
    y.backward()
except RuntimeError as error:
    print(error)

y.backward(torch.tensor([1.0, 0.1, 0.01]))
print(x.grad)
