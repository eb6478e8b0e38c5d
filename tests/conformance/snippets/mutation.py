for rg in (True,False):
    with torch.inference_mode(): c=torch.ones(2,requires_grad=rg)
    f=c*c; print(torch.is_inference(f), f.requires_grad, f.is_leaf); o=c.view(-1); print(torch.is_inference(o), o.requires_grad, o._is_view(), o.is_leaf, attempt(lambda: c.exp().requires_grad), attempt(lambda: (c+1).requires_grad), attempt(lambda: c.sum().requires_grad), attempt(lambda: (c@c).requires_grad))
    print(attempt(lambda: c.transpose_(0,0)), attempt(lambda: c.add_(2)))
    s=torch.ones(2,requires_grad=rg); out=c.add(s); print(torch.is_inference(out), out.requires_grad)
    if rg: out.backward(torch.ones(2)); print(c.grad, s.grad)
    print(attempt(lambda: c*s), attempt(lambda: s.clone().mul_(c)), attempt(lambda: torch.mul(s,s,out=c)))
    print(torch.is_inference(c.view_as(s)), c.view_as(s).requires_grad, torch.is_inference(s.view_as(c)), s.view_as(c).requires_grad)
# ---
for mode in (True,False,None):
    for kw in (True, False):
        def func(x): return torch.is_inference_mode_enabled(), x*x
        d = (torch.inference_mode(mode=func) if kw else torch.inference_mode(func)) if mode is None else (torch.inference_mode(mode=mode)(func) if kw else torch.inference_mode(mode)(func))
        r=d(torch.ones(2,requires_grad=True)); print(r[0], r[1].requires_grad, torch.is_inference(r[1]))
# ---
s=torch.ones(2,requires_grad=True); a=s.clone(); out=a*a
with torch.inference_mode(): a.add_(2)
print(a.is_inference(), attempt(lambda: out.backward(torch.ones(2))))
# ---
@torch.inference_mode()
def run(fn):
    for rg in (True,False):
        c=torch.ones(1,2,3,requires_grad=rg); r=attempt(lambda: fn(c)); print(c.is_inference(), c.requires_grad, c.shape, r is c)
run(lambda x: x.add_(2)); run(lambda x: x.transpose_(0,1)); run(lambda x: x.resize_(1,2)); run(lambda x: x.resize_as_(torch.ones(1,2))); run(lambda x: x.copy_(torch.ones(1,2,3)))
# ---
for fn in (lambda x: x.add_(2), lambda x: x.transpose_(0,1)):
    for rg in (True,False):
        a=torch.ones(1,2,3,requires_grad=rg).clone()
        with torch.inference_mode():
            fn(a); fn(a); v=a.view(-1) if a.is_contiguous() else a; print(a.is_inference(), a.requires_grad, v.is_inference(), v.requires_grad)
        fn(a); fn(a); v=attempt(lambda: a.view(-1)); print(a.requires_grad, v if isinstance(v,str) else v.requires_grad, a.grad_fn is None)
# ---
for rg in (True,False):
    a=torch.ones(1,2,3,requires_grad=rg).clone()
    with torch.inference_mode():
        out=a.view(-1); t=out.view(-1); print(out.is_inference(), out.requires_grad, out._is_view(), t.requires_grad, t._is_view(), t.is_leaf); t.add_(2); print(t.requires_grad, a._version, t._version)
    a=torch.ones(1,2,3,requires_grad=rg).clone()
    with torch.inference_mode(): out=a.view(-1)
    t=out*out; print(t.requires_grad, t.is_inference(), attempt(lambda: out.add_(2))); t=out.view(2,3); print(t.is_inference(), t.requires_grad)
    for fn in (lambda x: x.add_(2), lambda x: x.transpose_(0,1)):
        a=torch.ones(1,2,3,requires_grad=rg).clone()
        with torch.inference_mode(): w=a.view_as(a); q=a.view(-1)
        print(attempt(lambda: fn(w).shape)); fn(a); print(attempt(lambda: q.grad_fn))
# ---
A=torch.autograd.graph.allow_mutation_on_saved_tensors
def n(c): return (len(list(c.cloned.items())), len(list(c.tid_to_weakhandle.items())))
a=torch.rand(2,3,requires_grad=True)
with A() as ctx:
    b=a.clone(); out=(b**2).sum(); b.sin_(); out.sum().backward(); print(torch.allclose(a*2,a.grad), n(ctx))
a.grad=None
with A() as ctx:
    b=a.clone(); c=b.view_as(b); out=(b**2).sum(); c.sin_(); out.backward(); print(torch.allclose(a*2,a.grad), n(ctx))
a.grad=None
with A() as ctx:
    b=a.clone(); c=b[:1]; out=b**2; c*=10; print(n(ctx)); out.sum().backward(); print(n(ctx), torch.allclose(a*2,a.grad))
