class Identity(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a, a + b
    @staticmethod
    def backward(ctx, ga, gb): return ga + gb, gb
x = torch.ones(2, requires_grad=True); y = torch.ones(2, requires_grad=True); q, p = Identity.apply(x, y)
print(q is x, q._is_view(), q.grad_fn, q.next_functions if hasattr(q, 'next_functions') else q.grad_fn.next_functions)
x.register_hook(lambda g: print('hook', g)); (q + p).sum().backward()
x.grad, y.grad
# ---
class Inplace(torch.autograd.function.InplaceFunction):
    @staticmethod
    def forward(ctx, a, b): ctx.mark_dirty(a); return a.add_(b), b + 2
    @staticmethod
    def backward(ctx, ga, gb): return ga, ga + gb
x = torch.ones(3); y = torch.ones(3, requires_grad=True); q, p = Inplace.apply(x, y)
print(q is x, q.grad_fn is x.grad_fn, p.grad_fn is q.grad_fn, q.requires_grad, q.output_nr, p.output_nr)
(q + p).sum().backward(); y.grad
# ---
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        out = x ** 2; ctx.save_for_backward(x, out); return out, out
    @staticmethod
    def backward(ctx, g1, g2): x, _ = ctx.saved_tensors; print(g1, g2); return g1 * 2 * x + g2
x = torch.ones(2, requires_grad=True); a, b = Double.apply(x); print(a is b, a.output_nr); (a * 3 + b).sum().backward(); x.grad
# ---
class DoubleInplace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): x.mul_(2); ctx.mark_dirty(x); return x, x
    @staticmethod
    def backward(ctx, g1, g2): print(g1, g2); return g1 * 2 + g2 * 2
x = torch.ones(2, requires_grad=True); a, b = DoubleInplace.apply(x.clone()); print(a is b); (a + b).sum().backward(); print(x.grad)
DoubleInplace.apply(x)
# ---
class DoubleInplace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): x.mul_(2); ctx.mark_dirty(x); return x, x
    @staticmethod
    def backward(ctx, g1, g2): return g1 * 2 + g2 * 2
x = torch.ones(5, requires_grad=True); DoubleInplace.apply(x.clone()[0:2])
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y): ctx.save_for_backward(x); ctx.mark_dirty(y); y.add_(x); return y
    @staticmethod
    def backward(ctx, g): x, = ctx.saved_tensors; return g * x * 2, g * 3
x = torch.ones(2, requires_grad=True); y = torch.zeros(2, requires_grad=True) * 1; v = y[:1]
z = F.apply(x, y); print(z is y, v.grad_fn, v); (z * 2).sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, base, other): base.mul_(other); ctx.mark_dirty(base); ctx.save_for_backward(other); return base
    @staticmethod
    def backward(ctx, g): o, = ctx.saved_tensors; print('shape', g.shape); return g * o, (g * 7).sum()
b = torch.ones(2, 2, requires_grad=True); o = torch.tensor(3., requires_grad=True); c = b.clone(); v = c[0]
F.apply(v, o); print(c, v, c.grad_fn, v.grad_fn, [n and type(n).__name__ for n, _ in c.grad_fn.next_functions]); c.sum().backward(); b.grad, o.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, base, other): base.mul_(other); ctx.mark_dirty(base); ctx.save_for_backward(other); return base
    @staticmethod
    def backward(ctx, g): o, = ctx.saved_tensors; return g * o, (g * 7).sum()
b = torch.ones(2, 2, requires_grad=True); o = torch.tensor(3., requires_grad=True); c = b.clone(); v = c[0]
F.apply(v, o); c.sum().backward(); c.sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k): ctx.k = k; return x.narrow(0, 0, 2) if k else x.clone()
    @staticmethod
    def backward(ctx, g): return torch.cat([g, torch.zeros(1)]) if ctx.k else g, None
x = torch.ones(3, requires_grad=True); a = x.clone(); v = F.apply(a, True); print(v._is_view(), v._base is a, v.grad_fn)
a.add_(1); print(v); v.grad_fn
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.view(-1), x * 2
    @staticmethod
    def backward(ctx, g, h): return g.view(1, 2) + h * 2
