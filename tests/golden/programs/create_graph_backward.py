import torch

w = torch.tensor(3.0, requires_grad=True)
loss = w**3
loss.backward(create_graph=True)
penalty = w.grad**2
w.grad = None
penalty.backward()
print(w.grad)
