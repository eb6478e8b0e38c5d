# Checkpoints that keep the outputs of some ops.
import functools
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts, CheckpointPolicy, SelectiveCheckpointContext, set_checkpoint_early_stop
from torch.utils._python_dispatch import TorchDispatchMode
class Count(TorchDispatchMode):
    def __init__(self): super().__init__(); self.c={}
    def __torch_dispatch__(self,f,t,a=(),k=None):
        self.c[str(f)]=self.c.get(str(f),0)+1
        return f(*a,**(k or {}))
def run(name, f): print(name, attempt(f))
x0=torch.arange(4.).reshape(2,2)/4; y0=torch.ones(2,2)*0.5
aten=torch.ops.aten
def fn(x,y): return torch.sigmoid(torch.matmul(torch.matmul(x,y),y))*y
def go(ctx, fn=fn, twice=False, count=True, **kw):
    x=x0.clone().requires_grad_(); y=y0.clone().requires_grad_()
    out=checkpoint(fn,x,y,use_reentrant=False,context_fn=ctx,**kw)
    with Count() as c:
        out.sum().backward(retain_graph=twice)
        if twice: out.sum().backward()
    return x.grad,y.grad, {k:v for k,v in sorted(c.c.items()) if any(s in k for s in ('mm','sigmoid'))} if count else ''
run('list mm', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.mm.default])))
run('list sigmoid', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.sigmoid.default])))
run('list both', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.sigmoid.default,aten.mm.default])))
run('empty', lambda: go(functools.partial(create_selective_checkpoint_contexts,[])))
run('packet', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.mm])))
run('str', lambda: create_selective_checkpoint_contexts(['aten.mm']))
run('type', lambda: create_selective_checkpoint_contexts(3))
run('tuple', lambda: create_selective_checkpoint_contexts((aten.mm.default,)))
# ---
import functools
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts, CheckpointPolicy, SelectiveCheckpointContext, set_checkpoint_early_stop
from torch.utils._python_dispatch import TorchDispatchMode
class Count(TorchDispatchMode):
    def __init__(self): super().__init__(); self.c={}
    def __torch_dispatch__(self,f,t,a=(),k=None):
        self.c[str(f)]=self.c.get(str(f),0)+1
        return f(*a,**(k or {}))
def run(name, f): print(name, attempt(f))
x0=torch.arange(4.).reshape(2,2)/4; y0=torch.ones(2,2)*0.5
aten=torch.ops.aten
def fn(x,y): return torch.sigmoid(torch.matmul(torch.matmul(x,y),y))*y
def go(ctx, fn=fn, twice=False, count=True, **kw):
    x=x0.clone().requires_grad_(); y=y0.clone().requires_grad_()
    out=checkpoint(fn,x,y,use_reentrant=False,context_fn=ctx,**kw)
    with Count() as c:
        out.sum().backward(retain_graph=twice)
        if twice: out.sum().backward()
    return x.grad,y.grad, {k:v for k,v in sorted(c.c.items()) if any(s in k for s in ('mm','sigmoid'))} if count else ''
seen=[]
def pol(ctx,op,*a,**k):
    seen.append((ctx.is_recompute, str(op), len(a), sorted(k), tuple(ctx.op_output.shape))); return CheckpointPolicy.MUST_SAVE if op==aten.mm.default else CheckpointPolicy.PREFER_RECOMPUTE
run('policy', lambda: go(functools.partial(create_selective_checkpoint_contexts,pol))); print(seen)
run('bool', lambda: go(functools.partial(create_selective_checkpoint_contexts,lambda c,op,*a,**k: op==aten.mm.default)))
for p in CheckpointPolicy: run(p, lambda: go(functools.partial(create_selective_checkpoint_contexts,lambda c,op,*a,**k: p)))
run('twice', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.mm.default]),twice=True))
run('twice none', lambda: go(functools.partial(create_selective_checkpoint_contexts,[]),twice=True))
# ---
import functools
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts, CheckpointPolicy, SelectiveCheckpointContext, set_checkpoint_early_stop
from torch.utils._python_dispatch import TorchDispatchMode
class Count(TorchDispatchMode):
    def __init__(self): super().__init__(); self.c={}
    def __torch_dispatch__(self,f,t,a=(),k=None):
        self.c[str(f)]=self.c.get(str(f),0)+1
        return f(*a,**(k or {}))