x = torch.ones(1, 2, requires_grad=True); a, b = F.apply(x.clone()); b.add_(1); a.add_(1)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): y = x.clone(); return y[0]
    @staticmethod
    def backward(ctx, g): return torch.stack([g, g * 0])
x = torch.ones(2, 2, requires_grad=True); a = F.apply(x); print(a._is_view(), a.grad_fn); a.add_(1)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp): return inp.view_as(inp)
    @staticmethod
    def backward(ctx, g): return g
a = torch.rand(1, 2); b = torch.rand(1, requires_grad=True); v = F.apply(a); v += b
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp): return inp.view_as(inp)
    @staticmethod
    def backward(ctx, g): return g
a = torch.rand(1, 2); v = F.apply(a); v += 1; v.copy_(torch.ones(1, 2)); (v.requires_grad, v._version, F.apply(a.requires_grad_())._base is a)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, g): return g * 10
x = torch.ones(2, requires_grad=True); a = x * 1; b = F.apply(a); b.mul_(2)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, g): return g * 10
with torch.no_grad(): a = torch.ones(2, requires_grad=True); b = F.apply(a)
b is a, b.requires_grad, b.is_leaf, b._is_view(), a._version, F.apply(3), F.apply('s')
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.mark_non_differentiable(x); return x
    @staticmethod
    def backward(ctx, g): return g
a = torch.ones(2, requires_grad=True); b = F.apply(a); b is a, b.requires_grad, b.grad_fn, b._is_view()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad(): y = x * 2; z = y * 3
        ctx.mark_non_differentiable(y); return y, z
    @staticmethod
    def backward(ctx, gy, gz): print(gy, gz); return gz
a = torch.ones(2, requires_grad=True); y, z = F.apply(a); print(y.requires_grad, y.grad_fn, z.grad_fn, z.grad_fn.next_functions); z.sum().backward(); a.grad
# ---
w = torch.ones(2, requires_grad=True)
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return w
    @staticmethod
    def backward(ctx, g): return g * 5
x = torch.ones(2, requires_grad=True); y = F.apply(x); print(y is w, w.grad_fn, w.is_leaf); y.sum().backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.x = x; return x * 2
    @staticmethod
    def backward(ctx, g): print(ctx.needs_input_grad, ctx.x.requires_grad, g.requires_grad, g.is_leaf); return g * ctx.x
x = torch.ones(2, requires_grad=True); g = torch.ones(2, requires_grad=True); F.apply(x).backward(g); print(x.grad)
r, = torch.autograd.grad(F.apply(x), x, g, create_graph=True); r, r.grad_fn, torch.autograd.grad(r.sum(), (x, g))
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c): return a + b + c
    @staticmethod
    def backward(ctx, g): print(ctx.needs_input_grad); return tuple(g * (i + 1) if n else None for i, n in enumerate(ctx.needs_input_grad))
a, b, c = torch.ones(1, requires_grad=True), torch.ones(1), torch.ones(1, requires_grad=True)
F.apply(a, b, c).backward(); print(a.grad, b.grad, c.grad); torch.autograd.grad(F.apply(a, b, c), c), F.apply(a, b, c).grad_fn.next_functions[1]
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a * 2
    @staticmethod
    def backward(ctx, g): return g.to(torch.float16)
for kind in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64):
    x = torch.ones(2, dtype=kind, requires_grad=True); F.apply(x).sum().abs().backward(); print(x.grad)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a.sum()
    @staticmethod
    def backward(ctx, g): return g.expand(4, 2, 3)
x = torch.ones(2, 1, requires_grad=True); F.apply(x).backward(); x.grad, x.grad.shape, x.grad.stride()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a * 2
    @staticmethod
    def backward(ctx, g): return g.reshape(1, -1)
x = torch.ones(2, 2, requires_grad=True); F.apply(x).sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): ctx.save_for_backward(a); a2 = a * 2; ctx.save_for_backward(a2); return a2 * 1
    @staticmethod
    def backward(ctx, g): print(ctx.saved_tensors, ctx.saved_tensors[0].requires_grad); return g
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): ctx.save_for_backward(a.detach(), a.data, a[0]); return a * 1
    @staticmethod
    def backward(ctx, g): print([(t, t.requires_grad) for t in ctx.saved_tensors]); return g
