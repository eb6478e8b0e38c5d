# title: Hooks on a module
# summary: They see what goes into a layer and comes out of it, forward and backward.

import torch

torch.manual_seed(0)
layer = torch.nn.Linear(2, 1)

def look(module, inputs):
    print("in", inputs[0])

def double(module, inputs, output):
    return output * 2

def grads(module, sent, arrived):
    print("grad", arrived[0], sent[0])

layer.register_forward_pre_hook(look)
layer.register_forward_hook(double)
layer.register_full_backward_hook(grads)

x = torch.tensor([[1.0, 2.0]], requires_grad=True)
y = layer(x).sum()
y.backward()
print(x.grad)
