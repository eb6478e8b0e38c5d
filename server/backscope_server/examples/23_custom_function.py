# title: A Function of one's own
# summary: forward() and backward() in Python; what backward() computes inside is told step by step.

import torch

class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * 3 * x**2

x = torch.tensor(2.0, requires_grad=True)
y = Cube.apply(x)
print(y)

y.backward()
print(x.grad)
