x=torch.tensor([-1.,0.5,2.],requires_grad=True)
for n,f in dict(relu=lambda y:F.relu(y,inplace=True), relu6=lambda y:F.relu6(y,inplace=True), leaky=lambda y:F.leaky_relu(y,0.1,inplace=True), elu=lambda y:F.elu(y,inplace=True), selu=lambda y:F.selu(y,inplace=True), celu=lambda y:F.celu(y,inplace=True), silu=lambda y:F.silu(y,inplace=True), mish=lambda y:F.mish(y,inplace=True), hardtanh=lambda y:F.hardtanh(y,inplace=True), hardswish=lambda y:F.hardswish(y,inplace=True), hardsigmoid=lambda y:F.hardsigmoid(y,inplace=True), threshold=lambda y:F.threshold(y,0.1,20,inplace=True), dropout=lambda y:F.dropout(y,0.5,True,inplace=True), rrelu=lambda y:F.rrelu(y,inplace=True), dropout0=lambda y:F.dropout(y,0.5,False,inplace=True),relu_=lambda y: F.relu_(y), leaky_=lambda y: F.leaky_relu_(y), elu_=lambda y:F.elu_(y), ht_=lambda y:F.hardtanh_(y), th_=lambda y:F.threshold_(y,0.1,20.)).items():
    x.grad=None; torch.manual_seed(0); y=x*1; r=attempt(lambda: f(y)); print(n, r if isinstance(r,str) else r is y, y.grad_fn.name(), y, y._version, [a for a in ('self','result') if attempt(lambda: getattr(y.grad_fn,'_saved_'+a)) is not None and 'object has no' not in str(attempt(lambda: getattr(y.grad_fn,'_saved_'+a)))]); print(attempt(lambda: y.sum().backward()), x.grad)
# ---
x=torch.ones(3,requires_grad=True)
for n in ('uniform_','normal_','exponential_','random_','bernoulli_','geometric_','cauchy_','log_normal_'):
    y=x*1; a=(0.5,) if n=='geometric_' else (); r=attempt(lambda: getattr(y,n)(*a)); print(n, r if isinstance(r,str) else (y.grad_fn.name(), y._version)); x.grad=None; print(attempt(lambda: y.sum().backward()), x.grad)
    print(attempt(lambda: getattr(x,n)(*a)))
# ---
x=torch.ones(3,requires_grad=True); y=x*1; y.requires_grad_(False)
# ---
x=torch.ones(3,requires_grad=True); v=x.detach(); v.requires_grad_(); v2=v.view(3); print(v2.is_leaf, v._is_view()); v.mul_(2)
# ---
m=nn.Linear(2,2); m.weight.data.fill_(0.5); print(m.weight); m.weight.data = torch.ones(2,2); print(m.weight._version)
with torch.no_grad(): m.weight.copy_(torch.eye(2)); m.weight[0,0]=5; m.weight.zero_(); print(m.weight._version, m.weight)
print(attempt(lambda: m.weight.fill_(1))); print(attempt(lambda: m.weight[0].fill_(1))); print(attempt(lambda: nn.init.zeros_(m.weight)))
# ---
x=torch.ones(3); o=torch.empty(3); v=o._version; torch.add(x,x,out=o); print(o._version-v); b=torch.zeros(4); torch.add(x,x,out=b[1:]); print(b, b._version)
y=torch.ones(3,requires_grad=True)*1; print(attempt(lambda: torch.add(x,x,out=y))); print(attempt(lambda: torch.add(x,x,out=y.detach()))); print(y, y._version)
# ---
x=torch.ones(3,requires_grad=True); y=x*1; y.data.zero_(); print(y, y._version); y.data.requires_grad; print(x.data._version, x.data is x.data, x.data.grad_fn); d=x.data; d.add_(1); print(x._version, d._version, x)
print(attempt(lambda: setattr(x,'data',torch.ones(2,dtype=torch.int64)))); print(attempt(lambda: setattr(x,'data',1))); print(attempt(lambda: setattr(x,'data',torch.ones(2,dtype=torch.float64))), x.dtype, x.grad); y=x*2; x.data=torch.ones(5); print(attempt(lambda: y.sum().backward()), x.grad)
z=torch.ones(2,requires_grad=True)*1; v=z[0:]; v.data=torch.ones(7); print(v.shape, v._is_view(), z.shape); 
# ---
x=torch.zeros(2,3,4); m=torch.tensor([[True,False,True],[False,True,False]]); v=torch.ones(1,1,4,requires_grad=True); x[m]=v; print(x, x.grad_fn, x.grad_fn.next_functions); x.sum().backward(); print(v.grad)
# ---
x=torch.zeros(3); v=torch.ones(1,requires_grad=True); x[torch.tensor([0,1])]=v; print(x, x.grad_fn.next_functions[1][0], v.grad)
# ---
x=torch.zeros(3,2); v=torch.ones(1,2,requires_grad=True); x[torch.tensor([0,1])]=v; print(x, x.grad_fn.next_functions[1][0]); x.sum().backward(); print(v.grad)
# ---
x=torch.zeros(3,2); x[torch.tensor([0,1])]=torch.ones(3,2)
# ---
x=torch.zeros(3,2); x[1]=torch.ones(1,1,2); x[:,0]=torch.ones(1,1); x[[0]] = torch.ones(1,1,1); print(x)
