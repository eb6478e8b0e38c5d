# title: A**3 and backward
# summary: The power saves A, and its formula turns 1 into 3 × 5².

import torch

A = torch.tensor(5.0, requires_grad=True)
B = A**3
print(B)

B.backward()
print(A.grad)
