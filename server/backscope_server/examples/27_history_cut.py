# title: A history that was cut
# summary: detach() in the middle: the loss knows nothing of w, and backward() says so.

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
h = w * 3
loss = (h.detach() ** 2).sum()

try:
    loss.backward()
except RuntimeError as error:
    print(error)

loss.requires_grad = True
loss.backward()
print(w.grad)
