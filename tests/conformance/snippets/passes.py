def seq(): return (torch.ones(1, requires_grad=True) * 1).grad_fn._sequence_nr()
x = torch.ones(2, requires_grad=True); a, b = (x * 2).sum(), (x * 3).sum(); s = seq(); torch.autograd.backward([a, b]); n = seq() - s; a = (x * 2).sum(); s = seq(); a.backward(); (n, seq() - s)
# ---
leaves = [torch.ones(1, requires_grad=True) for _ in range(9)]; order = []
for i, leaf in enumerate(leaves): leaf.register_hook(lambda g, i=i: order.append(i))
for n in range(2, 10):
    order.clear(); torch.cat(leaves[:n]).sum().backward(); print(n, order)
order.clear(); torch.cat([leaves[0], leaves[1] * 2, leaves[2], leaves[3] * 3, leaves[4], leaves[5], leaves[6]]).sum().backward(); order
# ---
x = torch.tensor(1.0, requires_grad=True); t = x.clone().sin().exp(); order = []
t.register_hook(lambda g: order.append([n.name() for n in torch._C._current_graph_task_execution_order()]))
with torch.autograd.set_multithreading_enabled(False): t.backward()
order
# ---
x = torch.tensor(1.0, requires_grad=True); a = x * 2; b = x * 3; c = (a.exp() + b) * a; order = []
c.register_hook(lambda g: order.append([n.name() for n in torch._C._current_graph_task_execution_order()]))
with torch.autograd.set_multithreading_enabled(False): c.backward(inputs=[x], retain_graph=True); torch.autograd.grad(c, a, retain_graph=True)
order
# ---
x = torch.tensor(1.0, requires_grad=True); t = x.exp(); t.register_hook(lambda g: print(torch._C._current_graph_task_execution_order())); t.backward()
# ---
torch._C._current_graph_task_execution_order()
# ---
torch._C._will_engine_execute_node((torch.ones(1, requires_grad=True) * 2).grad_fn)
# ---
torch._C._will_engine_execute_node(3)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; u = x * 3; z = y.sum()
def hook(g):
    for f in (z.grad_fn, y.grad_fn, u.grad_fn, y.grad_fn.next_functions[0][0]):
        try: print(torch._C._will_engine_execute_node(f))
        except RuntimeError as e: print(e)
    print(torch._C._current_autograd_node().name())
y.register_hook(hook); z.backward(retain_graph=True); torch.autograd.grad(z, x, retain_graph=True); z.backward(inputs=[x], retain_graph=True); torch.autograd.grad(z, y)
# ---
def order(numbers):
    x = torch.ones(1, requires_grad=True); ran = []; values = [x * 1, x * 2, x * 3]
    for i, (v, s) in enumerate(zip(values, numbers)):
        v.register_hook(lambda g, i=i: ran.append(i))
        if s is not None: v.grad_fn._set_sequence_nr(s)
    (values[0] + values[1] + values[2]).backward(); return ran
big = 10**9; [order(n) for n in ([None] * 3, [big, None, None], [big, big + 5, big + 1], [None, None, 0])]
# ---
(torch.ones(1, requires_grad=True) * 2).grad_fn._set_sequence_nr('a')
# ---
(torch.ones(1, requires_grad=True) * 2).grad_fn._set_sequence_nr(-1)
# ---
order = []; queue = torch.autograd.Variable._execution_engine.queue_callback; x = torch.ones(1, requires_grad=True)
def hook(g):
    order.append('hook'); queue(lambda: (order.append('first'), queue(lambda: order.append('nested'))))
    def inner(g): order.append('inner'); queue(lambda: order.append('inner end'))
    with torch.enable_grad():
        z = x * 5; z.register_hook(inner); z.sum().backward()
    queue(lambda: order.append('second'))
y = x * 2; y.register_hook(hook); y.sum().backward(); order
# ---
queue = torch.autograd.Variable._execution_engine.queue_callback; x = torch.ones(1, requires_grad=True); y = x * 2; y.register_hook(lambda g: queue(lambda: 1 / 0)); y.backward()
# ---
queue = torch.autograd.Variable._execution_engine.queue_callback; x = torch.ones(1, requires_grad=True); y = x * 2; y.register_hook(lambda g: queue(lambda: print(torch.is_grad_enabled(), torch._C._current_graph_task_id() >= 0, x.grad))); y.backward(retain_graph=True); y.backward(create_graph=True)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.register_hook(lambda g: g * 10); y.grad_fn.register_prehook(lambda g: (g[0] * 100,)); torch.autograd.grad(y.sum(), [x, y], retain_graph=True), torch.autograd.grad(y.sum(), y, retain_graph=True)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.register_hook(lambda g: g * 10); y.grad_fn.register_prehook(lambda g: print('pre')); torch.autograd.grad(y, y, torch.ones(2)), torch.autograd.grad(y, x, torch.ones(2))
# ---
x = torch.ones(2, requires_grad=True); z = torch.ones(2, requires_grad=True); y = x * 2; y.grad_fn.register_prehook(lambda g: print('pre')); print(torch.autograd.grad(y, z, torch.ones(2), allow_unused=True)); torch.autograd.grad(y, x, torch.ones(2))
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(lambda g: g * 10); x.register_post_accumulate_grad_hook(lambda p: print('accumulated')); print(torch.autograd.grad(x, x, torch.ones(2)), x.grad); torch.autograd.backward([x, x], [torch.ones(2), torch.ones(2)]); x.grad
# ---
x = torch.ones(2, 2, requires_grad=True); p, q = x.unbind(0)
p.register_hook(lambda g: print('p', g)); p.grad_fn.register_prehook(lambda g: print('pre', g)); p.grad_fn.register_hook(lambda a, b: print('post', a, b)); q.sum().backward()
# ---
p, q = torch.ones(2, 2, requires_grad=True).unbind(0); p.register_hook(lambda g: torch.ones(2)); q.sum().backward()
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.retain_grad(); y.grad_fn.register_prehook(lambda g: (g[0] * 10,)); y.register_hook(lambda g: g + 1); y.sum().backward(); y.grad, x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; o = torch.ones(2, requires_grad=True)
def nested(g):
    with torch.enable_grad(): (o * o).sum().backward()
