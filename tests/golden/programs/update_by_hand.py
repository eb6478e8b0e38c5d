import torch

w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(2):
    loss = (w * 3.0 - b).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b.sub_(b.grad, alpha=0.1)
    w.grad = None
    b.grad.zero_()
(w * b).sum().backward()
w.data -= 0.1 * w.grad
b.data = b.data - 0.1 * b.grad
print(w, b)
