x = torch.ones(2, requires_grad=True); h = x.register_hook(lambda g: g * 2); (x * 3).sum().backward(); h.remove(); (x * 3).sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); h = x.register_hook(lambda g: g * 2); h.remove(); h.remove(); (x * 3).sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True)
with x.register_hook(lambda g: g * 2): (x * 3).sum().backward()
(x * 3).sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(3); (x * 3).sum().backward()
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(lambda g: 3); (x * 3).sum().backward()
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(lambda g: torch.ones(3)); (x * 3).sum().backward()
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(lambda g: g.double()); (x * 3).sum().backward()
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(lambda a, b: None); (x * 3).sum().backward()
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(lambda g: g.mul_(2)); (x * 3).sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); o = []
for i in range(3): x.register_hook(lambda g, i=i: o.append(i))
(x * 3).sum().backward(); o
# ---
x = torch.ones(2, requires_grad=True); o = []
x.register_hook(lambda g: o.append('t')); a = (x * 1).grad_fn.next_functions[0][0]
a.register_prehook(lambda g: o.append('pre')); a.register_hook(lambda gi, go: o.append(('post', gi, len(go)))); x.register_post_accumulate_grad_hook(lambda p: o.append(('acc', p.grad.clone())))
(x * 3).sum().backward(); o
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; o = []
y.grad_fn.register_hook(lambda gi, go: o.append((gi, go))); y.grad_fn.register_prehook(lambda go: o.append(go)); y.register_hook(lambda g: o.append(g)); y.sum().backward(); o
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.grad_fn.register_hook(lambda gi, go: (gi[0] * 5, None)); y.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.grad_fn.register_hook(lambda gi, go: gi[0] * 5); y.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.grad_fn.register_hook(lambda gi, go: (gi[0],)); y.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.grad_fn.register_prehook(lambda go: (go[0] * 5,)); y.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.grad_fn.register_prehook(lambda go: go[0] * 5); y.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.grad_fn.register_prehook(lambda go: ()); y.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.grad_fn.register_hook(lambda a: None); y.sum().backward()
# ---
x = torch.ones(2, requires_grad=True); (x * 2).register_post_accumulate_grad_hook(lambda p: None)
# ---
x = torch.ones(2); x.register_post_accumulate_grad_hook(lambda p: None)
# ---
x = torch.ones(2, requires_grad=True); x.register_post_accumulate_grad_hook(lambda p: 3); x.sum().backward()
# ---
x = torch.ones(2, requires_grad=True)
def f(p): p.grad = None
x.register_post_accumulate_grad_hook(f); x.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True)
def f(p):
    with torch.no_grad(): p -= 0.1 * p.grad
x.register_post_accumulate_grad_hook(f); (x * 2).sum().backward(); x
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(lambda g: print('h', g)); torch.autograd.grad((x * 2).sum(), x)
# ---
x = torch.ones(2, requires_grad=True); x.register_post_accumulate_grad_hook(lambda g: print('h', g)); torch.autograd.grad((x * 2).sum(), x)
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(lambda g: g * 7); y = x * 2; y.register_hook(lambda g: g + 1); torch.autograd.grad(y.sum(), [y, x])
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.register_hook(lambda g: print('old', g)); y.mul_(3); y.register_hook(lambda g: print('new', g)); y.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; h = y.register_hook(lambda g: g * 0); h.remove(); y.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2
def hk(g): h.remove(); print('once'); return g
h = y.register_hook(hk); z = y.sum(); z.backward(retain_graph=True); z.backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y, z = x.unbind(); y.register_hook(lambda g: print('y', g)); z.register_hook(lambda g: print('z', g)); (y * 2).backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x.unbind(); y[0].grad_fn.register_prehook(lambda g: print(g)); (y[0] * 2).backward(); x.grad
# ---
from torch.autograd.graph import register_multi_grad_hook
a, b, c = (torch.ones(2, requires_grad=True) for _ in range(3)); h = register_multi_grad_hook((a, b, c), lambda gs: print(gs)); (a * 2 + b * 3).sum().backward(); h.remove(); (a * 2).sum().backward()
# ---
from torch.autograd.graph import register_multi_grad_hook
a, b = (torch.ones(2, requires_grad=True) for _ in range(2)); register_multi_grad_hook((a, b), lambda g: print('any', g), mode='any'); (a * 2 + b * 3).sum().backward()
# ---
from torch.autograd.graph import register_multi_grad_hook
a = torch.ones(2, requires_grad=True); register_multi_grad_hook((a,), print, mode='foo')
# ---
from torch.autograd.graph import register_multi_grad_hook
a = torch.ones(2); register_multi_grad_hook((a,), print)
# ---
x = torch.ones(2, requires_grad=True); o = []
a = x * 2; b = a * 3; c = a * 4; d = b + c
for n, t in zip('abcd', (a, b, c, d)): t.register_hook(lambda g, n=n: o.append((n, g.tolist())))
d.sum().backward(); o
# ---
x = torch.ones(2, requires_grad=True)
x.register_hook(lambda g: (x * 2).sum().backward() if not o else None) if False else None
o = []
def h(g):
    if not o: o.append(1); (x * 5).sum().backward()
