# Views by strides inside vmap stay within the memory of their example.
from torch.func import *
a = torch.arange(12.).reshape(3, 4)
print(attempt(lambda: vmap(lambda x: x.as_strided((2,2),(1,2),1))(a)))
print(attempt(lambda: vmap(lambda x: x.as_strided((2,2),(1,1),1))(a)))
print(attempt(lambda: vmap(grad(lambda x: (x.as_strided((2,2),(1,1),1)**2).sum()))(a)))
print(attempt(lambda: vmap(lambda x: x[1:].as_strided((2,),(1,)))(a)))
print(attempt(lambda: vmap(lambda x: x[1:].as_strided((2,),(1,),0))(a)))
print(attempt(lambda: vmap(lambda x: x.as_strided((2,),(1,)),in_dims=1)(a)))
print(attempt(lambda: vmap(lambda x: x.as_strided((2,),(4,)),in_dims=1)(a)))
print(attempt(lambda: vmap(lambda x: x.as_strided((2,2),(1,1)),in_dims=1)(a)))
print(attempt(lambda: vmap(lambda x: x.as_strided((2,2),(0,0)))(a[1:])))
print(attempt(lambda: vmap(lambda x: x.as_strided((2,),(1,),4))(a[1:])))
print(attempt(lambda: vmap(lambda x: x.as_strided((2,),(1,),0))(a[1:])))
print(attempt(lambda: vmap(jacrev(lambda x: x.as_strided((2,2),(1,1),1)))(a).shape))
print(attempt(lambda: jacrev(lambda x: x.as_strided((2,2),(1,1),1))(a).sum(0)))
print(attempt(lambda: jacfwd(lambda x: x.as_strided((2,2),(1,1),1))(a).sum(0)))
print(attempt(lambda: vmap(jacfwd(lambda x: x.as_strided((2,2),(1,1),1)))(a).sum(0)))
print(attempt(lambda: hessian(lambda x: (x.as_strided((2,2),(1,1),1)**3).sum())(a).sum(0)))
# --- an op on a view that saved its own result, differentiated twice
from torch.func import *
x = torch.arange(24.).reshape(2, 3, 4) * 0.01
fs = [lambda y: y[..., ::2].exp_(), lambda y: y[0].exp_(), lambda y: y[0].sigmoid_(), lambda y: y.view(-1).tanh_(), lambda y: y.transpose(0, 1).tanh_(), lambda y: y[0].pow_(2)]
for f in fs:
    def k(x): y = x * 0.5; f(y); return y
    s = lambda x: (k(x) ** 3).sum()
    hessians = [torch.autograd.functional.hessian(s, x), torch.autograd.functional.hessian(s, x, vectorize=True), hessian(s)(x), jacrev(jacrev(s))(x)]
    print(hessians[0].diagonal().sum(), [torch.allclose(h, hessians[0], 1e-4) for h in hessians[1:]])
    leaf = x.clone().requires_grad_()
    g, = torch.autograd.grad(s(leaf), leaf, create_graph=True); g.sum().backward(); print(round(leaf.grad.sum().item(), 2))
# --- views of memory with gaps, in batches of gradients
a = torch.arange(12.).reshape(3, 4).requires_grad_()
def rows(out): n = out.numel(); return torch.autograd.grad(out, a, torch.eye(n).reshape(n, *out.shape), is_grads_batched=True)[0].sum(0)
c = a * 1; c[:, ::2].mul_(a[:, ::2].clone()); print(rows(c))
e = torch.empty_strided((3, 4), (8, 2)).zero_(); e.copy_(a); e[0].mul_(a[1]); print(rows(e))
print(rows(a.as_strided((2, 2), (1, 3), 1)), rows(a.as_strided((3, 3), (1, 1), 0)))
