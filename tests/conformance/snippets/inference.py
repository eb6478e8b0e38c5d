with torch.inference_mode():
    x = torch.ones(3); v=x[1:]; d=x.detach(); e=x.data; p=torch.nn.Parameter(torch.ones(2)); 
    print(x.is_inference(), v.is_inference(), v._is_view(), v._base, d.is_inference(), e.is_inference(), p.is_inference(), p.requires_grad, p.is_leaf)
    try: print(x._version)
    except RuntimeError as err: print(err)
    x.requires_grad_(); y=x*2; print(x.requires_grad, y.requires_grad, y.grad_fn)
    print(x)
# ---
a = torch.ones(3, requires_grad=True); b=a*2
with torch.inference_mode():
    v=b[1:]; w=a.view(3); d=b.detach(); dd=b.data; t=torch.tensor(5.); c=b.contiguous(); r=b.reshape(3); e=b.expand(2,3)
    print([k.is_inference() for k in (v,w,d,dd,t,c,r,e)], [k.requires_grad for k in (v,w,d,dd,t,c,r,e)], [k._is_view() for k in (v,w,d,c,r,e)])
    print(v.grad_fn, w.grad_fn, v.is_leaf)
    b.add_(1); print(b._version, b.grad_fn)
    print(v, w)
attempt(lambda: print(v.grad_fn))
print(attempt(lambda: v.add_(1)))
print(attempt(lambda: w.add_(1)))
print(attempt(lambda: v*2))
print(attempt(lambda: w*2))
print(attempt(lambda: (w*2).sum().backward()), a.grad)
# ---
with torch.inference_mode():
    x = torch.ones(3, requires_grad=True)
    print(x, x.is_leaf, x.requires_grad)
    y = x*2; print(y.requires_grad)
    print(attempt(lambda: y.sum().backward()))
    x.add_(1); x[0]=3; print(x)
print(attempt(lambda: x*2)); print(attempt(lambda: x+2)); print(attempt(lambda: (x+2).sum().backward()), x.grad)
print(attempt(lambda: x.sin()))
print(attempt(lambda: x.add_(1)))
print(attempt(lambda: x.view(3)), attempt(lambda: x[0]))
# ---
x = torch.ones(3)
with torch.inference_mode():
    x.add_(1); print(x._version); x.requires_grad_(); print(x.requires_grad); y = x.mul(2); x.add_(1)
    v = x[1:]; v.add_(2); print(x, x._version, v.requires_grad, v.is_leaf)
    torch.add(x,x,out=x)
    print(x._version)
x
# ---
with torch.inference_mode():
    print(torch.is_grad_enabled(), torch.is_inference_mode_enabled())
    with torch.enable_grad():
        print(torch.is_grad_enabled(), torch.is_inference_mode_enabled())
    torch.set_grad_enabled(True); print(torch.is_grad_enabled()); 
    with torch.inference_mode(False):
        print(torch.is_grad_enabled(), torch.is_inference_mode_enabled())
        with torch.inference_mode(True): print(torch.is_grad_enabled(), torch.is_inference_mode_enabled())
        print(torch.is_grad_enabled(), torch.is_inference_mode_enabled())
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled(), torch.is_inference_mode_enabled())
with torch.no_grad():
    with torch.inference_mode(False): print(torch.is_grad_enabled(), torch.is_inference_mode_enabled())
    with torch.inference_mode(): print(torch.is_grad_enabled())
    print(torch.is_grad_enabled())
# ---
@torch.inference_mode
def f(x): return x*2
@torch.inference_mode()
def g(x): return x*2
@torch.inference_mode(mode=False)
def h(x): return torch.is_inference_mode_enabled(), (x*2).requires_grad
x=torch.ones(2,requires_grad=True)
with torch.inference_mode(): print(h(x))
print(f(x).is_inference(), g(x).is_inference(), h(x), f.__name__)
# ---
x=torch.ones(2,requires_grad=True)
y = (x*x).sum()
with torch.inference_mode():
    print(attempt(lambda: y.backward()))
    print(x.grad, x.grad.is_inference() if x.grad is not None else None)
y = (x*x).sum(); y.backward(); print(x.grad)
# ---
x=torch.ones(2,requires_grad=True)
with torch.inference_mode():
  with torch.inference_mode(False):
    y=x*2; print(y.requires_grad, y.is_inference(), torch.ones(2).is_inference()); y.sum().backward(); print(x.grad)
# ---
@torch.no_grad()
class A:
    def __init__(self): self.g = torch.is_grad_enabled()
    def f(self): return torch.is_grad_enabled()
a=A(); print(a.g, a.f(), type(A).__name__, type(a).__name__)
# ---
@torch.no_grad
class A:
    def __init__(self): self.g = torch.is_grad_enabled()
print(A().g)
# ---
print(repr(torch.set_grad_enabled(True)), str(torch.set_grad_enabled(True)))
torch.no_grad(mode=1)
# ---
torch.set_grad_enabled(1)
# ---
torch.set_grad_enabled()
# ---
@torch.no_grad()
def gen():
    print('a', torch.is_grad_enabled())
    try:
        r = yield 1
        print('r', r, torch.is_grad_enabled())
        yield 2
    except ValueError as e:
        print('caught', e, torch.is_grad_enabled())
        yield 3
    finally:
        print('fin', torch.is_grad_enabled())
g = gen(); print(next(g), torch.is_grad_enabled()); print(g.send(5), torch.is_grad_enabled()); print(g.throw(ValueError('x'))); g.close()
g = gen(); next(g); g.close()
# ---
@torch.no_grad()
def gen():
    yield 1
    return 7
def outer():
    r = yield from gen(); print(r)
list(outer())
# ---
with torch.no_grad() as q: print(q)
with torch.inference_mode() as q: print(q)
with torch.set_grad_enabled(False) as q: print(q)
# ---
a = torch.no_grad()
with a:
    with a:
        pass
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled())
# ---
async def f(): return torch.is_grad_enabled()
