# title: B = A*4
# summary: The gradient of a multiple is the factor, in every place.

import torch

A = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
B = A*4
print(B)
print(B.requires_grad, B.is_leaf, A.is_leaf)

B.sum().backward()
print(A.grad)
