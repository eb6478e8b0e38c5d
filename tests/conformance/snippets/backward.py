x = torch.tensor([1., 2.], requires_grad=True); (x * 2).backward(torch.tensor([1., 10.])); x.grad
# ---
x = torch.tensor([1., 2.], requires_grad=True); y = x * 2; y.backward(gradient=torch.ones(2)); x.grad
# ---
x = torch.tensor([1., 2.], requires_grad=True); (x * 2).backward(1.0)
# ---
x = torch.tensor([1., 2.], requires_grad=True); (x * 2).backward([1.0, 2.0])
# ---
x = torch.tensor(1., requires_grad=True); (x * 2).backward(3)
# ---
x = torch.tensor([1., 2.], requires_grad=True); (x * 2).backward(torch.ones(2, dtype=torch.float64)); x.grad
# ---
x = torch.tensor([1., 2.], requires_grad=True); (x * 2).backward(torch.ones(2, dtype=torch.float16)); x.grad
# ---
x = torch.tensor([1., 2.], requires_grad=True); (x * 2).backward(torch.ones(1, 2))
# ---
x = torch.tensor([[1., 2.]], requires_grad=True); (x * 2).backward(torch.ones(2))
# ---
x = torch.tensor([1., 2.], requires_grad=True); (x * 2).backward(torch.tensor(1.))
# ---
x = torch.tensor([1., 2.], requires_grad=True); (x * 2).backward(None)
# ---
x = torch.tensor([1., 2.], requires_grad=True); g = torch.ones(2).expand(2); (x * 2).backward(torch.tensor(1.).expand(2)); x.grad
# ---
x = torch.tensor([1., 2.], requires_grad=True); torch.autograd.backward(x * 2, torch.ones(2)); x.grad
# ---
x = torch.tensor([1., 2.], requires_grad=True); torch.autograd.backward((x * 2, x.sum()), (torch.ones(2), None)); x.grad
# ---
x = torch.tensor([1., 2.], requires_grad=True); torch.autograd.backward([x * 2, x * 3], torch.ones(2))
# ---
x = torch.tensor([1., 2.], requires_grad=True); torch.autograd.backward([x.sum(), x.sum()]); x.grad
# ---
x = torch.tensor([1., 2.], requires_grad=True); y = x.sum(); torch.autograd.backward([y, y], retain_graph=True); x.grad
# ---
x = torch.tensor([1., 2.], requires_grad=True); y = x.sum(); torch.autograd.backward([y, y]); x.grad
# ---
x = torch.tensor([1., 2.], requires_grad=True); torch.autograd.backward(3)
# ---
x = torch.tensor([1., 2.], requires_grad=True); torch.autograd.backward("abc")
# ---
x = torch.tensor([1., 2.], requires_grad=True); torch.autograd.backward([x.sum(), 3])
# ---
x = torch.tensor([1., 2.], requires_grad=True); torch.autograd.backward(x.sum(), grad_variables=torch.tensor(2.)); x.grad
# ---
x = torch.tensor([1., 2.], requires_grad=True); torch.autograd.backward(x.sum(), torch.tensor(2.), grad_variables=torch.tensor(2.))
# ---
x = torch.tensor([1., 2.]); x.sum().backward()
# ---
x = torch.tensor([1., 2.], requires_grad=True)
with torch.no_grad():
    y = x.sum()
