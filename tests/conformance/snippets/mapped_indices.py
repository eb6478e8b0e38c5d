# Indices inside vmap: reading, writing, and gradients of each example.
from torch.func import *
x = torch.arange(24.).reshape(2, 3, 4) / 4 + .1; i = torch.tensor([[0, 2], [1, 1]])
def set_(z, k, v): z[k] = v; return z
fs = [lambda y, i: y[i], lambda y, i: y[:, i], lambda y, i: y[i, i], lambda y, i: y[0, i], lambda y, i: set_(torch.zeros_like(y), i, y[i]), lambda y, i: set_(y.clone(), i, 5.), lambda y, i: set_(y.clone(), (i, i), y[i, i] * 2),
      lambda y, i: y.clone().index_put_((i,), y[0]), lambda y, i: torch.zeros_like(y).index_put((i, i), y[0, :2], accumulate=True), lambda y, i: y.index_select(0, i), lambda y, i: y.gather(1, i[None]), lambda y, i: F.embedding(i, y), lambda y, i: y[1:, i], lambda y, i: y[None, i]]
for f in fs:
    print(vmap(f)(x, i).sum(0), vmap(grad(lambda y, i: (f(y, i) ** 2).sum()))(x, i), vmap(grad(lambda y: (f(y, i[0]) ** 2).sum()))(x))
    print(vmap(lambda y: jvp(lambda y: f(y, i[0]), (y,), (y,)))(x)[1], jacrev(lambda y: f(y, i[0]))(x[0]).sum(), jacfwd(lambda y: f(y, i[0]))(x[0]).sum(), round(vmap(hessian(lambda y: (f(y, i[0]) ** 3).sum()))(x).sum().item(), 1))
# ---
from torch.func import *
x = torch.arange(6.).reshape(2, 3)
print(vmap(grad(lambda y: (y[torch.tensor([2, 0, 1])] ** 2).sum()))(x), jacrev(lambda y: y[torch.tensor([2, 0])])(x[0]), jacrev(jacrev(lambda y: y[torch.tensor([2, 0])] ** 2))(x[0]))
y = x.clone().requires_grad_(); out = y[torch.tensor([1, 0, 1])]
print(torch.autograd.grad(out, y, torch.eye(9).reshape(9, 3, 3), is_grads_batched=True)[0].sum((0, 1)), torch.autograd.functional.jacobian(lambda y: y[:, torch.tensor([2, 0])], x, vectorize=True))
