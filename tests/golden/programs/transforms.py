import torch


def loss(w, x):
    return (w * x).sum() ** 2


w = torch.tensor([1.0, 2.0])
xs = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
print(torch.func.grad(loss)(w, xs[0]))
print(torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(w, xs))
