# title: Hooks that do not run
# summary: Hooks belong to the call of a module: layer.forward(x) goes past them.

import torch

torch.manual_seed(0)
layer = torch.nn.Linear(2, 1)

def look(module, inputs, output):
    print("looked")

layer.register_forward_hook(look)
x = torch.tensor([[1.0, 2.0]])

y = layer.forward(x)
y.sum().backward()
print(layer.weight.grad)
