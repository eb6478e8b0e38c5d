from torch.func import grad, hessian, jacfwd, jvp, vmap
from torch.utils._python_dispatch import TorchDispatchMode
class Pass(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))
x = torch.arange(1.0, 3)
def all_of_them():
    print(jvp(torch.sin, (x,), (x,)), jacfwd(torch.exp)(x), hessian(lambda v: v.sin().sum())(x))
    print(jvp(lambda v: jvp(torch.sin, (v,), (x,)), (x,), (x,)))
    print(vmap(lambda t: jvp(torch.sin, (x,), (t,)))(torch.eye(2)))
    print(jvp(lambda v: v.detach() * v, (x,), (x,)), grad(lambda v: (v.detach() * v).sum())(x))
    print(vmap(lambda v: v.argmax())(torch.eye(2)), vmap(lambda v: v.any())(torch.eye(2)))
with Pass():
    all_of_them()
all_of_them()
