import torch


def spread(x):
    a, b = x.chunk(2)
    seen = []
    for head in range(6):
        y = (a * head).tanh() * b
        seen.append(y.exp().sin())
    return torch.cat(seen)


x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
spread(x).sum().backward()
print(x.grad)