y.backward()
# ---
x = torch.tensor([1., 2.], requires_grad=True); x.detach().sum().backward()
# ---
x = torch.tensor([1., 2.], requires_grad=True); y = (x > 1).sum(); y.backward()
# ---
x = torch.tensor([1., 2.], requires_grad=True); y = x.argmax(); y.backward()
# ---
x = torch.ones(3, dtype=torch.complex64, requires_grad=True); x.sum().backward()
# ---
x = torch.ones(3, dtype=torch.complex64, requires_grad=True); x.sum().backward(torch.tensor(1j)); x.grad
# ---
x = torch.ones(3, dtype=torch.complex64, requires_grad=True); x.abs().sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(create_graph=None)
# ---
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(retain_graph=1)
# ---
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(None, True); x.grad
# ---
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(retain_graph='a')
# ---
x = torch.ones(2, requires_grad=True); y = (x * x).sum(); y.backward(retain_graph=True); y.backward(retain_graph=False); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = (x * x).sum(); y.backward(retain_graph=True); y.backward(); y.backward()
# ---
x = torch.ones(2, requires_grad=True); y = (x + 1).sum(); y.backward(); y.backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x.exp(); a = y.sum(); b = (y * 2).sum(); a.backward(); b.backward()
# ---
x = torch.ones(2, requires_grad=True); y = x.sin(); a = y.sum(); a.backward(); y.grad_fn._saved_self
# ---
x = torch.ones(2, requires_grad=True); y = x ** 2; y.sum().backward(); (y.grad_fn._saved_exponent, )
# ---
x = torch.ones(2, requires_grad=True); y = x ** 2; y.sum().backward(); y.grad_fn._saved_self
# ---
x = torch.ones(2, requires_grad=True); y = (x / 2).sum(); y.backward(); y.backward()
# ---
x = torch.ones(2, requires_grad=True); y = (x - 2).sum(); y.backward(); y.backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x[0] * 1; z = x[[0, 1]].sum(); z.backward(); z.backward()
# ---
x = torch.ones(2, requires_grad=True); z = torch.where(x > 0, x, 0).sum(); z.backward(); z.backward()
# ---
x = torch.ones(2, requires_grad=True); z = x.max(); z.backward(); z.backward()
# ---
x = torch.ones(2, 2, requires_grad=True); z = x.mean(); z.backward(); z.backward(); x.grad
# ---
x = torch.ones(2, 2, requires_grad=True); z = (x @ x).sum(); z.backward(); z.backward()
# ---
x = torch.ones(2, 2, requires_grad=True); z = x.cumsum(0).sum(); z.backward(); z.backward(); x.grad
# ---
x = torch.ones(2, 2, requires_grad=True); z = x.std(); z.backward(); z.backward()
# ---
x = torch.ones(2, 2, requires_grad=True); z = torch.cat([x, x]).sum(); z.backward(); z.backward(); x.grad
# ---
x = torch.ones(2, 2, requires_grad=True); z = x.clamp(0, 2).sum(); z.backward(); z.backward()
# ---
x = torch.ones(2, 2, requires_grad=True); z = x.masked_fill(x > 0, 0.).sum(); z.backward(); z.backward()
# ---
x = torch.ones(2, 2, requires_grad=True); z = torch.lerp(x, x * 2, 0.5).sum(); z.backward()
z.backward()
# ---
x = torch.ones(2, 2, requires_grad=True); z = x.softmax(0).sum(); z.backward(); z.backward()
# ---
x = torch.ones(2, 2, requires_grad=True); z = torch.relu(x).sum(); z.backward(); z.backward()
# ---
x = torch.ones(2, 2, requires_grad=True); z = x.abs().sum(); z.backward(); z.backward()
# ---
x = torch.ones(2, 2, requires_grad=True); z = (-x).sum(); z.backward(); z.backward(); x.grad
# ---
x = torch.ones(2, 2, requires_grad=True); z = x.prod(); z.backward(); z.backward()
# ---
x = torch.ones(2, 2, requires_grad=True); z = x.t().reshape(-1).sum(); z.backward(); z.backward(); x.grad
# ---
x = torch.ones(2, 2, requires_grad=True); z = x.norm(); z.backward(); z.backward()
# ---
x = torch.ones(2, requires_grad=True); y = (x * x).sum(); y.backward(create_graph=True); (x.grad, x.grad.grad_fn)
# ---
x = torch.ones(2, requires_grad=True); y = (x ** 3).sum(); y.backward(create_graph=True); x.grad.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = (x ** 3).sum(); g, = torch.autograd.grad(y, x, create_graph=True); g.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = (x ** 3).sum(); g, = torch.autograd.grad(y, x, create_graph=True, retain_graph=False); g.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = (x * 3).sum(); g, = torch.autograd.grad(y, x, create_graph=True); (g, g.requires_grad)
# ---
x = torch.ones(2, requires_grad=True); y = x.sum(); g, = torch.autograd.grad(y, x, create_graph=True); (g, g.requires_grad); torch.autograd.grad(g.sum(), x)
# ---
x = torch.tensor(2., requires_grad=True); y = x ** 4
for i in range(4):
    y, = torch.autograd.grad(y, x, create_graph=True); print(y)
