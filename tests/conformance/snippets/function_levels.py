from torch.func import *
def f(x):
    print(x, x.requires_grad, x.is_leaf, x.grad_fn)
    y=x.sin(); print(y, y.requires_grad)
    print(x.detach(), x.shape, x.data)
    return y.sum()
grad(f)(torch.tensor([1.,2.]))
# ---
from torch.func import *
def f(x):
    print(torch.ones(2), torch.zeros(2)+1, torch.tensor(3.))
    return x.sum()
grad(f)(torch.tensor([1.,2.]))
# ---
from torch.func import *
def g(x):
    print(x, x.requires_grad, x.is_leaf, x.grad_fn); print(x.sin(), torch.ones(2), torch.ones(2)+1); 
    return x.sum()
print(vmap(g)(torch.ones(2,3,requires_grad=True)))
# ---
from torch.func import *
print(vmap(grad(lambda x: (print(x), x.sum())[1]))(torch.ones(2,3)))
print(grad(lambda x: vmap(lambda x: (print(x), x.sum())[1])(x).sum())(torch.ones(2,3)))
print(grad(lambda y: grad(lambda x: (print(x, x*y), x*y)[1])(y))(torch.tensor(2.)))
print(jvp(lambda x: (print(x, x*2), x*2)[1], (torch.ones(2),),(torch.ones(2),)))
# ---
from torch.func import *
x=torch.tensor([1.,2.]); y=torch.tensor([3.,4.])
f=lambda x,y: (x*y**2).sum()
print(grad(f)(x,y), grad(f,argnums=1)(x,y), grad(f,argnums=(0,1))(x,y), grad(f,argnums=-1)(x,y), grad(f,argnums=(1,))(x,y))
# ---
from torch.func import *
f=lambda x: ((x**2).sum(), x*2)
x=torch.tensor([1.,2.])
print(grad(f,has_aux=True)(x), grad_and_value(f,has_aux=True)(x), vjp(lambda x: (x*2, x.sin()), x, has_aux=True)[2], jvp(f,(x,),(x,),has_aux=True), jacrev(f,has_aux=True)(x), jacfwd(f,has_aux=True)(x))
# ---
from torch.func import *
grad(lambda x: x.sum(), argnums=3)(torch.ones(2))
# ---
from torch.func import *
grad(lambda x: x.sum(), argnums=())(torch.ones(2))
# ---
from torch.func import *
grad(lambda x,y: x.sum(), argnums=(0,0))(torch.ones(2),torch.ones(2))
# ---
from torch.func import *
grad(lambda x,y: x.sum(), argnums='a')(torch.ones(2),torch.ones(2))
# ---
from torch.func import *
grad(lambda x: 3.)(torch.ones(2))
# ---
from torch.func import *
grad(lambda x: (x.sum(),x))(torch.ones(2))
# ---
from torch.func import *
grad(lambda x: x.sum(), has_aux=True)(torch.ones(2))
# ---
from torch.func import *
grad(lambda x: x*2)(3.)
# ---
from torch.func import *
grad(lambda x: x.sum())(torch.ones(2).long())
# ---
from torch.func import *
print(grad(lambda p: (p['a']*p['b'][0]).sum())({'a':torch.ones(2),'b':[torch.tensor(3.),torch.tensor(1.)]}))
# ---
from torch.func import *
print(grad(lambda x: torch.ones(()))(torch.ones(2)), grad(lambda x,y: y.sum())(torch.ones(2),torch.ones(3)))
# ---
from torch.func import *
out,f=vjp(lambda x,y: (x*y, {'s':x.sum()}), torch.ones(2), torch.full((2,),3.))
print(out, f((torch.ones(2),{'s':torch.tensor(2.)})))
# ---
from torch.func import *
out,f=vjp(lambda x,y: (x*y, {'s':x.sum()}), torch.ones(2), torch.full((2,),3.))
f(torch.ones(2))
# ---
from torch.func import *
vjp(lambda x: None, torch.ones(2))
# ---
from torch.func import *
vjp(lambda x: (x,3), torch.ones(2))
# ---
from torch.func import *
vjp(lambda x: x>0, torch.ones(2))
# ---
from torch.func import *
jvp(lambda x: x, torch.ones(2), torch.ones(2))
# ---
from torch.func import *
jvp(lambda x: x, (torch.ones(2),), (torch.ones(3),))
# ---
from torch.func import *
jvp(lambda x: x, (torch.ones(2),), [torch.ones(2)])
# ---
from torch.func import *
jvp(lambda x: x, (), ())
# ---
from torch.func import *
jvp(lambda x: torch.ones(2), (torch.ones(2),), (torch.ones(2),), strict=True)
# ---
from torch.func import *
print(jvp(lambda x,y: (x*y, x), (torch.ones(2),torch.full((2,),2.)), (torch.ones(2),torch.full((2,),5.))))
print(jvp(lambda x: torch.ones(2), (torch.ones(2),), (torch.ones(2),)))
# ---
from torch.func import *
f=lambda x: x.sin()
x=torch.tensor(1.)
print(jvp(lambda x: jvp(f,(x,),(torch.tensor(1.),))[1], (x,), (torch.tensor(1.),)))
print(jvp(lambda x: x*jvp(lambda y: x+y,(torch.tensor(1.),),(torch.tensor(1.),))[1], (x,), (torch.tensor(1.),)))
print(grad(lambda x: x*grad(lambda y: x+y)(torch.tensor(1.)))(x))
print(jvp(grad(torch.sin),(x,),(torch.tensor(1.),)), grad(lambda x: jvp(torch.sin,(x,),(torch.tensor(1.),))[1])(x))
print(grad(grad(grad(torch.sin)))(x))
# ---
from torch.func import *
x=torch.tensor([1.,2.,3.])
f=lambda x: (x**3).sum()+x.prod()
print(hessian(f)(x), jacrev(jacrev(f))(x), jacfwd(jacfwd(f))(x), jacrev(jacfwd(f))(x), jacfwd(grad(f))(x))
# ---
from torch.func import *
x=torch.tensor([1.,2.,3.]); y=torch.tensor([2.,1.])
f=lambda x,y: (torch.outer(x,y), {'q':x.sum()*y})
print(jacrev(f)(x,y), jacfwd(f,argnums=1)(x,y), jacrev(f,argnums=(0,1))(x,y), jacfwd(f,argnums=(0,1))(x,y))
# ---
from torch.func import *
x=torch.tensor([1.,2.,3.])
print(jacrev(torch.sin,chunk_size=2)(x), jacrev(torch.sin,chunk_size=1)(x))
jacrev(torch.sin,chunk_size=0)
# ---
from torch.func import *
jacrev(torch.sin)(torch.ones(2,dtype=torch.cfloat))
# ---
from torch.func import *
jacfwd(torch.sin)(torch.ones(2,dtype=torch.cfloat))
# ---
from torch.func import *
w=torch.ones(2)
def f(x):
    w.add_(x); return w.sum()
