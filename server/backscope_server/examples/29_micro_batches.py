# title: Micro-batches, and a window that is shorter
# summary: Gradients add up until the step; the last window has one batch only, but is divided by two.

import torch

w = torch.tensor(1.0, requires_grad=True)
batches = [1.0, 3.0, 2.0]
window = 2

for i, x in enumerate(batches):
    loss = w * x / window
    loss.backward()
    print(i, w.grad)
    if i == 1:
        w.grad = None

print(w.grad, "instead of", torch.tensor(2.0))

w.grad = None
for x in batches:
    (w * x).backward()
print(w.grad)