def run(name, f): print(name, attempt(f))
x0=torch.arange(4.).reshape(2,2)/4; y0=torch.ones(2,2)*0.5
aten=torch.ops.aten
def fn(x,y): return torch.sigmoid(torch.matmul(torch.matmul(x,y),y))*y
def go(ctx, fn=fn, twice=False, count=True, **kw):
    x=x0.clone().requires_grad_(); y=y0.clone().requires_grad_()
    out=checkpoint(fn,x,y,use_reentrant=False,context_fn=ctx,**kw)
    with Count() as c:
        out.sum().backward(retain_graph=twice)
        if twice: out.sum().backward()
    return x.grad,y.grad, {k:v for k,v in sorted(c.c.items()) if any(s in k for s in ('mm','sigmoid'))} if count else ''
def mut(x,y):
    a=torch.mm(x,y); b=a.sin(); a.mul_(2); return (a*b).exp()
def mut2(x,y):
    a=x.sin(); b=a.cos(); a.mul_(2); return a*b
run('mut', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.mm.default]),mut))
run('mut2', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.sin.default]),mut2))
run('mut allow', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.mm.default],allow_cache_entry_mutation=True),mut))
calls=[]
def track(x,y):
    a=torch.mm(x,y).sin(); calls.append('a'); b=a.cos(); calls.append('b'); c=b.exp(); calls.append('c'); return c
run('early', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.mm.default]),track)); print(calls); calls.clear()
with set_checkpoint_early_stop(False): run('noearly', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.mm.default]),track)); print(calls)
run('early kw', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.mm.default]),track,early_stop=False))
# ---
import functools
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts, CheckpointPolicy, SelectiveCheckpointContext, set_checkpoint_early_stop
from torch.utils._python_dispatch import TorchDispatchMode
class Count(TorchDispatchMode):
    def __init__(self): super().__init__(); self.c={}
    def __torch_dispatch__(self,f,t,a=(),k=None):
        self.c[str(f)]=self.c.get(str(f),0)+1
        return f(*a,**(k or {}))
def run(name, f): print(name, attempt(f))
x0=torch.arange(4.).reshape(2,2)/4; y0=torch.ones(2,2)*0.5
aten=torch.ops.aten
def fn(x,y): return torch.sigmoid(torch.matmul(torch.matmul(x,y),y))*y
def go(ctx, fn=fn, twice=False, count=True, **kw):
    x=x0.clone().requires_grad_(); y=y0.clone().requires_grad_()
    out=checkpoint(fn,x,y,use_reentrant=False,context_fn=ctx,**kw)
    with Count() as c:
        out.sum().backward(retain_graph=twice)
        if twice: out.sum().backward()
    return x.grad,y.grad, {k:v for k,v in sorted(c.c.items()) if any(s in k for s in ('mm','sigmoid'))} if count else ''
def drop(x,y): return torch.nn.functional.dropout(torch.mm(x,y),0.5)
torch.manual_seed(0)
run('drop', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.mm.default]),drop,count=False))
lin=torch.nn.Sequential(torch.nn.Linear(2,3),torch.nn.ReLU(),torch.nn.Linear(3,1))
def mod(x,y): return lin(x)*y.sum()
torch.manual_seed(0)
run('mod', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.addmm.default]),mod,count=False)[1].shape)
with torch.no_grad(): run('nograd', lambda: checkpoint(fn,x0,y0,use_reentrant=False,context_fn=functools.partial(create_selective_checkpoint_contexts,[aten.mm.default])))
run('reentrant', lambda: checkpoint(fn,x0,y0,use_reentrant=True,context_fn=functools.partial(create_selective_checkpoint_contexts,[aten.mm.default])))
print(SelectiveCheckpointContext(is_recompute=False).op_output, list(CheckpointPolicy), CheckpointPolicy.__module__, create_selective_checkpoint_contexts.__module__)
def views(x,y): return torch.mm(x.t(),y).view(-1)[1:].exp()
run('views', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.mm.default,aten.t.default,aten.view.default]),views))
def multi(x,y): v,i=torch.mm(x,y).max(0); return v.exp()*y.std(0)
run('multi', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten.max.dim,aten.std.correction]),multi))
def att(x,y): return torch.softmax(x@y/2**.5,-1)@x
run('att', lambda: go(functools.partial(create_selective_checkpoint_contexts,[aten._softmax.default,aten.mm.default]),att))
