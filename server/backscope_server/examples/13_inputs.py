# title: Only for some inputs
# summary: inputs= accumulates into the tensors that are named, and into no others.

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
b = torch.tensor(0.5, requires_grad=True)

y = (w * x).sum() + b
y.backward(inputs=[w], retain_graph=True)
print(x.grad, w.grad, b.grad)

y.backward(inputs=[x, b])
print(x.grad, w.grad, b.grad)
