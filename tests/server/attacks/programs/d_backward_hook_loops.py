# Ends: TimeLimitExceeded
import torch

x = torch.ones(3, requires_grad=True)


def hook(g):
    while True:
        pass


x.register_hook(hook)
x.sum().backward()
