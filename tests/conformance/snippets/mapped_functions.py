from torch import vmap
print(vmap(torch.dot)(torch.ones(2,3),torch.ones(2,3)), vmap(torch.dot,(None,0))(torch.ones(3),torch.ones(2,3)), vmap(vmap(torch.dot,(None,0)),(0,None))(torch.ones(4,3),torch.ones(2,3)))
# ---
from torch import vmap
vmap(torch.dot,(0,))(torch.ones(2,3),torch.ones(2,3))
# ---
from torch import vmap
vmap(torch.dot,0.5)(torch.ones(2,3),torch.ones(2,3))
# ---
from torch import vmap
vmap(torch.dot,(0,'a'))(torch.ones(2,3),torch.ones(2,3))
# ---
from torch import vmap
vmap(torch.dot,(0,2))(torch.ones(2,3),torch.ones(2,3))
# ---
from torch import vmap
vmap(torch.dot,(0,-3))(torch.ones(2,3),torch.ones(2,3))
# ---
from torch import vmap
vmap(torch.dot,(None,None))(torch.ones(2,3),torch.ones(2,3))
# ---
from torch import vmap
vmap(lambda: torch.ones(1))()
# ---
from torch import vmap
vmap(lambda x: x)(3)
# ---
from torch import vmap
vmap(lambda x: x)([torch.ones(2),3])
# ---
from torch import vmap
import functools
vmap(functools.partial(torch.add, alpha=2))(torch.ones(2),torch.ones(3))
# ---
from torch import vmap
vmap(lambda x: (x,x), out_dims=(0,))(torch.ones(2))
# ---
from torch import vmap
vmap(lambda x: x, out_dims='a')(torch.ones(2))
# ---
from torch import vmap
vmap(lambda x: x, out_dims=3)(torch.ones(2,2))
# ---
from torch import vmap
print(vmap(lambda x: [x,{'a':x}], out_dims=[0,{'a':-1}])(torch.ones(2,3)))
# ---
from torch import vmap
vmap(lambda x: None)(torch.ones(2))
# ---
from torch import vmap
print(vmap(lambda x: None, out_dims=None)(torch.ones(2)), vmap(lambda x: 3, out_dims=None)(torch.ones(2)))
# ---
from torch import vmap
vmap(lambda x: 'a')(torch.ones(2))
# ---
from torch import vmap
vmap(torch.sin, chunk_size=0)
# ---
from torch import vmap
print(vmap(lambda x: torch.ones(3))(torch.ones(2)), vmap(lambda x,y: y, in_dims=(0,None))(torch.ones(2), torch.arange(2.)))
# ---
from torch import vmap
def f(x):
    y=torch.zeros(3); y[0]=1; return x+y
print(vmap(f)(torch.ones(2,3)))
# ---
from torch import vmap
def f(x,y):
    x.add_(y); return x
a=torch.zeros(2,3); print(vmap(f)(a,torch.ones(2,3)), a); b=torch.zeros(3,2); print(vmap(f,in_dims=(1,0))(b,torch.ones(2,3)), b)
# ---
from torch import vmap
def f(x,y):
    x[0]=y.sum(); x[1:].mul_(2); return x.sum()
