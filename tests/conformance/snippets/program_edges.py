import torch
lin = torch.nn.Linear(2, 2)
with torch.autocast("cpu", dtype=torch.bfloat16):
    with torch.no_grad():
        lin(torch.ones(1, 2))
    y = lin(torch.ones(1, 2))
    print(y.requires_grad, y.grad_fn)
y.sum().backward()
print(lin.weight.grad)
# ---
import torch
from torch.utils.checkpoint import checkpoint
torch.manual_seed(0)
lin = torch.nn.Linear(2, 2)
x = torch.ones(1, 2, requires_grad=True)
with torch.autocast("cpu", dtype=torch.bfloat16):
    y = checkpoint(lin, x, use_reentrant=True)
    y.float().sum().backward()
print(lin.weight.grad, x.grad)
lin.weight.grad = None
with torch.autocast("cpu", dtype=torch.bfloat16):
    y = checkpoint(lin, x, use_reentrant=True)
y.float().sum().backward()
print(lin.weight.grad, x.grad)
# ---
import torch
torch.manual_seed(0)
lin = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
x = torch.ones(4, 2)
for step in range(2):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        with torch.no_grad():
            teacher = lin(x)
        loss = ((lin(x) - teacher.float() - 1) ** 2).mean()
    try:
        loss.backward()
    except RuntimeError as e:
        print(e)
    print(lin.weight.grad)
# ---
import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
y = torch.tensor([[1., 2.], [3., 5.]], requires_grad=True)
for p in 0., float("inf"):
    print(torch.autograd.grad(torch.cdist(x, y, p=p).sum(), y))
T=torch.zeros(6,1,3).log_softmax(2)
print(torch.nn.functional.ctc_loss(T, torch.tensor([[1,2]]), torch.tensor([0]), torch.tensor([0]), reduction='none'))
# ---
import torch
for m in ([[4., 2.], [2., 1.]], [[0., 0.], [0., 0.]], [[1., 2.], [2., 4.]], [[1., 2., 3.], [4., 5., 6.], [7., 8., 9.]], [[0., 1.], [0., 0.]]):
    c = torch.tensor(m, requires_grad=True)
    d = torch.linalg.det(c)
    print(d, torch.autograd.grad(d, c)[0])
    c = torch.tensor(m, dtype=torch.double, requires_grad=True)
    d = c.det()
    print(d, torch.autograd.grad(d, c, create_graph=True)[0])
# ---
import torch
import torch.nn.functional as F
from torch.autograd.gradcheck import GradcheckError
from torch.utils.checkpoint import CheckpointError

print([f.__name__ for f in (F.logsigmoid, torch.clip, torch.clamp, torch.concat, torch.absolute, torch.arccos)])
for kind in (GradcheckError, CheckpointError, torch.linalg.LinAlgError, torch.nn.Parameter, torch.Size):
    print(kind.__module__, kind.__qualname__)
# ---
import torch
c = torch.tensor([2., 0., 3., 0.], dtype=torch.double, requires_grad=True)
for name, f in (("prod", torch.prod), ("cumprod", lambda t: t.cumprod(0)), ("prod dim", lambda t: t.prod(0))):
    try:
        torch.manual_seed(0)
        print(name, torch.autograd.gradgradcheck(f, c))
    except Exception as e:
        print(name, type(e).__name__, e)
    g, = torch.autograd.grad(f(c).sum(), c, create_graph=True)
    print(g)
    try:
        print(torch.autograd.grad(g.sum(), c))
    except Exception as e:
        print(e)
one = torch.tensor([2., 0., 3.], dtype=torch.double, requires_grad=True)
g, = torch.autograd.grad(one.prod(), one, create_graph=True)
print(g, torch.autograd.grad(g.sum(), one))
# ---
import torch
x = torch.tensor([5.], requires_grad=True)
s = torch.tensor([5., 5.], requires_grad=True)
i = torch.tensor([0, 0])
print(torch.autograd.grad(x.scatter_reduce(0, i, s, "amax", include_self=False).sum(), [x, s]))
x = torch.zeros(1, requires_grad=True)
s = torch.tensor([float("nan"), 1.], requires_grad=True)
print(torch.autograd.grad(x.scatter_reduce(0, i, s, "amax").sum(), [x, s]))
print(torch.autograd.grad(torch.tensor([float("nan"), 1.], requires_grad=True).amax(), x, allow_unused=True))
w = torch.ones(1, 3, requires_grad=True)
for red in "sum", "mean", "prod", "amax", "amin":
    o = torch.zeros(1, 2).scatter_reduce(1, torch.tensor([[0, 1]]), w, red)
    try:
        print(red, torch.autograd.grad(o.sum(), w))
    except Exception as e:
        print(red, type(e).__name__, e)
# ---
import torch
A = torch.eye(2).to_sparse()
torch.sparse.softmax(A, dim=1)
# ---
import torch
from torch.func import vmap, grad
kept = []
def f(x):
    kept.append(x)
    return x.sum()
vmap(f)(torch.ones(2, 3))
print(kept[0])
for g in (lambda t: t + 1, lambda t: t.sum(), lambda t: t.shape, lambda t: torch.stack([t, t]), lambda t: t.tolist()):
    try:
        print(g(kept[0]))
    except Exception as e:
        print(type(e).__name__, e)
grad(f)(torch.ones(3))
print(kept[1] * 2)
jv = []
torch.func.jvp(lambda x: (jv.append(x), x * 2)[1], (torch.ones(2),), (torch.ones(2),))
print(jv[0] + 1)
