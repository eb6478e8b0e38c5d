x=torch.tensor([1+2j,3-1j,0.5j],requires_grad=True); y=x*1; r=y.real; i=y.imag; r[0]=5; print(y, y.grad_fn, r.grad_fn); i.mul_(r); print(y); (y.abs()**2).sum().backward(); print(x.grad)
# ---
x=torch.tensor([1+2j,3-1j],requires_grad=True); y=x*1; v=torch.view_as_real(y); v[:,0].zero_(); print(y, v.grad_fn, y.grad_fn); y.mul_(1j); print(v, v.grad_fn, v[:,0].grad_fn); v.sum().backward(); print(x.grad)
# ---
x=torch.arange(4.,requires_grad=True); y=x*1; v=y.view(torch.int32); print(v.dtype, v.requires_grad, v._is_view(), v._base is y, v)
y=x.detach(); v=y.view(torch.int32); v[0]=1065353216; print(y, y._version, v._version); w=y.view(torch.float64); print(w.shape, attempt(lambda: y[:3].view(torch.float64)), y.view(torch.uint8).shape, y.view(torch.int16).shape)
# ---
x=torch.tensor([1+2j],requires_grad=True); y=x*1; v=attempt(lambda: y.view(torch.float32)); print(v if isinstance(v,str) else (v, v.grad_fn, v.requires_grad)); print(attempt(lambda: v.sum().backward()), x.grad)
# ---
x=torch.ones(2,3,requires_grad=True); y=x*1; d=y.diagonal(); d.fill_(0); u=y.unfold(1,2,1); print(u.shape); y.transpose(0,1)[0].mul_(5); m=y.movedim(0,1); m.add_(1); s=y.swapaxes(0,1).select(1,0); s.exp_(); print(y, y.grad_fn.next_functions[0][0].name()); y.sum().backward(); print(x.grad)
# ---
x=torch.ones(2,3,requires_grad=True); y=x.clone(); a=y[0]; b=y[1]; a.mul_(b); b.mul_(a); print(y); y.sum().backward(); print(x.grad)
# ---
x=torch.ones(4,requires_grad=True); y=x*1
for i in range(4): y[i]=y[i]*(i+1)
y.sum().backward(); print(x.grad)
# ---
x=torch.ones(3,requires_grad=True); y=torch.zeros(3)
for i in range(3): y[i]=x[i]*i+(y[i-1] if i else 0)
print(y, y.grad_fn); attempt(lambda: y.sum().backward()), x.grad
# ---
x=torch.ones(3,requires_grad=True); y=x*2; y+=y; y*=3; y-=x; y/=2; y**=2; print(y, y.grad_fn, y._version); y.sum().backward(); print(x.grad)
# ---
x=torch.ones(3,requires_grad=True); y=x*2; y//=2
# ---
x=torch.ones(3,requires_grad=True); y=x*2; y%=2; print(y); y.sum().backward(); x.grad
# ---
x=torch.ones(2,2,requires_grad=True); y=x*2; y@=x
# ---
x=torch.ones(3,requires_grad=True); h=torch.zeros(3); hs=[]
for t in range(3): h=h*0.5+x; hs.append(h); h+=1
torch.stack(hs).sum().backward(); print(x.grad)
# ---
x=torch.ones(3,requires_grad=True); h=x*1; hs=[]
for t in range(3): h=torch.tanh(h); hs.append(h); h+=1
attempt(lambda: torch.stack(hs).sum().backward())
# ---
m=nn.Linear(2,1); o=torch.optim.SGD(m.parameters(),lr=.1); x=torch.ones(1,2); l1=m(x).sum(); l1.backward(); o.step(); l2=(m(x)**2).sum(); l3=(m(x)*m(x)).sum(); l2.backward(retain_graph=True); o.step(); print(attempt(lambda: l2.backward()), attempt(lambda: l3.backward()))
# ---
x=torch.ones(2,2,requires_grad=True); y=x*1; y.fill_diagonal_(0); print(y, y.grad_fn); y.sum().backward(); print(x.grad)
# ---
x=torch.ones(2,3,requires_grad=True); y=x*1; y.index_put_((torch.tensor([0,1]),torch.tensor([1,1])), torch.tensor([5.,6.])); y[:,torch.tensor([0,2])]+=1; y[y>4]*=2; y[torch.tensor([True,False])]=0; y[...,0]=7; y[None,0]+=1; y[1:2,::2]=torch.zeros(1,2); print(y, y.grad_fn); y.sum().backward(); print(x.grad)
# ---
x=torch.arange(6.).reshape(2,3); x[0]=x[1]; x[:,0]=x[:,1]; x[[0,1]]=x[[1,0]]; x[x>3]=-x[x>3]; x[0,:2]=torch.tensor([9,8]); x[1]=torch.tensor(3,dtype=torch.float64); print(x, x._version); print(attempt(lambda: x.__setitem__(0, torch.ones(3,dtype=torch.complex64)))); print(attempt(lambda: x.__setitem__(torch.tensor([0]), torch.ones(3,dtype=torch.float64))))
# ---
x=torch.ones(4,requires_grad=True); b=x*1; c=b[:2]; c.sqrt_(); f=c.grad_fn; c.add_(1); attempt(lambda: b.sum().backward())
# ---
x=torch.ones(4,requires_grad=True); b=x*1; c=b[:2]; c.sqrt_(); d=c.view_as(c); d.div_(2); attempt(lambda: d.sum().backward())
# ---
x=torch.ones(4,requires_grad=True); b=x*1; c=b[:2]; c.exp_(); f=c.grad_fn; b.grad_fn.next_functions; d=c*c; c.add_(1); attempt(lambda: d.sum().backward())
# ---
x=torch.ones(4,requires_grad=True); b=x*1; c=b[:2]; c.exp_(); f=c.grad_fn; g,=torch.autograd.grad(b.sum(), x, create_graph=True); print(g, g.grad_fn.next_functions, f); print(torch.autograd.grad(g.sum(),x))
# ---
a=torch.zeros(2); b=a[:]; w=torch.ones(2,requires_grad=True); a.copy_(w); attempt(lambda: b.mul_(2)), b.requires_grad
# ---
a=torch.zeros(2); b=a[:]; w=torch.ones(2,requires_grad=True); a.copy_(w); attempt(lambda: b.t_())
# ---
a=torch.zeros(2); b=a[:]; w=torch.ones(2,requires_grad=True); a.copy_(w); b.requires_grad; attempt(lambda: b.mul_(2))
# ---
a=torch.zeros(2); b=a[:]; w=torch.ones(2,requires_grad=True); a.copy_(w); b*1; attempt(lambda: b.mul_(2))
# ---
a=torch.zeros(2); b=a[:]; w=torch.ones(2,requires_grad=True); a.copy_(w); b.is_leaf; attempt(lambda: b.mul_(2))
# ---
a=torch.zeros(2); b=a[:]; c=b[:]; w=torch.ones(2,requires_grad=True); b.mul_(w); attempt(lambda: c.mul_(2))
# ---
a=torch.zeros(2); b=a[:1]; c=a[1:]; w=torch.ones(1,requires_grad=True); b.mul_(w); attempt(lambda: c.mul_(w))
# ---
a=torch.zeros(2); b=a[:1]; w=torch.ones(1,requires_grad=True); a[1:]=w; attempt(lambda: b.fill_(w[0]))
# ---
x=torch.tensor(1.); [attempt(lambda: x[i]) for i in (0,-1,1)], [attempt(lambda: x.__setitem__(i,1.)) for i in (0,-1,1)], attempt(lambda: x[:]), attempt(lambda: x.__setitem__(slice(None),1.)), attempt(lambda: x[0,0]), attempt(lambda: x.__setitem__((0,0),1.)), x[...], x[()], x[None]
# ---
S=lambda: torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t)
x=torch.tensor([0.7],requires_grad=True); w=torch.tensor(0.5,requires_grad=True); a=x*1
with S(): a.mul_(w)
g=torch.autograd.grad(a.sin().sum(),[x,w],create_graph=True); print(g); print(torch.autograd.grad(g[0].sum()+g[1].sum(),[x,w]))
# ---
S=lambda: torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t)
x=torch.tensor([0.7],requires_grad=True); w=torch.tensor(0.5,requires_grad=True); a=x*1
with S(): b=a.mul(w)
g=torch.autograd.grad(b.sin().sum(),[x,w],create_graph=True); print(g); print(torch.autograd.grad(g[0].sum()+g[1].sum(),[x,w]))
# ---
x=torch.tensor([0.7],requires_grad=True); w=torch.tensor(0.5,requires_grad=True); a=x*1
a.mul_(w)
g=torch.autograd.grad(a.sin().sum(),[x,w],create_graph=True); print(g); print(torch.autograd.grad(g[0].sum()+g[1].sum(),[x,w]))
# ---
S=lambda: torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t)
x=torch.tensor([0.7],requires_grad=True); w=torch.tensor(0.5,requires_grad=True)
with S(): b=x*w
g=torch.autograd.grad(b.sum(),[x,w],create_graph=True); print(g, g[0].grad_fn); print(torch.autograd.grad(g[0].sum()+g[1].sum(),[x,w]))
# ---
with torch.inference_mode():
    y=torch.ones(2); d=y.detach(); print(attempt(lambda: d._version), d.is_inference(), d.add_(1)); print(attempt(lambda: d._version))
