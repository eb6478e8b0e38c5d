import torch

x = torch.tensor(2.0, requires_grad=True)
z = torch.tensor(5.0, requires_grad=True)
y = x * x


def inner(grad_inputs, grad_outputs):
    with torch.enable_grad():
        (z * z).backward()


loss = y * 3
loss.grad_fn.register_hook(inner)
loss.backward()
print(x.grad, z.grad)
