import torch

W = torch.ones(2, 3, requires_grad=True)
x = torch.ones(2)
print("before")


def layer(value):
    return value @ W @ W


layer(x)
print("never")
