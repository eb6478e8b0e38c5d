import torch

w = torch.tensor(1.0, requires_grad=True)
v = torch.tensor(2.0, requires_grad=True)
u = torch.tensor(3.0, requires_grad=True)
emptied = torch.optim.SGD([w], lr=0.1)
still = torch.optim.SGD([v], lr=0.0)

still.step()
for step in range(2):
    loss = (w * v * u - 1) ** 2
    loss.backward()
    emptied.zero_grad()
    emptied.step()
    still.step()
    with torch.no_grad():
        u -= 0.1 * u.grad
    v.grad.zero_()
