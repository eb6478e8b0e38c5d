import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(3):
    loss = (w**3).sum()
    (grad,) = torch.autograd.grad(loss, w, create_graph=True)
    (loss + grad.square().sum()).backward()
    with torch.no_grad():
        w -= 0.001 * w.grad
        w.grad = None
print(w)