grad(f)(torch.ones(2))
# ---
from torch.func import *
def f(x):
    y=x.clone(); y.mul_(3); y[0]=0.; y+=x**2; return y.sum()
print(grad(f)(torch.ones(2)), vmap(f)(torch.arange(6.).reshape(2,3)), vmap(grad(f))(torch.arange(6.).reshape(2,3)), jvp(f,(torch.ones(2),),(torch.ones(2),)))
# ---
from torch.func import *
def f(x):
    x.requires_grad_(); return x.sum()
grad(f)(torch.ones(2))
# ---
from torch.func import *
def f(x):
    y=torch.ones(2,requires_grad=True); y.sum().backward(); return x.sum()
grad(f)(torch.ones(2))
# ---
from torch.func import *
def f(x):
    with torch.no_grad(): c=x**2
    return (x-c).sum()
print(grad(f)(torch.tensor([3.])))
with torch.no_grad(): print(grad(lambda x: (x**2).sum())(torch.tensor([3.])))
def g(x):
    with torch.no_grad(): s=x**2
    return s
print(grad(lambda x: x**2 - g(x))(torch.tensor(2.)))
x=torch.randn([]).fill_(2.)
def h(x):
    with torch.no_grad(): shift=grad(lambda x: 0.25*x**4)(x)
    return grad(lambda x: x**2)(x)-shift
print(grad(h)(x), h(x))
# ---
from torch.func import *
x=torch.tensor([1.,2.],requires_grad=True)
y=grad(lambda x: (x**3).sum())(x); print(y)
y.sum().backward(); print(x.grad)
w=torch.tensor(2.,requires_grad=True)
g=grad(lambda x: (w*x**2).sum())(torch.ones(2)); print(g); g.sum().backward(); print(w.grad)
v=vmap(lambda x: x*w)(torch.ones(3)); print(v); v.sum().backward(); print(w.grad)
print(vmap(grad(lambda x: w*x**2))(torch.ones(3)))
# ---
from torch.func import *
out,f=vjp(torch.sin, torch.tensor([1.,2.]))
print(vmap(f)(torch.eye(2)), f(torch.ones(2)))
# ---
from torch.func import *
o,f=linearize(torch.sin, torch.tensor([1.,2.]))
print(o, f(torch.ones(2)))
f(torch.ones(3))
# ---
from torch.func import *
print(grad.__module__, vmap.__name__, grad(torch.sin).__name__, torch.vmap is torch.func.vmap)
# ---
from torch.func import *
x=torch.tensor(2.)
def f(x):
    y=x*x
    a,=torch.autograd.grad(y,x,create_graph=True); print(a)
    return a
print(grad(f)(x))
# ---
from torch.func import *
def f(x):
    print(debug_unwrap(x), debug_unwrap(x,recurse=False)); return x.sum()
grad(f)(torch.ones(2)); vmap(grad(f))(torch.ones(2,2))
# ---
from torch.func import *
s=[]
def f(x): s.append(x*2); return x.sum()
grad(f)(torch.ones(2)); print(s[0]+1)
# ---
from torch.func import *
with torch.autograd.graph.saved_tensors_hooks(lambda x:x, lambda x:x): grad(torch.sin)(torch.tensor(1.))
