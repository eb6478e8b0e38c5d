# title: A matrix, one element at a time
# summary: Each element of B is sent backward on its own; A.grad fills up in nine steps.

import torch

A = torch.tensor([[1.0, 2.0, 3.0],
                  [4.0, 5.0, 6.0],
                  [7.0, 8.0, 9.0]], requires_grad=True)
B = A**2
print(B)

for i in range(3):
    for j in range(3):
        B[i, j].backward(retain_graph=True)
        print(i, j)
        print(A.grad)