a=torch.ones(2,3); print(vmap(f)(a,torch.ones(2,3)), a)
# ---
from torch import vmap
x=torch.randn(2,3,requires_grad=True)
y=vmap(lambda x: x.clone().mul_(2).exp_())(x); y.sum().backward(); print(torch.allclose(x.grad,2*(2*x).exp()))
# ---
from torch import vmap
x=torch.arange(6.).reshape(2,3)
print(vmap(lambda x: x.view(3,1).expand(3,2).t().contiguous().flatten())(x))
print(vmap(lambda x: (x.shape, x.ndim, x.numel(), x.stride(), x.dtype, x.is_contiguous(), x.size(0), len(x)), out_dims=None)(x))
# ---
from torch import vmap
x=torch.arange(12.).reshape(2,2,3)
print(vmap(lambda x: x.unbind())(x), vmap(lambda x: torch.split(x,2,dim=1))(x), vmap(lambda x: x.chunk(2,-1)[0])(x))
# ---
from torch import vmap
x=torch.arange(6.).reshape(2,3)
print(vmap(lambda x: x.max(0))(x), vmap(lambda x: x.sort(descending=True).indices)(x), vmap(lambda x: x.argmax())(x), vmap(lambda x: x.min())(x))
# ---
from torch import vmap
x=torch.arange(6.).reshape(2,3); i=torch.tensor([[0,2],[1,1]])
print(vmap(lambda x,i: x[i])(x,i), vmap(lambda x,i: x.gather(0,i))(x,i), vmap(lambda x,i: x.index_select(0,i))(x,i), vmap(lambda i: torch.arange(3.)[i])(i), vmap(lambda x: x[torch.tensor([0,0])])(x))
# ---
from torch import vmap
x=torch.arange(6.).reshape(2,3)
print(vmap(lambda x: torch.where(x>2,x,-x))(x), vmap(lambda x: x.masked_fill(x>2,0.))(x), vmap(lambda x: torch.cat([x,x*2]))(x), vmap(lambda x: torch.stack([x,torch.zeros(3)]))(x))
# ---
from torch import vmap
print(vmap(lambda x,y: x@y)(torch.ones(2,3,4),torch.ones(2,4,5)).shape, vmap(lambda x,y: x@y,(None,0))(torch.ones(3,4),torch.ones(2,4)).shape, vmap(lambda x,y: torch.einsum('ij,j->i',x,y))(torch.ones(2,3,4),torch.ones(2,4)).shape, vmap(torch.outer)(torch.ones(2,3),torch.ones(2,4)).shape, vmap(torch.nn.functional.linear,(0,None))(torch.ones(2,3),torch.ones(5,3)).shape)
# ---
from torch import vmap
print(vmap(torch.nn.functional.conv2d,(0,None))(torch.ones(2,1,1,4,4),torch.ones(1,1,3,3)).shape, vmap(torch.nn.functional.conv2d,(None,0))(torch.ones(1,1,4,4),torch.ones(2,1,1,3,3)).shape)
# ---
from torch import vmap
x=torch.ones(2,3)
print(vmap(lambda a: a*torch.tensor(2.,dtype=torch.float64))(x).dtype, vmap(lambda a,b:a*b)(torch.ones(2,3),torch.ones(2,dtype=torch.float64)).dtype, vmap(lambda a,b:a+b)(torch.ones(2,dtype=torch.int32),torch.ones(2,3,dtype=torch.int8)).dtype, vmap(lambda a: a/2)(torch.ones(2,dtype=torch.long)).dtype)
# ---
from torch import vmap
print(vmap(lambda x: vmap(lambda y: (print(x,y), x*y)[1])(torch.ones(2)))(torch.arange(2.)))
# ---
from torch import vmap
vmap(lambda x: x)(torch.ones(()))
# ---
from torch import vmap
vmap(torch.sin, randomness='foo')
# ---
from torch import vmap
torch.manual_seed(0); print(vmap(lambda x: x+torch.randn(2), randomness='same')(torch.zeros(3,2)))
torch.manual_seed(0); print(vmap(lambda x: x+torch.randn(2), randomness='different')(torch.zeros(3,2)))
torch.manual_seed(0); print(vmap(lambda x: torch.nn.functional.dropout(x,0.5), randomness='different', chunk_size=2)(torch.ones(3,4)))
torch.manual_seed(0); print(vmap(lambda x: vmap(lambda y: y+torch.rand(()),randomness='different')(x), randomness='same')(torch.zeros(2,2)))
# ---
from torch import vmap
m=torch.nn.Dropout(0.5)
vmap(m)(torch.ones(2,3))
# ---
from torch import vmap
print(vmap(lambda x: x.sum(0).sum(-1).mean().var(), in_dims=0)(torch.ones(2,3,4)))
# ---
from torch import vmap
print(vmap(lambda x: x.norm())(torch.ones(2,3)), vmap(lambda x: x.std(0))(torch.arange(6.).view(2,3)), vmap(lambda x: x.cumsum(0))(torch.ones(2,3)), vmap(lambda x: x.prod(0,keepdim=True))(torch.ones(2,3)), vmap(lambda x: torch.linalg.norm(x))(torch.ones(2,3)))
# ---
from torch import vmap
x=torch.arange(6.).reshape(2,3)
print(vmap(lambda x: torch.nn.functional.cross_entropy(x, torch.tensor(1)))(x), vmap(torch.nn.functional.mse_loss)(x,x+1), vmap(torch.nn.functional.layer_norm,(0,None))(x,(3,)), vmap(lambda x: torch.nn.functional.softmax(x,-1))(x), vmap(lambda x: torch.nn.functional.one_hot(torch.tensor(1),3)*x)(x))
# ---
from torch import vmap
m=torch.nn.BatchNorm1d(3)
vmap(m)(torch.ones(2,4,3))
# ---
from torch import vmap
print(vmap(lambda x: x.to(torch.float64))(torch.ones(2)), vmap(lambda x: x.long())(torch.ones(2)), vmap(lambda x: x.bool().any())(torch.ones(2,2)), vmap(lambda x: x.tril())(torch.ones(2,2,2)), vmap(lambda x: x.diagonal())(torch.ones(2,2,2)), vmap(lambda x: torch.diag(x))(torch.ones(2,2)), vmap(lambda x: x.trace())(torch.ones(2,2,2)))
# ---
from torch import vmap
print(vmap(lambda x: torch.linalg.inv(x))(torch.eye(2).expand(3,2,2)).shape, vmap(torch.det)(torch.eye(2).expand(3,2,2)), vmap(lambda a,b: torch.linalg.solve(a,b))(torch.eye(2).expand(3,2,2),torch.ones(3,2)))
# ---
from torch import vmap
print(vmap(lambda x: torch.zeros_like(x)+torch.ones_like(x)+torch.full_like(x,2.)+x.new_zeros(3)+x.new_ones(3))(torch.ones(2,3)), vmap(lambda x: torch.empty_like(x).fill_(1.))(torch.ones(2,3)), vmap(lambda x: x.new_empty(2).zero_())(torch.ones(2,3)))
# ---
from torch import vmap
print(vmap(lambda x: torch.arange(3)*x)(torch.ones(2)), vmap(lambda x: torch.linspace(0,1,3)*x)(torch.ones(2)), vmap(lambda x: torch.tensor([x, x]))(torch.ones(2)))
# ---
from torch import vmap
x=torch.randn(3,2,requires_grad=True)
print(vmap(lambda x: x.requires_grad, out_dims=None)(x), vmap(lambda x: x*2)(x).grad_fn, vmap(lambda x: x.sum())(x).grad_fn, vmap(lambda x: x.detach())(x).requires_grad)
# ---
from torch import vmap
x=torch.tensor([1.,2.,3.],requires_grad=True); y=x**2
print(torch.autograd.grad(y,x,torch.eye(3),is_grads_batched=True))
h=[]; x.register_hook(lambda g: h.append(g.shape)); y=x**2
torch.autograd.grad(y,x,torch.eye(3),is_grads_batched=True); print(h)
