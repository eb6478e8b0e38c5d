# title: Hooks on leaves and nodes
# summary: Five places where a hook can sit, and the order in which they run.

import torch

x = torch.tensor(3.0, requires_grad=True)
h = x * 2
y = h ** 2

def double(grad):
    return grad * 2

h.register_hook(double)
y.grad_fn.register_prehook(lambda grads: print("arrives at y:", grads[0]))
y.grad_fn.register_hook(lambda sent, arrived: print("sent to h:", sent[0]))
x.register_post_accumulate_grad_hook(lambda leaf: print("x.grad:", leaf.grad))
removed = x.register_hook(lambda grad: grad * 100)
removed.remove()

y.backward()