x = torch.ones(2, requires_grad=True); y = F.apply(x); print(y.grad_fn._raw_saved_tensors[0].__class__.__name__, len(y.grad_fn._raw_saved_tensors)); y.sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): ctx.save_for_backward(a); return a * 1
    @staticmethod
    def backward(ctx, g): t, = ctx.saved_tensors; t.add_(1); return g
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward(); x
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): ctx.save_for_backward(a); return a * 1
    @staticmethod
    def backward(ctx, g): t, = ctx.saved_tensors; t.add_(1); return g
x = torch.ones(2, requires_grad=True); a = x * 1; y = F.apply(a); y.sum().backward(retain_graph=True); print(a); y.sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a.exp()
    @staticmethod
    def backward(ctx, g): g.mul_(3); return g
x = torch.ones(2, requires_grad=True); v = torch.ones(2); F.apply(x).backward(v); v, x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a.exp()
    @staticmethod
    def backward(ctx, g): return g
x = torch.ones(2, requires_grad=True); v = torch.ones(2); F.apply(x).backward(v); v.add_(1); print(x.grad); y = F.apply(x); r, = torch.autograd.grad(y, x, v); r is v, r.data_ptr() == v.data_ptr()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a.exp()
    @staticmethod
    def backward(ctx, g): raise ValueError('mine')
x = torch.ones(2, requires_grad=True); y = F.apply(x) + x * 2
try: y.sum().backward()
except ValueError as e: print(repr(e), e.__traceback__.tb_next is not None)
x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return undefined_name
    @staticmethod
    def backward(ctx, g): return g
print(torch.is_grad_enabled())
try: F.apply(torch.ones(1, requires_grad=True))
except NameError as e: print(e)
torch.is_grad_enabled()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a * 2
    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad():
            z = torch.ones(2, requires_grad=True); (z * 3).sum().backward(); print(z.grad, torch._C._current_graph_task_id() >= 0)
        return g * z.grad
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward(); x.grad
# ---
class Reenter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.x = x.detach().requires_grad_(); ctx.out = ctx.x ** 3
        return ctx.out.detach()
    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad(): ctx.out.backward(g)
        return ctx.x.grad
x = torch.tensor([2.], requires_grad=True); Reenter.apply(Reenter.apply(x)).backward(); x.grad
# ---
class Deep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad(): ctx.x = (x.detach() - 1).requires_grad_()
        return ctx.x.detach()
    @staticmethod
    def backward(ctx, g):
        if ctx.x < 0: return g
        with torch.enable_grad(): Deep.apply(ctx.x).sum().backward()
        return g
v = torch.tensor(300.0, requires_grad=True); Deep.apply(v).sum().backward(); v.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * 2
x = torch.ones(1, requires_grad=True); y = F.apply(x); n = y.grad_fn
n.register_hook(lambda gi, go: print('post', gi, go)); n.register_prehook(lambda go: (print('pre', go), (go[0] * 3,))[1]); y.register_hook(lambda g: print('tensor', g)); y.retain_grad()
y.backward(); x.grad, y.grad, n.metadata
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * 2
x = torch.ones(1, requires_grad=True); y = F.apply(x); Node = torch.autograd.graph.Node
isinstance(y.grad_fn, Node), isinstance((x * 2).grad_fn, Node), issubclass(type(y.grad_fn), Node), Node in type(y.grad_fn).__mro__, isinstance(3, Node), isinstance(Node, Node), issubclass(Node, Node), issubclass(torch.autograd.function.BackwardCFunction, Node), isinstance(y.grad_fn.next_functions[0][0], Node), type(y.grad_fn).__module__, F._backward_cls is type(y.grad_fn)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, g): print(g); return g
x = torch.ones(1, requires_grad=True); torch._C._functions.UndefinedGrad()(F.apply(x)).backward(); x.grad
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.set_materialize_grads(False); return x
    @staticmethod
    def backward(ctx, g): print(g); return g
x = torch.ones(1, requires_grad=True); y = torch._C._functions.UndefinedGrad()(F.apply(x)); print(y.grad_fn); y.backward(); x.grad
# ---
torch._C._functions.DelayedError(b'later', 2)(torch.ones(1, requires_grad=True), torch.ones(2, requires_grad=True))[1].sum().backward()
