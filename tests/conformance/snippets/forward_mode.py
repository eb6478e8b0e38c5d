import torch.autograd.forward_ad as fw
x=torch.tensor([1.,2.],requires_grad=True)
with fw.dual_level():
    d=fw.make_dual(x, torch.tensor([1.,10.])); print(d, d._is_view(), d.is_leaf)
    for s in ['d*d','d*2','2*d','d+1','d+d','d-1','1-d','d/2','2/d','d/d','d**2','d**d','2**d','d@d','d.sum()','d.mean()','d.prod()','torch.stack([d,x])','torch.cat([d,x])','d[0]','d.view(2,1)','d.expand(3,2)','torch.where(d>0,d,x)','d.max()','d.max(0).values','d.norm()','d.softmax(0)','d.log_softmax(0)','torch.outer(d,x)','d.clamp(0,1)','d.var()','d.cumsum(0)','d.std()','d.logsumexp(0)','torch.nn.functional.gelu(d)', 'd.double()','d.clone()','torch.maximum(d,x)','torch.nn.functional.linear(d, torch.ones(3,2))','d.sort().values','d.flip(0)','torch.dot(d,x)','d.masked_fill(d>2,1.)','d.unsqueeze(0)@x.unsqueeze(1)','d.cos()*x','torch.addmm(torch.ones(2,2),d.view(2,1),x.view(1,2))']:
        try: t=fw.unpack_dual(eval(s)).tangent; print(s, t.detach() if t is not None else t)
        except Exception as e: print(s, type(e), e)
# ---
import torch.autograd.forward_ad as fw
x=torch.tensor([1.,2.],requires_grad=True)
with fw.dual_level():
    d=fw.make_dual(x, torch.tensor([1.,10.])); print(d)
    for op in ['sin','exp','neg','sqrt','abs','tanh','sigmoid','relu','log']:
        print(op, fw.unpack_dual(getattr(d,op)()).tangent)
    for s in ['d*d','d*2','2*d','d+1','d+d','d-1','1-d','d/2','2/d','d/d','d**2','d**d','2**d','d@d','d.sum()','d.mean()','torch.stack([d,x])','d[0]','d.view(2,1)','d.expand(3,2)','d.cumsum(0)','torch.dot(d,x)','d.cos()*x']:
        print(s, fw.unpack_dual(eval(s)).tangent)
# ---
import torch.autograd.forward_ad as fw
with fw.dual_level():
    q=fw.make_dual(torch.ones(2), torch.ones(2)); print(q, q+1, type(q)); 
    print(fw.unpack_dual(q.detach()), q.data)
    p=fw.unpack_dual(q).primal; print(p, p is q)
print(q)
print(fw.unpack_dual(q))
# ---
import torch.autograd.forward_ad as fw
fw.make_dual(torch.ones(2), torch.ones(2))
# ---
import torch.autograd.forward_ad as fw
with fw.dual_level():
    fw.make_dual(torch.ones(2).long(), torch.ones(2))
# ---
import torch.autograd.forward_ad as fw
with fw.dual_level():
    fw.make_dual(torch.ones(2), torch.ones(2).long())
# ---
import torch.autograd.forward_ad as fw
fw.exit_dual_level()
# ---
import torch.autograd.forward_ad as fw
print(fw.enter_dual_level())
fw.exit_dual_level(level=3)
# ---
import torch.autograd.forward_ad as fw
try: fw.exit_dual_level()
except Exception as e: print(e)
print(fw.enter_dual_level()); fw.exit_dual_level(level=0); print(fw.unpack_dual(torch.ones(1)))
# ---
import torch.autograd.forward_ad as fw
with fw.dual_level():
    d=fw.make_dual(torch.ones(2), torch.ones(2))
    fw.make_dual(d, torch.ones(2))
