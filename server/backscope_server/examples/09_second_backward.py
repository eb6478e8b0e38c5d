# title: A second backward on a freed graph
# summary: After the first pass the saved tensors are gone, and the second one meets hollow chips.

import torch

x = torch.tensor(3.0, requires_grad=True)
y = x**2
z = y*y
z.backward()
print(x.grad)

try:
    z.backward()
except RuntimeError as error:
    print(error)
