x=torch.ones(2,requires_grad=True); b=x*2
S=torch.autograd.graph.saved_tensors_hooks
def p(t): print('pack', t, t.requires_grad, type(t.grad_fn).__name__, torch.is_grad_enabled(), t is x, t is b); return t.detach()
def u(t): print('unpack', t, torch.is_grad_enabled()); return t
with S(p,u):
    y=x*b; z=torch.addcmul(x,x,b,value=2); q=y.exp(); m=(y@z); d=y/z
    w=y[torch.tensor([0])]; s=torch.gather(y,0,torch.tensor([1])); k=torch.where(y>0,y,z); mf=y.masked_fill(y>5,0.); e=y.max(0); so=y.sort(); p2=y**2; p3=y**z; 
print('bw')
(y.sum()+z.sum()+q.sum()+m+d.sum()+w.sum()+s.sum()+k.sum()+mf.sum()+e[0]+so[0].sum()+p2.sum()+p3.sum()).backward()
# ---
x=torch.ones(2,requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t*2):
    y = x.exp()
print(y.grad_fn._saved_result, y.grad_fn._saved_result.grad_fn is y.grad_fn)
g,=torch.autograd.grad(y.sum(), x, create_graph=True); print(g); print(torch.autograd.grad(g.sum(), x))
# ---
x=torch.ones(2,requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    y = x*x
s=y.grad_fn._saved_self; print(s, s is x, s.is_leaf, s.requires_grad)
g,=torch.autograd.grad(y.sum(), x, create_graph=True); g.sum().backward(); print(x.grad)
# ---
x=torch.ones(2,requires_grad=True); y=x*3; print(attempt(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda t:t, lambda t:t))); print(y.grad_fn._saved_self, y.grad_fn._saved_other); print(attempt(lambda: y.grad_fn._raw_saved_other.register_hooks(lambda t:t, lambda t:t*2))); y.sum().backward(); print(x.grad)
# ---
x=torch.ones(2,requires_grad=True); y=x.sin(); print(attempt(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda t: t.add_(1), lambda t:t))); print(x)
# ---
x=torch.ones(2,requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    y=x.sin()
print(attempt(lambda: y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t:t)))
# ---
G=torch.autograd.graph
with G.saved_tensors_hooks(lambda t:t, lambda t:t):
    print(attempt(lambda: G.disable_saved_tensors_hooks("no").__enter__()))
# ---
G=torch.autograd.graph
with G.disable_saved_tensors_hooks("a"):
    with G.disable_saved_tensors_hooks("b"):
        print(attempt(lambda: G.saved_tensors_hooks(1,2).__enter__()))
    print(attempt(lambda: G.save_on_cpu().__enter__()))
with G.save_on_cpu(pin_memory=True): pass
@G.disable_saved_tensors_hooks("deco")
def f():
    with G.save_on_cpu(): pass
f()
# ---
x = torch.ones(2, requires_grad=True); y=x.unbind(); a=y[1]; z=a*a; 
with torch.no_grad(): a.add_(1)
print(attempt(lambda: z.backward()))
# ---
x = torch.ones(2, requires_grad=True); y=(x*1); a=torch.unsafe_chunk(y,2)[1]; z=a*a; a.add_(1); print(attempt(lambda: z.backward()))
# ---
x = torch.ones(2, requires_grad=True); y=(x*1); a=torch.unsafe_chunk(y,2)[1]; z=a.exp();  z.add_(1); print(attempt(lambda: z.backward()))
# ---
x = torch.ones(2,2, requires_grad=True); v,i=(x*1).max(0); v.add_(1); print(attempt(lambda: v.sum().backward())); v,i=x.max(0); i.add_(1); print(attempt(lambda: v.sum().backward()))
# ---
x = torch.ones(2,2, requires_grad=True); i=torch.tensor([0]); y=x[i]; i.add_(1); print(attempt(lambda: y.sum().backward()))
i=torch.tensor([0]); y=x.index_select(0,i); i.add_(1); print(attempt(lambda: y.sum().backward()))
i=torch.tensor([[0]]); y=x.gather(0,i); i.add_(1); print(attempt(lambda: y.sum().backward()))
i=x>0; y=x.masked_fill(i,0.); i.logical_not_(); print(attempt(lambda: y.sum().backward()))
i=x>0; y=x[i]; i.logical_not_(); print(attempt(lambda: y.sum().backward()))
i=x>0; y=x.masked_select(i); i.logical_not_(); print(attempt(lambda: y.sum().backward()))
i=x>0; y=torch.where(i,x,x*2); i.logical_not_(); print(attempt(lambda: y.sum().backward()))
t=torch.tensor([0,1]); l=F.nll_loss(x,t); t.add_(0); print(attempt(lambda: l.backward()))
t=torch.tensor([0,1]); l=F.cross_entropy(x,t); t.add_(0); print(attempt(lambda: l.backward()))
t=torch.ones(2,2); l=F.mse_loss(x,t); t.add_(0); print(attempt(lambda: l.backward()))
# ---
x = torch.ones(2,2, requires_grad=True); i=torch.tensor([0]); y=x[i]; print(y.grad_fn._saved_indices, y.grad_fn._saved_self_sym_sizes); print([a for a in dir(y.grad_fn) if 'saved' in a]); y.sum().backward(); print(attempt(lambda: y.grad_fn._saved_indices)); print(attempt(lambda: y.sum().backward()))
y=x[:,[1,0]]; print(y.grad_fn._saved_indices, y.grad_fn._raw_saved_indices)
