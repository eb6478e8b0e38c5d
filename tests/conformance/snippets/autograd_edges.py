x = torch.rand(2, requires_grad=True)
y = torch.rand(2, requires_grad=True)
y2 = y * 1
out = x.clone().view(-1)
out += y2
torch.autograd.grad(out.sum(), y)[0].tolist()
# ---
x = torch.rand(2, requires_grad=True)
y = torch.rand(2, requires_grad=True)
ys = torch._C._functions.DelayedError('Boom!', 1)(y)
out = x.clone().view(-1)
out += ys
torch.autograd.grad(out.sum(), y)
# ---
y = torch.rand(2, requires_grad=True)
ys = torch._C._functions.DelayedError('Boom!', 1)(y)
torch.autograd.grad((ys * 2).sum(), y)
# ---
a = torch.tensor(1.0, requires_grad=True).clone()
b = a.sin()
a.detach_()
b.backward()
# ---
w = torch.tensor(2.0, requires_grad=True)
a = w * 1
b = a * a
a.detach_()
b.backward()
w.grad
# ---
c = torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x)
c.__enter__()
c.__exit__()
'ok'
# ---
import weakref
import gc
gc.collect()
gc.disable()
def scope():

    def unpack(x):
        weak().__enter__()
        return x
    c = torch.autograd.graph.saved_tensors_hooks(lambda x: x, unpack)
    weak = weakref.ref(c)
    x = torch.randn(3, requires_grad=True)
    with c:
        x.sin().sum().backward()
    return weakref.ref(unpack)
r = scope()
found = r() is None
gc.enable()
found
# ---
import weakref
import gc
gc.collect()
gc.disable()
def scope():

    def unpack(x):
        return x
    c = torch.autograd.graph.saved_tensors_hooks(lambda x: x, unpack)
    x = torch.randn(3, requires_grad=True)
    with c:
        x.sin().sum().backward()
    return weakref.ref(unpack)
found = scope()() is None
gc.enable()
found
# ---
b = -torch.ones(1, dtype=torch.double)
e = torch.tensor([0.3 + 0.5j], dtype=torch.cdouble, requires_grad=True)
o = torch.pow(b, e)
o.backward(torch.ones_like(o))
(o.detach(), e.grad)
# ---
x = torch.ones(2, requires_grad=True)
(x / 2).grad_fn._saved_rounding_mode
# ---
x = torch.ones(2, 3, requires_grad=True)
m = (x * 2).grad_fn._input_metadata[0]
(m.dtype, m.device, tuple(m.shape), m.is_nested_tensor, m.is_cpp_nested_tensor)
