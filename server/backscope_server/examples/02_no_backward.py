# title: A*3 without backward
# summary: The graph is built by the forward pass alone; no gradient flows until it is asked for.

import torch

A = torch.tensor(5.0, requires_grad=True)
B = A*3
print(A)
print(B)
print(B.grad_fn)
print(A.grad)
