class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp): out = inp.clone().view_as(inp); ctx.mark_dirty(out); return out
    @staticmethod
    def backward(ctx, g): return g
F.apply(torch.tensor([1.], requires_grad=True).clone())
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp): out = inp.view_as(inp); out.add_(1); ctx.mark_dirty(out); return out
    @staticmethod
    def backward(ctx, g): return g
F.apply(torch.tensor([1.], requires_grad=True).clone())
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp): inp.add_(1); ctx.mark_dirty(inp); return inp
    @staticmethod
    def backward(ctx, g): return g
F.apply(torch.ones(2, requires_grad=True).clone().split(1)[0])
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp): inp.add_(1); ctx.mark_dirty(inp); return inp
    @staticmethod
    def backward(ctx, g): return g
a = torch.ones(2, requires_grad=True); F.apply(a.view_as(a))
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp): inp.add_(1); ctx.mark_dirty(inp); return inp
    @staticmethod
    def backward(ctx, g): return g
a = torch.ones(2, requires_grad=True); c = a.clone()
with torch.no_grad(): v = c[:1]; print(F.apply(a) is a, a._version)
F.apply(v)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp): inp.add_(1); ctx.mark_dirty(inp); ctx.save_for_backward(inp); return inp
    @staticmethod
    def backward(ctx, g): print(ctx.saved_tensors); return g * 3
import weakref, gc
def scope():
    c = torch.ones(2, requires_grad=True).clone(); v = c[:1]; F.apply(v); c.sum().backward(); return weakref.ref(v)
gc.collect(); gc.disable(); r = scope(); gc.enable(); r()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, g): return g
f = F(); f.next_functions, f.name(), f.metadata, f.saved_tensors, f.needs_input_grad, f.to_save, f._input_metadata
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x[:]
    @staticmethod
    def backward(ctx, g): return g
i = torch.rand(2, requires_grad=True)
with torch.no_grad(): o = F.apply(i)
print(o.requires_grad, o.is_leaf); o.zero_()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, pure): ctx._is_pure_view = pure; return a.narrow(0, 0, 2)
    @staticmethod
    def backward(ctx, g): print('backward'); return torch.cat([g, g[:1] * 0]), None
for pure in (False, True):
    a = torch.ones(3, requires_grad=True); c = a.clone(); o = F.apply(c, pure); print(o._is_view(), o.grad_fn)
    try: o += 3; print(c, c.grad_fn, o.grad_fn); c.sum().backward(); print(a.grad)
    except RuntimeError as e: print(e)
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): ctx._is_pure_view = True; return a.narrow(0, 0, 2), b
    @staticmethod
    def backward(ctx, g, h): return g, h
F.apply(torch.ones(3, requires_grad=True), torch.ones(1))
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a + b
    @staticmethod
    def backward(ctx, g): F.place = g.data_ptr(); return g, g
a = torch.ones(2, requires_grad=True); b = torch.ones(2, requires_grad=True); (F.apply(a, b) * torch.tensor([2., 3.])).sum().backward()
a.grad.data_ptr() == b.grad.data_ptr(), F.place in (a.grad.data_ptr(), b.grad.data_ptr()), a.grad._version, b.grad._version
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): torch.autograd.Variable._execution_engine.queue_callback(lambda: print('at the end', torch.is_grad_enabled())); print('backward'); return g
x = torch.ones(2, requires_grad=True); x.register_post_accumulate_grad_hook(lambda t: print('accumulated', t.grad)); F.apply(x).sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): print(torch._C._current_autograd_node(), torch._C._will_engine_execute_node(ctx), torch._C._will_engine_execute_node(ctx.next_functions[0][0])); return g
x = torch.ones(2, requires_grad=True); y = F.apply(x * 2); y.sum().backward(); torch.autograd.backward(F.apply(x * 3).sum(), inputs=[x])
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): print(g.is_contiguous(), g.stride(), g._version, g.is_leaf, g.grad_fn); return g
x = torch.ones(2, 3, requires_grad=True); F.apply(x).sum().backward(); F.apply(x).t().contiguous().sum().backward(); F.apply(x).backward(torch.ones(3, 2).t()); x.grad.stride()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return g.to_sparse() if F.sparse else g
F.sparse = True; x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward(); x.grad
# ---
import copy
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.clone()
    @staticmethod
    def backward(ctx, g): return g
y = F.apply(torch.ones(2, requires_grad=True)); copy.deepcopy(y)
# ---
class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad(): ctx.x = x.detach().requires_grad_(); ctx.y = Inner.apply(ctx.x).sum()
        return ctx.y.detach()
    @staticmethod
    def backward(ctx, g): print('outer'); r, = torch.autograd.grad(ctx.y, ctx.x, g); print('outer done'); return r
class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x ** 2
    @staticmethod
    def backward(ctx, g): print('inner'); return 2 * ctx.saved_tensors[0] * g
x = torch.tensor([1., 2.], requires_grad=True); y = Outer.apply(x); y.backward(retain_graph=True); print(x.grad); y.backward()
# ---
from torch.autograd.function import once_differentiable
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, k, b): ctx.save_for_backward(a, b); ctx.k = k; return a + k * b + a * b
    @staticmethod
    @once_differentiable
    def backward(ctx, g): a, b = ctx.saved_tensors; return g + g * b, None, g * ctx.k + g * a
def desc(fn): return 'None' if fn is None else type(fn).__name__ + '(' + ', '.join(desc(n) for n, _ in fn.next_functions) + ')'
x = torch.ones(2, requires_grad=True); y = torch.ones(2, requires_grad=True); go = torch.ones((), requires_grad=True)
F.apply(x, 2, y).sum().backward(go, create_graph=True); e = x.grad.grad_fn.next_functions[1][0]; print(desc(x.grad.grad_fn), desc(y.grad.grad_fn), e.name(), e._sequence_nr(), x.grad.grad_fn.name())
w = torch.ones(2, requires_grad=True); (w * w).sum().backward(create_graph=True); desc(w.grad.grad_fn)