y = x * 2; y.register_hook(h); y.sum().backward(); x.grad
# ---
lin = torch.nn.Linear(2, 1); torch.nn.init.ones_(lin.weight); torch.nn.init.zeros_(lin.bias); lin.register_forward_hook(lambda m, i, o: o * 2); lin(torch.ones(1, 2))
# ---
lin = torch.nn.Linear(2, 1); torch.nn.init.ones_(lin.weight); torch.nn.init.zeros_(lin.bias); lin.register_forward_pre_hook(lambda m, i: (i[0] * 3,)); lin(torch.ones(1, 2))
# ---
lin = torch.nn.Linear(2, 1); torch.nn.init.ones_(lin.weight); lin.register_full_backward_hook(lambda m, gi, go: print(gi, go)); lin(torch.ones(1, 2, requires_grad=True)).sum().backward()
# ---
lin = torch.nn.Linear(2, 1); torch.nn.init.ones_(lin.weight); lin.register_full_backward_hook(lambda m, gi, go: print(gi, go)); lin(torch.ones(1, 2)).sum().backward()
# ---
lin = torch.nn.Linear(2, 1); torch.nn.init.ones_(lin.weight); lin.register_full_backward_hook(lambda m, gi, go: (gi[0] * 2,)); x = torch.ones(1, 2, requires_grad=True); y = lin(x); print(y.grad_fn); y.sum().backward(); x.grad
# ---
lin = torch.nn.Linear(2, 1); lin.register_full_backward_pre_hook(lambda m, go: (go[0] * 0,)); x = torch.ones(1, 2, requires_grad=True); lin(x).sum().backward(); x.grad, lin.weight.grad
# ---
lin = torch.nn.Linear(2, 1); lin.register_backward_hook(lambda m, gi, go: print(len(gi), go)); x = torch.ones(1, 2, requires_grad=True); lin(x).sum().backward()
# ---
m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(inplace=True)); m[1].register_full_backward_hook(lambda m, gi, go: None); m(torch.ones(1, 2))
# ---
m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()); o = []
for n, c in m.named_modules():
    c.register_forward_pre_hook(lambda m, i, n=n: o.append(('pre', n))); c.register_forward_hook(lambda m, i, out, n=n: o.append(('fwd', n))); c.register_full_backward_hook(lambda m, gi, go, n=n: o.append(('bwd', n))); c.register_full_backward_pre_hook(lambda m, go, n=n: o.append(('bpre', n)))
