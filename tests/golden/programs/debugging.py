# stops at lines 6, then steps: x[0]=5.0 backward node node line moment into out end
import torch


def loss_of(w, x):
    y = w * x
    return y.sum()


w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0])
loss_of(w, x).backward()
print(w.grad)
loss_of(w, w.grad).backward()