d=y.detach(); print(d.is_inference(), attempt(lambda: d._version), attempt(lambda: d.add_(1)), attempt(lambda: d._version)); e=d[:]; print(attempt(lambda: e._version), e.is_inference(), attempt(lambda: e.add_(1)), attempt(lambda: d._version)); f=d.detach(); print(attempt(lambda: f._version))
# ---
x=torch.ones(3).expand(2,3); w=torch.ones((),requires_grad=True); attempt(lambda: x.fill_(w)), attempt(lambda: x.fill_(torch.tensor(2.))), attempt(lambda: x.fill_(2.))
# ---
x=torch.arange(4.,requires_grad=True); b=(x*1)[:2]; f=b.as_strided((2,),(1,),1); g,=torch.autograd.grad(f.sin().sum(), x, create_graph=True); print(g); print(torch.autograd.grad(g.sum(), x))
# ---
x=torch.arange(4.,requires_grad=True); b=x[:2].clone(); y=torch.zeros(4); y[:2]=b; b=y[:2]; f=b.as_strided((3,),(1,),1); g,=torch.autograd.grad(f.sin().sum(), x, create_graph=True); print(g); print(torch.autograd.grad(g.sum(), x))
# ---
x=torch.ones(2,4,requires_grad=True); y=x*1; v=y.view(torch.float32); print(v is y, v._is_view(), v.grad_fn, v.requires_grad); u=y.view(dtype=torch.float64); print(u.shape, u.requires_grad, u.grad_fn, u._is_view(), y.view(torch.float16).shape, y.view(torch.complex64).dtype, y.view(torch.complex64).requires_grad)
# ---
x=torch.ones(2,4); print(attempt(lambda: torch.tensor(1.).view(torch.float64)), attempt(lambda: torch.tensor(1.).view(torch.int32)), attempt(lambda: torch.tensor(1.).view(torch.int16)), attempt(lambda: x.t().view(torch.float16)), attempt(lambda: x.t().view(torch.float64)), attempt(lambda: x[:,1:3].view(torch.float64)), attempt(lambda: x[:,:3].view(torch.float64)), attempt(lambda: x[:,:2].view(torch.float64).shape), attempt(lambda: torch.ones(2,3)[:,:2].view(torch.float64)), attempt(lambda: x.view(torch.bool).shape), attempt(lambda: x.view(2, dtype=torch.float32)), attempt(lambda: x.view()), attempt(lambda: x.t().view(torch.int32).stride()))
