# title: A two-layer network, trained for 20 steps
# summary: Plain tensors, tanh, mean squared error and SGD by hand.

import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 8).reshape(8, 1)
target = x**2

W1 = torch.randn(1, 4, requires_grad=True)
b1 = torch.zeros(4, requires_grad=True)
W2 = torch.randn(4, 1, requires_grad=True)
b2 = torch.zeros(1, requires_grad=True)
params = [W1, b1, W2, b2]

for step in range(20):
    hidden = torch.tanh(x @ W1 + b1)
    out = hidden @ W2 + b2
    loss = ((out - target)**2).mean()
    loss.backward()
    with torch.no_grad():
        for p in params:
            p -= 0.2 * p.grad
            p.grad = None
    print(step, round(loss.item(), 4))

print(W1)
