x = torch.ones(2, requires_grad=True); y = (x * 2).sum(); torch.autograd.grad(y, x); y.backward()
# ---
x = torch.ones(2, requires_grad=True); a = x.exp(); b = a.sum(); b.backward(retain_graph=True); print(a.grad_fn._saved_result); b.backward(); a.grad_fn._saved_result
# ---
x = torch.ones(2, requires_grad=True); a = x.exp(); y = a * 3; y.sum().backward()
try: a.sum().backward()
except RuntimeError as e: print('freed', x.grad)
# ---
x = torch.ones(3, requires_grad=True); y = x.view(3, 1).expand(3, 2).sum(); y.backward(); y.backward(); x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x.sum() + x.mean() - x[0]; y.backward(); y.backward(); x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x.unbind(); s = sum(y); s.backward(); s.backward(); x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x.sqrt().sum(); y.backward(); print(x.grad); y.backward()
# ---
x = torch.ones(3, requires_grad=True); y = x.log().sum(); y.backward(create_graph=True); y.backward(); x.grad
# ---
x = torch.ones(3, requires_grad=True); y = torch.nn.functional.linear(x, torch.ones(2, 3)).sum(); y.backward(); y.backward()
# ---
x = torch.ones(3, requires_grad=True)
def hook(g): raise ValueError('boom')
y = x.exp(); y.register_hook(hook); z = (y * 2).sum()
try: z.backward()
except ValueError as e: print(e)
z.backward()
# ---
x = torch.ones(3, requires_grad=True); y = x.exp(); z = y.sum(); z.backward(retain_graph=True); z.backward(retain_graph=True); z.backward(); x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x.sin(); z = y.cos().sum(); torch.autograd.grad(z, y); torch.autograd.grad(y.sum(), x)
# ---
x = torch.ones(3, requires_grad=True); y = x.sin(); z = y.cos().sum(); torch.autograd.grad(z, y); torch.autograd.grad(z, x)
# ---
x = torch.ones(3, requires_grad=True); y = x.sin(); z = y.cos().sum(); print(torch.autograd.grad(z, y)); y.grad_fn._saved_self
# ---
x = torch.ones(2, requires_grad=True); y = (x ** 2).sum(); y.backward(create_graph=True); g = x.grad; x.grad = None; g.sum().backward(); x.grad
# ---
x = torch.tensor(3., requires_grad=True); y = x * x * x; g1, = torch.autograd.grad(y, x, create_graph=True); g2, = torch.autograd.grad(g1, x, create_graph=True); g3, = torch.autograd.grad(g2, x); (g1, g2, g3)
# ---
x = torch.tensor(3., requires_grad=True); y = 2 * x; g, = torch.autograd.grad(y, x, create_graph=True); print(g); torch.autograd.grad(g, x, allow_unused=True)
# ---
x = torch.tensor(3., requires_grad=True); y = x.abs(); g, = torch.autograd.grad(y, x, create_graph=True); print(g); torch.autograd.grad(g, x)
# ---
x = torch.tensor(2., requires_grad=True); w = torch.tensor(3., requires_grad=True); y = x ** w; gx, gw = torch.autograd.grad(y, [x, w], create_graph=True); print(gx, gw); torch.autograd.grad(gx, [x, w], retain_graph=True), torch.autograd.grad(gw, [x, w])
# ---
x = torch.tensor([1., 2.], requires_grad=True); v = torch.tensor([1., 1.], requires_grad=True); g, = torch.autograd.grad(x * x, x, v, create_graph=True); torch.autograd.grad(g, v, torch.ones(2))
# ---
x = torch.randn(3, requires_grad=True); y = torch.nn.functional.softmax(x, 0); g, = torch.autograd.grad(y[0], x, create_graph=True); print(g.grad_fn, g.requires_grad); h = torch.autograd.grad(g[1], x); h
# ---
x = torch.tensor([0.3, 0.7], requires_grad=True); y = torch.logsumexp(x, 0); g, = torch.autograd.grad(y, x, create_graph=True); torch.autograd.grad(g[0], x)
# ---
x = torch.tensor([3., 4.], requires_grad=True); n = x.norm(); g, = torch.autograd.grad(n, x, create_graph=True); p = (g.norm() - 1) ** 2; p.backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True)
def h(g): print(torch.is_grad_enabled(), g.requires_grad); return g * 2
y = x * x; y.register_hook(h); y.sum().backward(create_graph=True); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x.floor(); print(y); y.sum().backward(); x.grad
# ---
x = torch.tensor([1.5, -0.5], requires_grad=True); [f(x).grad_fn.name() for f in (torch.floor, torch.ceil, torch.round, torch.sign, torch.trunc, torch.frac)]
# ---
x = torch.tensor([1.5], requires_grad=True); torch.isnan(x), torch.argmax(x), (x == 1), x.int()
# ---
x = torch.tensor([1.5], requires_grad=True); torch.heaviside(x, torch.tensor([1.]))
# ---
x = torch.tensor([1.5], requires_grad=True); torch.nextafter(x, x)
# ---
x = torch.tensor([1.5], requires_grad=True); y = torch.special.zeta(x, 2.); y
# ---
x = torch.tensor([1.5], requires_grad=True); torch.histc(x)
# ---
x = torch.tensor([1.5], requires_grad=True); torch.bucketize(x, torch.tensor([1., 2.]))
# ---
x = torch.tensor([1.5], requires_grad=True); torch.igamma(x, x).backward()
# ---
x = torch.tensor([1.5, 1.5], requires_grad=True); torch.unique(x)
# ---
x = torch.ones(2, requires_grad=True); w = torch.ones(2, requires_grad=True); y = x * w; y.register_hook(lambda g: print('y', g)); x.register_hook(lambda g: print('x', g)); w.register_hook(lambda g: print('w', g)); y.sum().backward(inputs=[x]); (x.grad, w.grad)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.register_hook(lambda g: print('y', g)); y.sum().backward(inputs=[y]); y.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.sum().backward(inputs=[y]); (y * 1).sum().backward(inputs=[y]); y.grad, x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; z = y + 1; z.sum().backward(inputs=[x, y, z]); x.grad, y.grad, z.grad
# ---
x = torch.ones(2, requires_grad=True); x.sum().backward(inputs=[x.detach()])
# ---
x = torch.ones(2, requires_grad=True); x.sum().backward(inputs=None); x.grad
# ---
x = torch.ones(2, requires_grad=True); x.sum().backward(inputs='ab')
# ---
x = torch.ones(2, requires_grad=True); e = torch.autograd.graph.get_gradient_edge(x); (x * 3).sum().backward(inputs=[e]); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; e = torch.autograd.graph.get_gradient_edge(y); (y * 3).sum().backward(inputs=[e]); x.grad
# ---
a = torch.ones(2, requires_grad=True); b = torch.ones(2, requires_grad=True); (a + b).sum().backward(); a.grad.data_ptr() == b.grad.data_ptr(), a.grad is b.grad
# ---
a = torch.ones(2, requires_grad=True); b = torch.ones(2, requires_grad=True); ga, gb = torch.autograd.grad((a + b).sum(), [a, b]); ga.data_ptr() == gb.data_ptr(), ga is gb, ga.stride()
# ---
a = torch.ones(2, requires_grad=True); g = torch.tensor([1., 2.]); ga, = torch.autograd.grad(a, a, g); ga is g, ga.data_ptr() == g.data_ptr()
# ---
a = torch.ones(2, requires_grad=True); g = torch.tensor([1., 2.]); ga, = torch.autograd.grad(a + 0, a, g); ga is g, ga.data_ptr() == g.data_ptr()
# ---
a = torch.ones(2, requires_grad=True); g = torch.tensor([1., 2.]); (a + 0).backward(g); a.grad is g, a.grad.data_ptr() == g.data_ptr()
# ---
a = torch.ones(2, requires_grad=True); a.sum().backward(); o = a.grad; a.sum().backward(); o is a.grad, o, o._version
# ---
a = torch.ones(2, requires_grad=True); a.sum().backward(create_graph=True); o = a.grad; (a*a).sum().backward(create_graph=True); o is a.grad, o, a.grad
# ---
a = torch.ones(3, 2).t().requires_grad_(); (a * torch.arange(6.).view(2, 3)).sum().backward(); a.grad, a.grad.stride()
# ---
a = torch.ones(2, 3, requires_grad=True); a.t().sum().backward(); a.grad.stride(), a.grad.is_contiguous()
# ---
a = torch.ones(2, 3, requires_grad=True); (a.t() * torch.ones(3, 2)).sum().backward(); a.grad.stride()
# ---
a = torch.ones(6)[::2].requires_grad_(); a.sum().backward(); a.stride(), a.grad.stride()
# ---
a = torch.ones(1).expand(3).requires_grad_(); (a * torch.arange(3.)).sum().backward(); a.grad, a.grad.stride()
# ---
a = torch.ones(2, 3, requires_grad=True); a.grad = torch.zeros(3, 2).t(); a.sum().backward(); a.grad.stride(), a.grad
# ---
a = torch.ones(2, 3, requires_grad=True); a.grad = torch.zeros(3, 2).t(); (a*a).sum().backward(create_graph=True); a.grad.stride()
# ---
a = torch.ones(2, requires_grad=True); seen = []
a.register_hook(lambda g: seen.append(g)); (a * 2).sum().backward(); seen[0] is a.grad, seen[0].data_ptr() == a.grad.data_ptr()
# ---
a = torch.ones(2, requires_grad=True); (a * 2).sum().backward(); a.grad += 1; a.grad, a.grad._version
# ---
a = torch.ones(2, requires_grad=True); (a * 2).sum().backward(); b = a.grad; a.grad = None; (a * 3).sum().backward(); b, a.grad
# ---
a = torch.ones(2, requires_grad=True); (a * 2).sum().backward(); v = a.grad[0]; (a * 3).sum().backward(); v, a.grad
# ---
a = torch.ones(2, requires_grad=True); a.grad = torch.ones(2, requires_grad=True) * 2; a.grad.grad_fn, a.grad; (a * 3).sum().backward(); a.grad
# ---
a = torch.ones(2, dtype=torch.float64, requires_grad=True); a.float().sum().backward(); a.grad
# ---
a = torch.ones(0, requires_grad=True); a.sum().backward(); a.grad
# ---
a = torch.ones(2, 0, requires_grad=True); (a * 2).sum().backward(); a.grad, a.grad.shape
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; a.requires_grad_(False); y.sum().backward(); a.grad
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; a.data = torch.ones(3); y.sum().backward(); a.grad
# ---
a = torch.ones(2, requires_grad=True); y = a * a; a.data = torch.tensor([5., 6.]); y.sum().backward(); a.grad
# ---
a = torch.ones(2, requires_grad=True); y = a * a; a.data.mul_(3); y.sum().backward(); a.grad
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; y.grad_fn.next_functions[0][0] is (a * 3).grad_fn.next_functions[0][0], y.grad_fn.next_functions[0][0].variable is a
# ---
a = torch.ones(2, requires_grad=True); y = a + a; y.grad_fn.next_functions
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; (y + y * y).sum().backward(); a.grad
# ---
a = torch.ones(2, requires_grad=True); b = a.detach(); (a * b).sum().backward(); a.grad, b.grad
# ---
a = torch.ones(3, 1, requires_grad=True); b = torch.ones(1, 4, requires_grad=True); (a * b).sum().backward(); a.grad, b.grad
# ---
a = torch.tensor(2., requires_grad=True); b = torch.ones(2, 3, requires_grad=True); (a / b).sum().backward(); a.grad, b.grad
# ---
a = torch.ones(1, requires_grad=True); b = torch.ones(0, requires_grad=True); (a * b).sum().backward(); a.grad, b.grad
# ---
a = torch.tensor(2., dtype=torch.float64, requires_grad=True); b = torch.ones(2, requires_grad=True); y = a * b; y.sum().backward(); y.dtype, a.grad, b.grad
# ---
a = torch.ones(2, dtype=torch.float16, requires_grad=True); b = torch.ones(2, requires_grad=True); y = a * b; y.sum().backward(); y.dtype, a.grad, b.grad, y.grad_fn.next_functions
# ---
a = torch.ones(2, dtype=torch.bfloat16, requires_grad=True); b = torch.ones(2, dtype=torch.float16, requires_grad=True); y = a + b; y.dtype
# ---
a = torch.ones(2, requires_grad=True); y = a * torch.tensor([1, 2]); y.sum().backward(); a.grad
# ---
a = torch.ones(2, requires_grad=True); y = a + 1j; y.sum().abs().backward(); y, a.grad
# ---
a = torch.ones(2, requires_grad=True); y = torch.cat([a, torch.ones(1, dtype=torch.float64)]); y.dtype, y.grad_fn; y.sum().backward(); a.grad
# ---
a = torch.ones(2, requires_grad=True); a.sum(dtype=torch.float64).backward(); a.grad
# ---
a = torch.ones(2, dtype=torch.float16, requires_grad=True); a.softmax(0, dtype=torch.float32).sum().backward(); a.grad
# ---
a = torch.ones(2, dtype=torch.float16, requires_grad=True); a.mean(), a.sum(), a.var(), a.norm()
# ---
a = torch.ones(2, requires_grad=True); y = torch.where(torch.tensor([True, False]), a, 2.); y.sum().backward(); y, a.grad
# ---
a = torch.ones(2, requires_grad=True); y = torch.where(torch.tensor([True, False]), a, torch.tensor([1., 2.], dtype=torch.float64)); y, y.grad_fn
# ---
a = torch.ones(2, requires_grad=True); (a * 2).mean().backward(); a.grad = a.grad.double()
# ---
a = torch.ones(2, dtype=torch.float16, requires_grad=True); 
for _ in range(3): (a * 0.1).sum().backward()
a.grad
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; y.retain_grad(); y.sum().backward(); y.grad, y.retains_grad, y.is_leaf
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; y.retain_grad(); y.retain_grad(); (y * 3).sum().backward(); y.grad
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; y.retain_grad(); (y * 3).sum().backward(retain_graph=True); o = y.grad; (y * 3).sum().backward(); o, y.grad, o is y.grad
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; y.register_hook(lambda g: g * 10); y.retain_grad(); y.register_hook(lambda g: g + 1); y.sum().backward(); y.grad, a.grad
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; y.retain_grad(); y.mul_(3); y.sum().backward(); y.grad, a.grad
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; y.retain_grad(); z = y * 1; y.mul_(3); (y.sum() + z.sum()).backward(); y.grad, a.grad
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; y.grad
# ---
a = torch.ones(2, requires_grad=True); y = (a * 2).detach(); y.grad
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; y.grad = torch.ones(2); y.grad
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; y.retain_grad(); y.sum().backward(); y.grad = None; y.grad
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; y.retain_grad(); (y * y).sum().backward(create_graph=True); y.grad, y.grad.requires_grad
# ---
a = torch.ones(2, requires_grad=True); y = a * 2; y.sum().backward(); y.retain_grad(); y.grad
# ---
a = torch.ones(2, requires_grad=True); y = a[0]; y.retain_grad(); (y * 5).backward(); y.grad, a.grad
# ---
a = torch.ones(2, requires_grad=True); y, z = a.unbind(); y.retain_grad(); z.retain_grad(); (y * 5).backward(); y.grad, z.grad, a.grad
# ---
with torch.no_grad(): x = torch.ones(2, requires_grad=True) * 2
x.retain_grad()