# ---
x = torch.tensor(2., requires_grad=True); y = x.sin()
for i in range(3):
    y, = torch.autograd.grad(y, x, create_graph=True); print(y, y.grad_fn.next_functions)
# ---
x = torch.tensor(2., requires_grad=True); y = torch.tanh(x); g, = torch.autograd.grad(y, x, create_graph=True); print(g.grad_fn, g.grad_fn.next_functions); torch.autograd.grad(g, x)
# ---
x = torch.tensor(2., requires_grad=True); y = torch.sigmoid(x); g, = torch.autograd.grad(y, x, create_graph=True); print(g.grad_fn, g.grad_fn.next_functions); torch.autograd.grad(g, x)
# ---
x = torch.tensor(2., requires_grad=True); y = x.exp(); g, = torch.autograd.grad(y, x, create_graph=True); print(g.grad_fn, g.grad_fn.next_functions); torch.autograd.grad(g, x)
# ---
x = torch.tensor([2., 3.], requires_grad=True); y = x.prod(); g, = torch.autograd.grad(y, x, create_graph=True); print(g.grad_fn); torch.autograd.grad(g.sum(), x)
# ---
x = torch.tensor([2., 3.], requires_grad=True); y = torch.relu(x).sum(); g, = torch.autograd.grad(y, x, create_graph=True); print(g, g.grad_fn)
# ---
x = torch.tensor([2., 3.], requires_grad=True); w = torch.ones(2, requires_grad=True); y = (x * w).sum(); g, = torch.autograd.grad(y, x, create_graph=True); print(g.grad_fn, g is w, g.data_ptr() == w.data_ptr()); g.sum().backward(); (w.grad, x.grad)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; z = y * 3; z.sum().backward(inputs=[y]); (x.grad, y.grad)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; z = y * 3; z.sum().backward(inputs=y); (x.grad, y.grad)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; z = y * 3; z.sum().backward(inputs=[])
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; z = y * 3; z.sum().backward(inputs=[x, x]); x.grad
# ---
x = torch.ones(2, requires_grad=True); w = torch.ones(2, requires_grad=True); (x * w).sum().backward(inputs=[x]); (x.grad, w.grad)
# ---
x = torch.ones(2, requires_grad=True); w = torch.ones(2, requires_grad=True); (x * 2).sum().backward(inputs=[w]); (x.grad, w.grad)
# ---
x = torch.ones(2, requires_grad=True); w = torch.ones(2); (x * 2).sum().backward(inputs=[w])
# ---
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(inputs=[3])
# ---
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(inputs=(x,)); x.grad
# ---
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(inputs={'x': x}); x.grad
# ---
import collections
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(inputs=collections.OrderedDict(x=x)); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.retain_grad(); (y * y).sum().backward(inputs=[x]); (x.grad, y.grad)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; z = (y * y).sum(); z.backward(inputs=[y]); z.backward(inputs=[x]); (x.grad, y.grad)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; z = (y * y).sum(); z.backward(inputs=[y]); y.grad_fn._saved_other
# ---
x = torch.ones(2, requires_grad=True); y = (x * 2).sum(); y.backward(inputs=[y]); (x.grad, y.grad)
# ---
x = torch.ones(2, requires_grad=True); y = (x * 2); v = y.view(2); y.sum().backward(inputs=[v]); v.grad