a.grad=None
with A() as ctx:
    b=a.clone(); c=b[:]; out=(c**2).sum(); b*=2; print(n(ctx)); out.backward(); print(n(ctx), torch.allclose(a*2,a.grad))
with A() as ctx:
    b=a.clone(); out=(b**2).sum(); b.sin_(); torch.autograd.grad(out,a,create_graph=True); da,=torch.autograd.grad(out,a,create_graph=True); d2,=torch.autograd.grad(da.sum(),a); print(d2, n(ctx))
with A() as ctx:
    a=torch.ones(2,requires_grad=True).clone(); out=(a**2).sum(); print(n(ctx)); out.backward(); a.sin_(); print(n(ctx)); out=(a**2).sum(); a.sin_(); print(n(ctx)); del out; print(n(ctx))
with A() as ctx:
    a=torch.ones(2,requires_grad=True).clone(); b=a**2; c=a**2; a.sin_(); print(n(ctx)); del b,c; print(n(ctx))
with A() as ctx:
    a=torch.ones(2,requires_grad=True).clone(); b=a**2; a.sin_(); c=a**2; a.sin_(); print(n(ctx)); del b; print(n(ctx)); del c; print(n(ctx))
# ---
A=torch.autograd.graph.allow_mutation_on_saved_tensors
def n(c): return (len(list(c.cloned.items())), len(list(c.tid_to_weakhandle.items())))
with A() as ctx:
    a=torch.tensor([1.],requires_grad=True); b=torch.tensor([1.]); c=torch.tensor([2.]); out=a*b; print(n(ctx)); torch.sin(c,out=b); print(n(ctx)); out.backward(); print(n(ctx), a.grad)
with A() as ctx:
    a=torch.rand(2,3,requires_grad=True); out=(a**2).sum()
print(attempt(lambda: out.backward()))
with A() as ctx:
    a=torch.rand(2,3,requires_grad=True); out=(a**2).sum()
with A() as ctx: print(attempt(lambda: out.backward()))
def nest():
    with A():
        with A(): pass
print(attempt(nest))
x=torch.ones(2,requires_grad=True)
with A(): y=x*1; z=(y*y).sum(); y.add_(1); z.backward()
print(x.grad)
# ---
x=torch.rand((1,)); y=torch.randn(3); x.resize_((1,2)); print(x._version); x.resize_as_(y); print(x._version); x.resize_((3,)); x.resize_as_(y); print(x._version)
# ---
asd=torch.nn.Parameter(torch.ones(4))
for _ in range(2):
    with torch.no_grad(): asd.set_(asd[1:]); asd.grad=None
    m=torch.cat((asd,asd)); m.sum().backward(); print(asd.shape, asd.grad)
# ---
root=torch.ones(2,3,2).select(2,1).t().requires_grad_(True); x=root.clone(); v1=x.narrow(0,0,1); v2=v1.narrow(1,1,1); v2.mul_(2); x.sum().backward(); print(root.grad, root.grad.stride())
# ---
a=torch.ones(3,1,dtype=torch.double,requires_grad=True); b=a*2; c=b.view_as(b); c[0][0]=3
with torch.no_grad(): print(c.grad_fn)
c.sum().backward(); print(a.grad)
# ---
a=torch.ones(5); r=torch.ones(1,requires_grad=True); v=a.select(0,1); print(v.requires_grad, v.grad_fn); a.add_(r); print(v.requires_grad, v.grad_fn, v.grad_fn.next_functions); v.backward(); print(r.grad)
# ---
class InplaceFunc(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, other): ctx.mark_dirty(x); return x.mul_(2)
    @staticmethod
    def backward(ctx, g): return g*2, None
a=torch.tensor([1.],requires_grad=True); c=a.clone(); v=c[:]; b=torch.tensor(1.,requires_grad=True); out=InplaceFunc.apply(v,b); print(out is v, c.grad_fn, v.grad_fn); out.backward(); print(a.grad,b.grad)
# ---
for f in (lambda t:t.unsafe_split(1), lambda t:t.unsafe_split_with_sizes((1,1,1)), lambda t:t.unsafe_chunk(3)):
    a=torch.ones(3,3,requires_grad=True); b=a+a; s1,s2,s3=f(b); s1.mul_(s2); s1.sum().backward(); print(a.grad)
# ---
torch.autograd.graph.increment_version(torch.ones(2)); x=torch.ones(2); torch.autograd.graph.increment_version([x,x]); print(x._version, attempt(lambda: torch.autograd.graph.increment_version(1)), attempt(lambda: torch.autograd.graph.increment_version(["a"])))
with torch.inference_mode(): y=torch.ones(2)
torch.autograd.graph.increment_version(y)