# ---
import torch.autograd.forward_ad as fw
with fw.dual_level() as l:
    print(l)
    x=torch.ones(3); t=torch.tensor([1.,2.,3.])
    d=fw.make_dual(x,t)
    print(fw.unpack_dual(d).tangent is t)
    d.mul_(2); print(d, t, x)
    d[0]=5.; print(d,t)
    v=d[1:]; v.mul_(3); print(d, v)
    e=torch.zeros(3); e[1]=d[1]; print(e)
    f=torch.zeros(3); f.copy_(d); print(f); f.add_(d*d); print(f)
    f.zero_(); print(f); f.fill_(3.); print(f)
    g=torch.zeros(2,2); w=g[0]; w.add_(d[:2]); print(g, w)
# ---
import torch.autograd.forward_ad as fw
with fw.dual_level():
    d=fw.make_dual(torch.ones(2), torch.ones(2))
    with torch.no_grad(): print(d*2)
    with fw._set_fwd_grad_enabled(False): print(d*2, fw.unpack_dual(d))
    print(d.requires_grad, d.is_leaf, d.grad_fn)
    print((d>0), d.long(), d.argmax())
# ---
import torch.autograd.forward_ad as fw
x=torch.tensor([1.,2.],requires_grad=True)
with fw.dual_level():
    d=fw.make_dual(x, torch.tensor([1.,10.]))
    y=(d.exp()*d.sin()).sum()
    g,=torch.autograd.grad(y,x); print(g)
    g,=torch.autograd.grad((d**3).sum(),d); print(g)
# ---
import torch.autograd.forward_ad as fw
x=torch.tensor([1.,2.],requires_grad=True)
with fw.dual_level():
    d=fw.make_dual(x, torch.tensor([1.,10.]))
    y=(d.exp()*d.sin()).sum()
    y.backward()
    print(x.grad)
print(x.grad)
# ---
import torch.autograd.forward_ad as fw
x=torch.tensor([1.,2.],requires_grad=True); t=torch.tensor([1.,1.],requires_grad=True)
with fw.dual_level():
    d=fw.make_dual(x, t)
    o=fw.unpack_dual(d.tanh()*d).tangent
    print(o.detach(), torch.autograd.grad(o.sum(), (x,t)))
# ---
import torch.autograd.forward_ad as fw
@fw.dual_level()
def f(x):
    return fw.unpack_dual(fw.make_dual(x, x).sin()).tangent
print(f(torch.ones(2)))
# ---
import torch.autograd.forward_ad as fw
z=torch.tensor([1+2j,3-1j]); t=torch.tensor([1j,2+1j])
with fw.dual_level():
    d=fw.make_dual(z,t)
    for s in ['d*d','d.abs()','d.conj()','d.real','d.imag','d.angle()','d.exp()','d*2','d/d','d.sum()','torch.view_as_real(d)','d.sin()','d.tanh()','d.reciprocal()','d.pow(3)','d.sqrt()','torch.polar(d.abs(),d.angle())','d.prod()','d@d','torch.vdot(d,d)','d.log()','d.sgn()']:
        print(s, fw.unpack_dual(eval(s)).tangent)
# ---
import torch.autograd.forward_ad as fw
m=torch.nn.Linear(3,2)
params={n:p for n,p in m.named_parameters()}
torch.manual_seed(0)
x=torch.randn(4,3)
with fw.dual_level():
    for n,p in params.items():
        delattr(m,n); setattr(m,n,fw.make_dual(torch.ones_like(p), torch.ones_like(p)))
    out=m(x); print(fw.unpack_dual(out).tangent.detach())
# ---
import torch.autograd.forward_ad as fw
with fw.dual_level():
    print(fw.make_dual(torch.tensor(2.), torch.tensor(1.)), fw.make_dual(torch.ones(2), torch.ones(2)))
    print(fw.make_dual(torch.tensor(2., requires_grad=True), torch.tensor(1.)) * 2, fw.make_dual(torch.tensor(2j), torch.tensor(1 + 1j)))
