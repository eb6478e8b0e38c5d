# Tensors that were detached in place after they were saved.
def run(n, f): print(n, attempt(f))
def mk(): w=torch.tensor([2.,3.],requires_grad=True); return w, w*1
def a():
    w,a=mk(); b=a.sin(); a.detach_(); b.sum().backward(); return w.grad
run('sin',a)
def a():
    w,a=mk(); b=a*a; a.detach_(); b.sum().backward(); return w.grad
run('mul',a)
def a():
    w,a=mk(); b=a.exp(); b2=b*1; b.detach_(); b2.sum().backward(); return w.grad
run('exp result',a)
def a():
    w,a=mk(); b=a.exp(); a.detach_(); b.sum().backward(); return w.grad
run('exp',a)
def a():
    w,a=mk(); a.detach_(); b=a*w; b.sum().backward(); return w.grad, a._version
run('const after',a)
def a():
    w,a=mk(); a.detach_(); b=a*w; a.add_(1); b.sum().backward()
run('const inplace',a)
def a():
    w,a=mk(); b=a+w; a.detach_(); b.sum().backward(); return w.grad
run('add',a)
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx,x): ctx.save_for_backward(x); return x*2
    @staticmethod
    def backward(ctx,g): x,=ctx.saved_tensors; return g*x
def a():
    w,a=mk(); b=F.apply(a); a.detach_(); b.sum().backward(); return w.grad
run('custom',a)
def a():
    h=torch.zeros(2); w=torch.ones(2,requires_grad=True); out=[]
    for i in range(4):
        h=torch.tanh(h*w+1); 
        if i%2: h.sum().backward(); h.detach_()
    return w.grad, h._version, h.is_leaf
run('tbptt',a)
def a():
    w,a=mk(); a.detach_(); a.requires_grad_(); b=a*a; b.sum().backward(); return a.grad
run('reuse',a)
def a():
    with torch.autograd.graph.saved_tensors_hooks(lambda t:t,lambda t:t):
        w,a=mk(); b=a*a
    a.detach_(); b.sum().backward(); return w.grad
run('hooked',a)
def a():
    w,a=mk(); b=torch.cat([a,a])*torch.cat([a,w]); a.detach_(); b.sum().backward(); return w.grad
run('cat',a)
def a():
    w,a=mk(); b=a*w; a.detach_(); v=a.view(2); v.mul_(2); return a._version, v._version
run('views',a)
# --- dual tensors and what has no forward mode
import torch.autograd.forward_ad as fwAD
def run(n, f): print(n, attempt(f))
U=lambda t: fwAD.unpack_dual(t).tangent
def dual(f):
    def g():
        with fwAD.dual_level():
            return f(fwAD.make_dual(torch.tensor([.5,.25]), torch.tensor([1.,2.])))
    return g
b=torch.zeros(2)
for n,f in {'add':lambda d: torch.add(d,b,out=torch.zeros(2)),'sin':lambda d: torch.sin(d,out=torch.zeros(2)),'mul':lambda d: torch.mul(d,d,out=torch.zeros(2)),'sum':lambda d: torch.sum(d,0,out=torch.zeros(())),'cat':lambda d: torch.cat([d,d],out=torch.zeros(4)),'outd':lambda d: torch.add(b,b,out=d),'mm':lambda d: torch.mm(d[None],d[:,None],out=torch.zeros(1,1)),'max':lambda d: torch.max(d,0,out=(torch.zeros(()),torch.zeros((),dtype=torch.int64))),'abs':lambda d: torch.abs(d,out=torch.zeros(2)),'stack':lambda d: torch.stack([d,d],out=torch.zeros(2,2)),'cumsum':lambda d: torch.cumsum(d,0,out=torch.zeros(2)),'mean':lambda d: torch.mean(d,0,out=torch.zeros(())),'arange':lambda d: torch.arange(2,out=torch.zeros(2,dtype=torch.int64)),
 'igamma':lambda d: torch.igamma(d,d),'igammac':lambda d: torch.igammac(d,b+1),'igamma2':lambda d: torch.igamma(b+1,d),
 'tdual':lambda d: fwAD.make_dual(torch.zeros(2), d), 'ddual': lambda d: fwAD.make_dual(d, torch.zeros(2)), 'detach_':lambda d: U(d.clone().detach_()*2),'detach_d':lambda d: (d.detach_(), U(d))[1],'detach':lambda d: U(d.detach()),'data':lambda d: U(d.data),'dz':lambda d: U(d.zero_()), 'nograd': lambda d: (lambda: U(d*2))(),
 'setdata':lambda d: (setattr(d,'data',torch.ones(2)), U(d))[1], 'cmp':lambda d: U((d>0)), 'int':lambda d: U(d.long()), 'item': lambda d: d.sum().item(), 'clone':lambda d: U(d.clone()), 'np': lambda d: d.numpy(), 'copy': lambda d: U(torch.zeros(2).copy_(d)), 'round':lambda d: U(d.round()), 'where':lambda d: U(torch.where(d>0.3,d,b)), 'rep':lambda d: repr(d), 'deepcopy':lambda d: __import__('copy').deepcopy(d)}.items(): run(n, dual(f))