m(torch.ones(1, 2)).sum().backward(); o
# ---
m = torch.nn.Linear(2, 2); m.register_forward_hook(lambda m, a, k, o: print(a, k), with_kwargs=True); m(input=torch.ones(1, 2)).shape
# ---
h = torch.nn.modules.module.register_module_forward_hook(lambda m, i, o: print(type(m).__name__)); torch.nn.Sequential(torch.nn.ReLU())(torch.ones(1)); h.remove(); torch.nn.ReLU()(torch.ones(1))
# ---
m = torch.nn.Linear(2, 2); m.register_forward_hook(lambda m, i, o: print('b')); m.register_forward_hook(lambda m, i, o: print('a'), prepend=True); m(torch.ones(2)).shape
# ---
m = torch.nn.Linear(2, 2); h = m.register_forward_hook(lambda m, i, o: print('b')); h.remove(); m(torch.ones(2)).shape
# ---
torch.autograd.Variable._execution_engine.queue_callback(lambda: None)
# ---
x = torch.ones(2, requires_grad=True)
def h(g): torch.autograd.Variable._execution_engine.queue_callback(lambda: print('done', x.grad))
y = x * 2; y.register_hook(h); y.sum().backward()
# ---
x = torch.ones(2, requires_grad=True); print(torch._C._current_graph_task_id())
y = x * 2; y.register_hook(lambda g: print(torch._C._current_graph_task_id() >= 0)); y.sum().backward()
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; z = y + 1
def h(g): print([n.name() for n in torch._C._current_graph_task_execution_order()])
z.register_hook(h); z.sum().backward()
# ---
x = torch.ones(2, requires_grad=True); y = x.exp(); e = torch.autograd.graph.GradientEdge(y.grad_fn, 0); torch.autograd.grad(y.sum(), e)
# ---
x = torch.ones(2, requires_grad=True); y = x.exp(); e = torch.autograd.graph.get_gradient_edge(y); e, torch.autograd.grad(e, x, torch.ones(2))
# ---
x = torch.ones(2, requires_grad=True); y = x.exp(); e = torch.autograd.graph.get_gradient_edge(y); torch.autograd.backward(e, torch.ones(2)); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x.exp(); e = torch.autograd.graph.get_gradient_edge(y); torch.autograd.backward(e)
# ---
torch.autograd.graph.get_gradient_edge(torch.ones(2))
# ---
a = torch.ones(2, requires_grad=True); b = torch.ones(2, requires_grad=True); o = []
x = a * 2; y = b * 3; x.register_hook(lambda g: o.append('x')); y.register_hook(lambda g: o.append('y')); torch.autograd.backward([x.sum(), y.sum()]); o
# ---
a = torch.ones(2, requires_grad=True); o = []
x = a.exp(); y = a.sin(); z = a.cos(); [t.register_hook(lambda g, n=n: o.append(n)) for t, n in ((x, 'exp'), (y, 'sin'), (z, 'cos'))]; (z + x + y).sum().backward(); o
# ---
a = torch.ones(2, requires_grad=True); b = torch.ones(2, requires_grad=True); o = []
a.register_hook(lambda g: o.append('a')); b.register_hook(lambda g: o.append('b')); c = (a * 2); d = b * 3; c.register_hook(lambda g: o.append('c')); d.register_hook(lambda g: o.append('d')); (c + d).sum().backward(); o
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; J = torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True); J
# ---
x = torch.ones(3, requires_grad=True); y = x ** 2; J = torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True, create_graph=True); J[0].requires_grad, torch.autograd.grad(J[0].sum(), x)
# ---
x = torch.ones(3, requires_grad=True); torch.autograd.grad(x.sum(), x, torch.ones(4), is_grads_batched=True)
# ---
x = torch.ones(3, requires_grad=True); torch.autograd.grad((x * 2), x, torch.ones(4, 2), is_grads_batched=True)
# ---
x = torch.ones(3, requires_grad=True); torch.autograd.grad(x.sum(), [])
# ---
x = torch.ones(3, requires_grad=True); torch.autograd.grad(x.sum(), 3)
# ---
x = torch.ones(3, requires_grad=True); torch.autograd.grad(x.sum(), [x, None])
# ---
x = torch.ones(3, requires_grad=True); torch.autograd.grad([], x)
# ---
x = torch.ones(3, requires_grad=True); torch.autograd.grad(x.sum(), x, only_inputs=False)
# ---
x = torch.ones(3, requires_grad=True); torch.autograd.grad(x * 2, x)
# ---
x = torch.ones(3, requires_grad=True); torch.autograd.grad((x * 2).sum(), {'a': x, 'b': x})
# ---
x = torch.ones(3, requires_grad=True); y = x.sum(); torch.autograd.grad(y, [x, x, y])
# ---
x = torch.ones(3, requires_grad=True); torch.autograd.grad(outputs=(x * 2), inputs=x, grad_outputs=torch.ones(3), retain_graph=False)
# ---
x = torch.ones(3, requires_grad=True); torch.autograd.grad((x * 2).sum(), torch.ones(3, requires_grad=True), allow_unused=True, materialize_grads=True)
# ---
import inspect
[str(inspect.signature(f)) for f in (torch.autograd.grad, torch.autograd.backward, torch.Tensor.backward, torch.Tensor.register_hook, torch.autograd.graph.register_multi_grad_hook, torch.no_grad, torch.set_grad_enabled, torch.autograd.graph.save_on_cpu, torch.autograd.gradcheck, torch.utils.checkpoint.checkpoint, torch.autograd.functional.jacobian)]
