from torch.func import *
def f(x):
    y=x.clone(); y[0].mul_(x[1]); y[1:].exp_(); return (y*y).sum()
x=torch.tensor([[1.,2.,3.],[.5,.1,.2]])
print(vmap(grad(f))(x), grad(lambda x: vmap(f)(x).sum())(x), jacrev(lambda x: vmap(f)(x))(x), hessian(f)(x[0]), jacfwd(f)(x[0]))
# ---
from torch.func import *
def f(x):
    y=x.t().clone(); y.t()[0].mul_(x[1]); y[:,0].sin_(); return (y*y).sum()
x=torch.arange(8.).reshape(2,2,2)/4
print(vmap(grad(f))(x), vmap(jacrev(f))(x), vmap(hessian(f))(x)[0,0])
# ---
x=torch.tensor([1.,2.,3.],requires_grad=True)
y=x.clone(); y[0].mul_(x[1]); y[1:].exp_()
print(torch.autograd.grad(y,x,torch.eye(3),is_grads_batched=True,retain_graph=True))
y=x.clone(); y[::2]=x[:2]*3; y.unsqueeze(0)[0,1:].mul_(2)
print(torch.autograd.grad(y,x,torch.eye(3),is_grads_batched=True,create_graph=True))
# ---
x=torch.tensor([1.,2.,3.],requires_grad=True); z=torch.ones(2,requires_grad=True)
print(torch.autograd.grad(x*2, (x,z), torch.eye(3), is_grads_batched=True, allow_unused=True))