# --- custom Functions under batched tangents, delayed errors, hooks that are entered in a pass
b = torch.zeros(2)
def run(n, f): print(n, attempt(f))
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx,x): return x*2
    @staticmethod
    def jvp(ctx,t): return t*2
run('noexp', lambda: torch.autograd.gradcheck(Fn.apply,(torch.rand(2,dtype=torch.double,requires_grad=True),),check_forward_ad=True,check_backward_ad=False,check_batched_grad=False,check_batched_forward_grad=True))
run('DelayedError', lambda: torch.autograd.grad((torch._C._functions.DelayedError("Boom!", 1)(b.clone().requires_grad_())*2).sum(), b.requires_grad_()))
b.requires_grad_(False)
def de(allow):
    y=torch.rand(2,requires_grad=True); ys=torch._C._functions.DelayedError("Boom!",1)(y); print(ys.requires_grad, type(ys.grad_fn).__name__, [type(f[0]).__name__ for f in ys.grad_fn.next_functions])
    return torch.autograd.grad((ys*2).sum(), y, allow_unused=allow)
run('de', lambda: de(False)); run('de2', lambda: de(True))
def de3():
    ys=torch._C._functions.DelayedError("Boom!",1)(torch.ones(2)); print(ys.requires_grad)
run('de3', de3)
def leak():
    x=torch.rand(3,requires_grad=True)
    h=torch.autograd.graph.saved_tensors_hooks
    def unpack(t): h(lambda a:a, lambda a:(print('!'),a)[1]).__enter__(); return t
    with h(lambda t:t, unpack): y=x.sin()
    y.sum().backward()
    z=x.cos(); z.sum().backward(); return 'done'
run('leak',leak)
class R(Fn):
    @staticmethod
    def jvp(ctx, t): torch.randn_like(t); return t * 2
run('random', lambda: torch.autograd.gradcheck(R.apply,(torch.rand(2,dtype=torch.double,requires_grad=True),),check_forward_ad=True,check_backward_ad=False,check_batched_grad=False,check_batched_forward_grad=True))
# --- tensors that escaped from vmap
from torch.func import *
def run(n, f): print(n, attempt(f))
kept=[]
def f(x): kept.append(x); return x.sum()
vmap(f)(torch.ones(2,3))
t=kept[0]
for n,g in {'repr':lambda: repr(t),'mul':lambda: t*2,'sin':lambda: t.sin(),'sum':lambda: t.sum(),'sum0':lambda: t.sum(0),'mean':lambda:t.mean(),'mm':lambda:t[None]@torch.ones(3,1),'view':lambda:t.view(3,1),'max':lambda: t.max(),'shape':lambda:t.shape,'stack':lambda:torch.stack([t]),'cat':lambda:torch.cat([t,t]),'list':lambda:t.tolist(),'np':lambda: t.numpy(),'clone':lambda:t.clone(),'det':lambda:t.detach(),'item':lambda:t[0],'len':lambda:len(t),'eq':lambda: torch.equal(t,t),'bool':lambda: bool(t.sum()),'dtype':lambda: t.dtype, 'to':lambda: t.double(), 'where':lambda: torch.where(torch.ones(3)>0,t,t)}.items(): run(n,g)
kept.clear(); vmap(vmap(f))(torch.ones(2,2,3)); t=kept[0]; run('nested', lambda: repr(t)); run('nested2', lambda: t+1)
# --- keywords of custom Functions, and the names of their nodes inside transforms
from torch.func import *
class M(torch.autograd.Function):
    @staticmethod
    def forward(x, *, y): return x + y
    @staticmethod
    def setup_context(ctx, i, o): pass
    @staticmethod
    def backward(ctx, g): return g
    @staticmethod
    def vmap(info, in_dims, x, *, y): return x + y, 0
x = torch.ones(3)
print(attempt(lambda: vmap(M.apply)(x, y=x)))
