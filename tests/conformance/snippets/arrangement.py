x=torch.tensor([1.,2.,4.,7.],requires_grad=True); print(torch.diff(x), torch.trapezoid(x), torch.trapz(x,dx=.5), torch.cumulative_trapezoid(x), torch.gradient(x), torch.gradient(x.detach(),spacing=2.,edge_order=2))
# ---
print(torch.cartesian_prod(torch.tensor([1,2]),torch.tensor([3,4])), torch.combinations(torch.tensor([1,2,3])), torch.combinations(torch.tensor([1,2]),2,True), torch.block_diag(torch.ones(1,2),torch.tensor([[3.]]),torch.tensor([1.,2.])), torch.kron(torch.eye(2),torch.ones(1,2)), torch.vander(torch.tensor([1.,2.])), torch.tril_indices(3,3), torch.triu_indices(2,3,1))
# ---
print(torch.tensordot(torch.ones(2,3),torch.ones(3,2),1), torch.tensordot(torch.ones(2,3),torch.ones(2,3)), torch.tensordot(torch.ones(2,3,4),torch.ones(4,3),([1,2],[1,0])), torch.addr(torch.zeros(2,2),torch.ones(2),torch.ones(2),alpha=2), torch.addbmm(torch.zeros(2,2),torch.ones(3,2,2),torch.ones(3,2,2)), torch.chain_matmul(torch.ones(2,3),torch.ones(3,1)))
# ---
torch.tensordot(torch.ones(2,3),torch.ones(2,3),1)
# ---
x=torch.tensor([1.,float('nan'),3.],requires_grad=True); print(x.nansum(), x.nanmean(), x.nanmedian(), x.nanquantile(.5), x.quantile(.5)); x.nansum().backward(); print(x.grad)
# ---
x=torch.tensor([[1.,2.,3.],[4.,5.,6.]]); print(x.quantile(.4), x.quantile(torch.tensor([.25,.5]),dim=1), x.quantile(.5,dim=0,keepdim=True), x.quantile(.4,interpolation='nearest'), x.aminmax(), x.aminmax(dim=1), torch.cov(x), torch.corrcoef(x), x.msort(), x.nanmedian(1))
# ---
torch.ones(2).quantile(1.5)
# ---
torch.ones(2,dtype=torch.int64).quantile(.5)
# ---
print(torch.rot90(torch.arange(4).view(2,2)), torch.rot90(torch.arange(6).view(2,3),-1), torch.arange(4).view(2,2).rot90(2,(0,1)), torch.renorm(torch.tensor([[3.,4.],[.3,.4]]),2,0,1.), torch.dist(torch.ones(2),torch.zeros(2)), torch.cdist(torch.tensor([[0.,0.],[1.,1.]]),torch.tensor([[3.,4.]])), torch.pdist(torch.tensor([[0.,0.],[3.,4.],[6.,8.]])))
# ---
x=torch.tensor([[0.,0.],[1.,1.]],requires_grad=True); d=torch.cdist(x,torch.tensor([[3.,4.]])); print(d); d.sum().backward(); x.grad
# ---
print(torch.column_stack((torch.tensor([1,2]),torch.tensor([3,4]))), torch.row_stack((torch.tensor([1,2]),torch.tensor([3,4]))), torch.broadcast_shapes((2,1),(3,)), torch.argwhere(torch.tensor([0,1,2])), torch.bincount(torch.tensor([0,1,1,3])), torch.bincount(torch.tensor([0,1]),torch.tensor([.5,2.])), torch.isin(torch.tensor([1,2,3]),torch.tensor([2])), torch.unravel_index(torch.tensor(5),(2,3)), torch.scalar_tensor(3), torch.logspace(0,2,3), torch.asarray([1,2]))
# ---
torch.range(0,3)
# ---
torch.broadcast_shapes((2,),(3,))
# ---
x=torch.zeros(3,requires_grad=True); y=x.select_scatter(torch.tensor(5.),0,1); print(y); y=torch.slice_scatter(torch.zeros(4),torch.ones(2),0,1,3); print(y); print(torch.diagonal_scatter(torch.zeros(2,2),torch.ones(2)))
# ---
x=torch.tensor([1.,2.],requires_grad=True); i=torch.tensor([0,0,1]); s=torch.tensor([3.,4.,5.],requires_grad=True)
for r in ('sum','prod','mean','amax','amin'):
    y=x.scatter_reduce(0,i,s,r); print(y, torch.autograd.grad(y.sum(),(x,s)), x.scatter_reduce(0,i,s,r,include_self=False))
torch.zeros(2).scatter_reduce(0,i,s.detach(),'foo')
# ---
x=torch.tensor([1.,-2.,0.]); print(torch.copysign(x,torch.tensor(-1.)), torch.signbit(x), torch.isneginf(-torch.tensor([float('inf'),1.])), torch.isposinf(x), torch.isreal(x), torch.heaviside(x,torch.tensor([.5])), torch.deg2rad(torch.tensor([180.,90.])), torch.rad2deg(torch.tensor(3.14159)), torch.gcd(torch.tensor(12),torch.tensor(18)), torch.lcm(torch.tensor(4),torch.tensor(6)), torch.tensor(3)<<2, torch.tensor(12)>>1, torch.frexp(torch.tensor([3.,.5])), torch.ldexp(torch.tensor([1.]),torch.tensor([3])), torch.logaddexp2(torch.tensor(1.),torch.tensor(2.)), torch.nextafter(torch.tensor(1.),torch.tensor(2.)), torch.fix(torch.tensor(-1.5)))
# ---
x=torch.tensor([180.],requires_grad=True); print(x.deg2rad(), torch.copysign(x,-1.), torch.logaddexp2(x,x), torch.ldexp(x,torch.tensor(2)), x.rot90 if 0 else 0)
# ---
x=torch.tensor([1.3,2.6],requires_grad=True); print(x.round(decimals=1), x.round())
# ---
x=torch.tensor([float('nan'),1.,-1.,0.],requires_grad=True); print(torch.autograd.grad(x.relu().sum(),x), torch.autograd.grad(x.abs().sum(),x), torch.autograd.grad(x.sign().sum(),x), torch.autograd.grad(F.leaky_relu(x).sum(),x), torch.autograd.grad(x.clamp(min=0).sum(),x), torch.autograd.grad(x.sigmoid().sum(),x), torch.autograd.grad(x.maximum(torch.zeros(4)).sum(),x))
# ---
torch.tensordot(torch.ones(2,3),torch.ones(2,3),1)
# ---
torch.tensordot(torch.ones(2,3),torch.ones(2,3),([0],[1]))
# ---
torch.tensordot(torch.ones(2,3),torch.ones(2,3),([0,1],[0,1])), torch.tensordot(torch.ones(2,3),torch.ones(3,2),1), torch.tensordot(torch.ones(2,3),torch.ones(2,3),2), torch.tensordot(torch.ones(2,3),torch.ones(4,3),([-1],[-1]))
# ---
torch.tensordot(torch.ones(2,3),torch.ones(2,3),([-1],[0]))
