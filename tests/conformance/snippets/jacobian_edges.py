from torch.func import jacfwd
jacfwd(lambda x: x.conj().real if False else torch.conj(x))(torch.randn(3, 3, dtype=torch.cfloat))
# ---
from torch.func import jacfwd
jacfwd(lambda x: x.abs())(torch.randn(1, dtype=torch.cfloat))
# ---
from torch.func import jacrev
jacrev(lambda x: torch.conj(x))(torch.randn(1, dtype=torch.cfloat))
# ---
from torch.func import jacfwd
jacfwd(lambda x: torch.view_as_complex(x.expand(1, 2)) if x.dim() else x)(torch.randn(2))
# ---
from torch.func import jacfwd
jacfwd(torch.conj)(torch.randn(1, dtype=torch.cfloat))
# ---
from torch.func import jacfwd
jacfwd(lambda x: x.sum())(torch.randn(1, dtype=torch.cfloat))
# ---
from torch.func import functional_call, hessian, vmap
m = torch.nn.Linear(2, 1)
p = {k: v.detach() for k, v in m.named_parameters()}
def f(p, x):
    return functional_call(m, p, (x,)).squeeze(0)
vmap(hessian(f, argnums=1), in_dims=(None, 0))(p, torch.rand(3, 2)).shape
# ---
from torch.func import hessian, vmap
w = torch.rand(1, 2)
vmap(hessian(lambda x: torch.nn.functional.linear(x.unsqueeze(0), w)))(torch.rand(3, 2)).shape
# ---
from torch.func import hessian, vmap
p = {'w': torch.rand(2, 2, 1)}
vmap(lambda x: hessian(lambda w: (w.sum() * x).sum())(torch.rand(2, 1)))(torch.rand(2)).shape
# ---
from torch.func import jacfwd
jacfwd(lambda x: torch.conj(x * 1j))(torch.tensor([2.0]))
# ---
from torch.func import jvp
jvp(lambda x: torch.conj(x * 1j), (torch.tensor([2.0]),), (torch.tensor([1.0]),))
# ---
from torch.func import vmap
vmap(lambda x: torch.conj(x * (1 + 2j)))(torch.ones(2, 3))
# ---
from torch.func import jvp
jvp(lambda x: torch.view_as_real(x).sum(), (torch.ones(2, dtype=torch.cfloat),), (torch.ones(2, dtype=torch.cfloat),))
# ---
from torch.func import jacfwd, jacrev, vmap
w = torch.nn.Parameter(torch.rand(2, 2))
b = torch.zeros(2)
f = lambda x: (torch.nn.functional.linear(x, w, b).relu(),) * 2
vmap(jacfwd(jacrev(f, has_aux=True), has_aux=True))(torch.rand(4, 2))[0].shape
# ---
from torch.func import jacfwd, jacrev, vmap
w = torch.rand(2, 2)
vmap(jacfwd(jacrev(lambda x: torch.nn.functional.linear(x, w).relu())))(torch.rand(4, 2)).shape
# ---
from torch.func import jacfwd, vmap
w = torch.rand(2, 2)
vmap(jacfwd(lambda x: ((y := (x * 2).view(2, 1)), y), has_aux=True))(torch.rand(4, 2))[0].shape
# ---
from torch.func import jacfwd, jacrev
w = torch.rand(2, 2)
jacfwd(jacrev(lambda x: ((y := torch.nn.functional.linear(x, w)), y), has_aux=True), has_aux=True)(torch.rand(2))[0].shape
# ---
from torch.func import jacfwd
jacfwd(lambda x: ((y := (x.view(2, 1) * 2)), y.view(2)), has_aux=True)(torch.rand(2))
