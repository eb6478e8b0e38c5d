def graph_desc(fn):
    if fn is None: return 'None'
    return type(fn).__name__ + '(' + ', '.join(graph_desc(f) for f, _ in fn.next_functions) + ')'
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, s, b):
        ctx.s = s; ctx.save_for_backward(a, b); return a + s * b + a * b
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g + g * b, None, g * ctx.s + g * a
x = torch.randn(5, 5, requires_grad=True); y = torch.randn(5, 5, requires_grad=True)
r = F.apply(x, 2, y); go = torch.ones((), requires_grad=True)
r.sum().backward(go, create_graph=True)
(graph_desc(x.grad.grad_fn), graph_desc(y.grad.grad_fn), go.grad)
# ---
from torch.autograd.function import once_differentiable
def graph_desc(fn):
    if fn is None: return 'None'
    return type(fn).__name__ + '(' + ', '.join(graph_desc(f) for f, _ in fn.next_functions) + ')'
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, s, b):
        ctx.s = s; ctx.save_for_backward(a, b); return a + s * b + a * b
    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        a, b = ctx.saved_tensors; print(torch.is_grad_enabled())
        return g + g * b, None, g * ctx.s + g * a
x = torch.randn(5, 5, requires_grad=True); y = torch.randn(5, 5, requires_grad=True)
r = F.apply(x, 2, y); go = torch.ones((), requires_grad=True)
r.sum().backward(go, create_graph=True)
(graph_desc(x.grad.grad_fn), graph_desc(y.grad.grad_fn))
# ---
@torch.no_grad()
class Foo:
    def __init__(self): print(torch.is_grad_enabled())
    def foo(self): print(torch.is_grad_enabled())
f = Foo(); f.foo()
@torch.inference_mode()
class Foo2:
    def __init__(self): print(torch.is_inference_mode_enabled())
f = Foo2()
# ---
@torch.no_grad()
def coro_no_grad(n=3):
    print(torch.is_grad_enabled())
    for i in range(n):
        with torch.enable_grad():
            print(torch.is_grad_enabled()); yield i
            print(torch.is_grad_enabled())
    print(torch.is_grad_enabled())
for i in coro_no_grad(): print(i, torch.is_grad_enabled())
with torch.enable_grad():
    for i in coro_no_grad(1): print(i, torch.is_grad_enabled())
# ---
class RecoverableException(Exception): pass
@torch.no_grad()
def c(n):
    has = False
    for i in range(n):
        try:
            print(torch.is_grad_enabled()); yield (-i if has else i)
        except RecoverableException:
            print('caught', torch.is_grad_enabled()); has = True
g = c(5)
out = [next(g)]
try:
    while True: out.append(g.throw(RecoverableException))
except StopIteration: pass
out
# ---
state = set()
@torch.enable_grad()
def c():
    state.add('in')
    try: yield 1
    except GeneratorExit:
        print(torch.is_grad_enabled()); raise
with torch.no_grad():
    g = c(); next(g); g.close(); print(torch.is_grad_enabled())
# ---
@torch.no_grad()
def g():
    x = yield 1
    print(x, torch.is_grad_enabled())
    y = yield x
    return y + 1
def w():
    r = yield from g()
    print('r', r, torch.is_grad_enabled())
k = w(); print(next(k)); print(k.send(10))
try: k.send(20)
except StopIteration as e: print('stop')
# ---
cnt = [0]
def inc(): cnt[0] += 1
class M(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i): return i
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, i):
        torch.autograd.Variable._execution_engine.queue_callback(inc)
        return i
class R(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i): return i
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, i):
        t = torch.tensor([1.], requires_grad=True)
        with torch.enable_grad(): t2 = M.apply(t).sum()
        print('before', cnt); t2.backward(); print('after', cnt)
        return i
t1 = torch.rand((3, 3), requires_grad=True)
R.apply(M.apply(t1)).sum().backward()
cnt
# ---
order = []
def c1():
    order.append('c1'); torch.autograd.Variable._execution_engine.queue_callback(lambda: order.append('c2'))
class M(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i): return i * 1
    @staticmethod
    def backward(ctx, g):
        torch.autograd.Variable._execution_engine.queue_callback(c1); return g
