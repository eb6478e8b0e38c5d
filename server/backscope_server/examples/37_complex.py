# title: The gradient of a complex number
# summary: PyTorch gives the conjugate of what JAX gives: the direction in which the loss grows.

import torch

z = torch.tensor([1.0 + 2.0j], requires_grad=True)
loss = (z.abs() ** 2).sum()
loss.backward()
print(z.grad)

with torch.no_grad():
    print((z - 0.1 * z.grad).abs() < z.abs())