y.register_hook(nested); (y * y).sum().backward(retain_graph=True); (y * y).sum().backward(); x.grad, o.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * x; seen = []
def nested(g):
    with torch.enable_grad(): seen.append(torch.autograd.grad(y.sum(), x, retain_graph=True)[0].tolist())
y.register_hook(lambda g: nested(g) if not (seen.append(0) or len(seen) > 1) else None); (y * 3).sum().backward(); seen, x.grad
# ---
class Re(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad(): ctx.x = x.detach().requires_grad_(); ctx.y = ctx.x * ctx.x
        return ctx.y.detach()
    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad(): ctx.y.sum().backward()
        return ctx.x.grad * g
x = torch.tensor([1., 2., 3.], requires_grad=True); Re.apply(x).sum().backward(); x.grad
# ---
class Deep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad(): ctx.x = x.detach().requires_grad_() - 1
        return ctx.x.detach()
    @staticmethod
    def backward(ctx, g):
        if ctx.x < 0: return g
        with torch.enable_grad(): Deep.apply(ctx.x).sum().backward()
        return g
v = torch.tensor(300., requires_grad=True); Deep.apply(v).sum().backward(); v.grad
# ---
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad(): torch.ones(2, requires_grad=True).backward()
        return g
Bad.apply(torch.ones(2, requires_grad=True)).sum().backward()
# ---
x = torch.ones(1, requires_grad=True); y = x
for _ in range(20000): y = y * 1
y.retain_grad(); y.backward(); g, = torch.autograd.grad((y * 0 + x).sum(), x) if False else (x.grad,); g
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; z = y.exp(); h = y.register_hook(lambda g: 1 / 0)
try: z.backward(torch.ones(2))
except ZeroDivisionError as e: print(e)
h.remove()
try: z.backward(torch.ones(2))
except RuntimeError as e: print(str(e)[:60])
print(x.grad, torch._C._current_graph_task_id(), torch.is_grad_enabled())
# ---
torch.autograd.backward(3)
# ---
torch.autograd.backward([3])
# ---
x = torch.ones(2, requires_grad=True); torch.autograd.backward([x.sum()], 3)
# ---
x = torch.ones(2, requires_grad=True); torch.autograd.grad(x.sum(), x, retain_graph=300)
# ---
x = torch.ones(2, requires_grad=True); torch.autograd.grad(x.sum(), x, retain_graph=1.5)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; run = torch.autograd.Variable._execution_engine.run_backward
for args in ((y, (None,), False, False, (x,)), ([y], (None,), False, False, (x,)), ((y,), (torch.ones(4),), True, False, (x,)), ((y,), (3,), True, False, (x,)), ((y,), (), True, False, (x,)), ((3,), (None,), True, False, (x,)), ((y,), (torch.ones(2, 2),), True, False, (x,))):
    try: print(run(*args))
    except RuntimeError as e: print(e)
# ---
x = torch.ones(2, requires_grad=True); n = (x * 2).grad_fn
for args in ((torch.ones(2),), (), (torch.ones(2), torch.ones(2)), (1,), (None,)):
    try: print(n(*args))
    except TypeError as e: print(e)
# ---
x = torch.ones(2, requires_grad=True); n = (x * 2).grad_fn
for name, value in (('metadata', {}), ('next_functions', ()), ('name', 1), ('foo', 1)):
    try: setattr(n, name, value)
    except AttributeError as e: print(e)
type(n)()
# ---
torch.autograd.graph.Node()
# ---
x = torch.ones(2, 3, requires_grad=True); p, q = x.unbind(0); [[(m.shape, m.dtype, m.device, m.is_nested_tensor) for m in t.grad_fn._input_metadata] for t in (p, x * 2, x.double())], (x * 2).grad_fn.next_functions[0][0]._input_metadata[0].shape
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.grad_fn.metadata['note'] = 1; y.grad_fn.metadata, x.expand(1, 2).grad_fn.metadata
# ---
x = torch.ones(2, requires_grad=True); acc = (x * 2).grad_fn.next_functions[0][0]; acc.register_hook(lambda a, b: print('gone')); del acc; (x * 2).sum().backward()
y = x * 2; acc = y.grad_fn.next_functions[0][0]; acc.register_hook(lambda a, b: print(a, b)); acc.register_prehook(lambda g: (g[0] * 100,)); del acc; y.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); x.register_hook(lambda g: print('hook')); x.register_post_accumulate_grad_hook(lambda p: print('after', p.grad)); y = x * 2; y.sum().backward(retain_graph=True); x.requires_grad_(False); y.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); x.register_post_accumulate_grad_hook(lambda p: p * 2); (x * 2).sum().backward()
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; old = y.grad_fn; x.data = torch.ones(3); old(torch.ones(2)), (x * 2).grad_fn.next_functions[0][0] is old.next_functions[0][0], x.shape
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; x.data = torch.ones(2, dtype=torch.float64); (x * 2).grad_fn.next_functions[0][0] is y.grad_fn.next_functions[0][0]
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; x.data = torch.ones(2, dtype=torch.float64); y.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; x.data = torch.ones(3); y.sum().backward(); x.grad