M.apply(torch.ones(2, requires_grad=True)).sum().backward()
order
# ---
t = torch.ones(2, requires_grad=True)
y = t * 2
def cb(): raise RuntimeError("blah")
def hook(*a): torch.autograd.Variable._execution_engine.queue_callback(cb)
y.register_hook(hook)
y.sum().backward()
# ---
torch.autograd.Variable._execution_engine.queue_callback(lambda: 1)
# ---
class D(torch.nn.Module):
    pass
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y): return x * 1, y * 1
    @staticmethod
    def backward(ctx, gx, gy): print(gx, gy); return None, gy
x = torch.ones(2, requires_grad=True); y = torch.ones(2, requires_grad=True)
a, b = F.apply(x.exp(), y.exp())
b.sum().backward(); (x.grad, y.grad)
# ---
x = torch.tensor([1.], requires_grad=True)
class MyFunc(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x); return x.clone()
    @staticmethod
    def backward(ctx, gO):
        x, = ctx.saved_tensors
        return MyFunc2.apply(x)
class MyFunc2(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * float('nan') * 1
    @staticmethod
    def backward(ctx, gO): return gO * float("NaN")
with torch.autograd.detect_anomaly():
    y = MyFunc.apply(x)
    g, = torch.autograd.grad(y, x, create_graph=True)
# ---
x = torch.ones(1, requires_grad=True)
with torch.autograd.detect_anomaly():
    y = x * 2
    print(sorted(k for k in y.grad_fn.metadata))
(type(y.grad_fn.metadata), list((x*2).grad_fn.metadata))
# ---
x = torch.ones(1, requires_grad=True); y = x * 2
y.grad_fn.metadata['k'] = 3
y.grad_fn.metadata
# ---
x = torch.randn(10, 10, requires_grad=True)
y = x + 2; v = y.narrow(0, 0, 5)
v.detach_()
# ---
x = torch.ones(3, requires_grad=True)
y = x + 2; y2 = y.detach(); y2 *= 3
(y, y2, y2.requires_grad, y2.grad_fn)
# ---
x = torch.ones(4, requires_grad=True); y = x * 1
v = y.view(2, 2); v.detach_()
# ---
x = torch.ones(4, requires_grad=True)
y = x * 1; y.detach_(); (y.requires_grad, y.grad_fn, y.is_leaf)
# ---
x, y = torch.ones(5,5,requires_grad=True), torch.ones(5,5,requires_grad=True)
a = x + (y * 2); b = 4; k = a + b; c = k.detach().requires_grad_(); 
z = a * c; z.backward(torch.ones(5,5)); (x.grad[0,0], c.grad[0,0])
# ---
x = torch.zeros(3, 3, requires_grad=True)
class FG(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 1
    @staticmethod
    def backward(ctx, g): return torch.sparse_coo_tensor([[0],[0]], [1.], (3,3))
(FG.apply(x) + FG.apply(x)).sum().backward(); print(x.grad)
x.grad = None
(FG.apply(x) + x * 2).sum().backward(); print(x.grad)
# ---
x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
q = torch.ones(2, requires_grad=True); a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
q2 = q * 2; z = x + y + q2; c = a * b + q2
torch.autograd.backward([z, c], [torch.ones(2), torch.ones(2) * 3])
(x.grad, y.grad, a.grad, b.grad, q.grad)
# ---
x = torch.ones(2, requires_grad=True); y = torch.ones(2)
z = x + y; q = y * 2
torch.autograd.backward([z, q], [torch.ones(2), torch.ones(2)])
# ---
torch.ones(1).backward()
# ---
x = torch.ones(1); y = x ** 2
torch.autograd.grad(x, y)
# ---
x = torch.ones(1); y = x ** 2
torch.autograd.grad(y, x)
# ---
x = torch.ones(1, requires_grad=True); y = x ** 2
print(torch.autograd.grad(y, x)); torch.autograd.grad(x, y)
# ---
x = torch.tensor([1.0], requires_grad=True)
torch.autograd.grad(2 * x, [], grad_outputs=torch.tensor([1.0]))
# ---
x = torch.ones(1, requires_grad=True); y = x ** 2
y.grad_fn(x.detach(), x.detach())
# ---
x = torch.ones(1, requires_grad=True); y = x ** 2
y.grad_fn()
# ---
x = torch.ones(1, requires_grad=True); y = x.sin()
print(y.grad_fn(x.detach())); y.grad_fn(0)
# ---
x = torch.ones(1, requires_grad=True)
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 1
    @staticmethod
    def backward(ctx, g): raise RuntimeError('should not run')
y = torch.ones(1, requires_grad=True)
(gy,) = torch.autograd.grad(F.apply(x) + 0*y.detach(), (y,), allow_unused=True); gy
# ---
class MyFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b); return a + b
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_variables
        return g, g
x = torch.ones(2, requires_grad=True)
MyFunction.apply(x, x).sum().backward(); x.grad
# ---
from collections import OrderedDict
x = torch.randn(2); z = torch.randn(2, requires_grad=True)
a = x + 1
a._backward_hooks = OrderedDict(); a._backward_hooks['t'] = lambda: 1/0
x._backward_hooks = OrderedDict(); print(x._backward_hooks)
(a + z).backward(torch.ones(2)); (z.grad, a._backward_hooks is not None, z._backward_hooks)
# ---
outs = []
x = torch.arange(1.0, 49).view(4, 3, 4).requires_grad_()
for idx in [1, (1, 1), slice(1, None), (slice(None, 2), 2), (Ellipsis, slice(2, None)), ([0], [0]), ([1, 2, 3], [0]), ([[1, 2], [2, 0]], [[0, 1], [2, 1]]), (slice(None), [2, 1]), ([2, 1], slice(None)), ([0], Ellipsis), (Ellipsis, [1, 2], [0, 1]), (slice(None), [[1, 2], [2, 0]], [[0, 1], [2, 3]]), (torch.tensor([0, 1]), Ellipsis), (None, [1], None, 2), (True,), (False,), (torch.tensor(True), 1)]:
    y = x[idx]; g, = torch.autograd.grad(y.sum(), x); outs.append((tuple(y.shape), y.stride(), g.sum().item(), y.grad_fn.name(), float((g * x).sum())))
outs
# ---
x = torch.arange(16.).view(4, 4).requires_grad_()
y = x[[1, 1, 3, 2, 1, 2]]; y.sum().backward(); print(x.grad)
x.grad = None; x[[[1, 2], [0, 0]], [[0, 1], [1, 1]]].sum().backward(); x.grad
# ---
a = torch.tensor([1., 0, 0]); b = torch.zeros(3, requires_grad=True); t = b + 0
t[a != 0] = t[a != 0]
t.backward(torch.zeros_like(t)); b.grad
# ---
pred = []
def names(ns): return [n.name() for n in ns]
t = torch.tensor(1., requires_grad=True).clone().sin().exp()
t.register_hook(lambda g: pred.append(torch._C._current_graph_task_execution_order()))
with torch.autograd.set_multithreading_enabled(False): t.backward()
print(names(pred[0]))
a = torch.tensor(1., requires_grad=True); b = a * 2
o, o2, o3 = b.sin(), b.cos(), b.cos()
o3.register_hook(lambda g: pred.append(torch._C._current_graph_task_execution_order()))
with torch.autograd.set_multithreading_enabled(False): torch.autograd.grad((o, o3, o2), inputs=(a,))
print(names(pred[1]))
c = a * torch.tensor(1., requires_grad=True); out = c.sin()
out.register_hook(lambda g: pred.append(torch._C._current_graph_task_execution_order()))
with torch.autograd.set_multithreading_enabled(False): torch.autograd.grad((out,), inputs=(a,))
names(pred[2])
# ---
torch._C._current_graph_task_execution_order()
# ---
t = torch.tensor(1., requires_grad=True).clone().sin().exp()
t.register_hook(lambda g: torch._C._current_graph_task_execution_order())
t.backward()
# ---
order = []
class MyModule(torch.nn.Module):
    def __init__(self):
        super().__init__(); self.linear = torch.nn.Linear(10, 10)
    def forward(self, x): return self.linear(x)
x = torch.randn(10, 10, requires_grad=True); module = MyModule()
module.register_full_backward_hook(lambda a, b, c: order.append("module"))
cnt = 0
def reg(nodes):
    global cnt
    for node, _ in nodes:
        cnt += 1; i = f"{node.name()}_{cnt}"
        node.register_prehook(lambda _, i=i: order.append('pre ' + i))
        node.register_hook(lambda a, b, i=i: order.append('post ' + i))
        reg(node.next_functions)
loss = module(x).sum(); reg(((loss.grad_fn, None),))
for n, t in (('x', x), ('w', module.linear.weight), ('b', module.linear.bias)):
    t.register_hook(lambda g, n=n: order.append('tensor ' + n))
    t.register_post_accumulate_grad_hook(lambda p, n=n: order.append('acc ' + n))
loss.backward(); print('\n'.join(order))
# ---
o = []
for e in (torch.zeros(3), 0):
    i = torch.zeros(3, requires_grad=True); i.pow(e).sum().backward(); o.append(i.grad)
o
# ---
i = torch.tensor([0., 1., 2.], requires_grad=True); e = torch.tensor([0., 0., 3.], requires_grad=True)
i.pow(e).sum().backward(); print(i.grad, e.grad)
b = torch.tensor([0., 2.], requires_grad=True); (0. ** b).sum().backward(); print(b.grad); (2 ** b)
# ---
a = torch.randn(2, 3); b = a[:]; a.requires_grad = True
try: a.add_(5)
except RuntimeError as e: print(e)
try: b.add_(5)
except RuntimeError as e: print(e)
# ---
a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
x = a * b; torch.autograd.backward([x, x], [torch.ones(2), torch.ones(2)]); (a.grad, b.grad)
# ---
a = torch.ones(2, requires_grad=True); b = a + 2
torch.autograd.backward([b], [None])
# ---
b = torch.randn(3, requires_grad=True); c = torch.zeros(3); c[[1, 2]] = b[[1, 1]]
c.backward(torch.tensor([1., 1, 1])); 
c.backward(torch.tensor([1., 1, 1]))
# ---
b = torch.randn(3, requires_grad=True); c = torch.zeros(3); c[1] = b[2]
c.backward(torch.tensor([1., 1, 1])); c.backward(torch.tensor([1., 1, 1])); b.grad
# ---
class M(torch.nn.Module):
    def forward(self, x): return x * 1
m = M(); m.register_full_backward_hook(lambda m, gi, go: print(gi[0].requires_grad, go))
a = torch.ones(1, requires_grad=True); t = torch.ones(1, requires_grad=True)
torch.autograd.grad(m(a ** 2).sum(), a, create_graph=True)
# ---
x = torch.ones(4, 4, requires_grad=True); conv = torch.nn.Linear(4, 4, bias=False)
torch.nn.init.ones_(conv.weight)
conv.register_full_backward_hook(lambda m, gi, go: print(gi[0].sum().item(), go[0].sum().item()))
o = conv(x); g, = torch.autograd.grad(o.pow(2).sum(), x, create_graph=True); g.sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = torch.ones(2, requires_grad=True) * 4
c = [0]
z = x ** 2 + x * 2 + x * y + y
x.register_hook(lambda *a: c.__setitem__(0, c[0] + 1))
t = z.register_hook(lambda *a: c.__setitem__(0, c[0] + 10))
z.backward(torch.ones(2), retain_graph=True); print(c)
t2 = z.register_hook(lambda *a: c.__setitem__(0, c[0] + 100))
z.backward(torch.ones(2), retain_graph=True); print(c)
t2.remove(); z.backward(torch.ones(2), retain_graph=True); print(c)
t.remove(); z.register_hook(lambda g: g * 2); y.retain_grad(); x.grad = None
z.backward(torch.ones(2)); (y.grad, x.grad)
# ---
x = torch.ones(2, requires_grad=True); bn = torch.nn.BatchNorm1d(3, affine=False); bn.double(); bn.eval()
c = []
bn.register_full_backward_hook(lambda m, gi, go: c.append(1))
x = torch.ones(4, 3, dtype=torch.double, requires_grad=True); z = bn(x); z.sum().backward(); (c, x.grad[0])
