import torch


def double(grad):
    return grad * 2


def sent(grad_inputs, grad_outputs):
    return (grad_inputs[0] + 1, *grad_inputs[1:])


def watch(*arguments):
    pass


x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(double)
x.register_post_accumulate_grad_hook(watch)
h = x * 3
removed = h.register_hook(double)
h.register_hook(watch)
y = h * h
y.grad_fn.register_prehook(watch)
y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: None)
h.grad_fn.register_hook(sent)
removed.remove()
y.sum().backward()
print(x.grad)
