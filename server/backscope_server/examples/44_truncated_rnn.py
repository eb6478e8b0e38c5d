# title: A recurrent network, truncated
# summary: detach() between two windows: the gradient goes back through one of them and stops at the cut.

import torch

w = torch.tensor(0.5, requires_grad=True)
h = torch.tensor(0.0)
inputs = [1.0, -0.5, 2.0, 0.25]

for t, x in enumerate(inputs):
    if t == 2:
        h = h.detach()
    h = torch.tanh(w * h + x)

loss = h**2
loss.backward()
print(w.grad)
