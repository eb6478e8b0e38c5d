import torch.autograd.forward_ad as fwAD
def f01_make_dual_tangent_dual():
    with fwAD.dual_level():
        d = fwAD.make_dual(torch.rand(2), torch.rand(2))
        fwAD.make_dual(torch.rand(2), d)
        return 'no error'
f01_make_dual_tangent_dual()
# ---
import torch.autograd.forward_ad as fwAD
def f02b_out_variant2():
    with fwAD.dual_level():
        foo = fwAD.make_dual(torch.rand(2), torch.rand(2))
        bar = torch.rand(2)
        torch.add(foo, bar, out=bar)
        return fwAD.unpack_dual(bar).tangent
f02b_out_variant2()
# ---
import torch.autograd.forward_ad as fwAD
def f03_detach_():
    with fwAD.dual_level():
        d = fwAD.make_dual(torch.ones(2), torch.ones(2)).clone()
        d.detach_()
        return fwAD.unpack_dual(d * 2).tangent
f03_detach_()
# ---
import torch.autograd.forward_ad as fwAD
def f05_conj_copy():
    x = torch.randn(2, dtype=torch.cdouble).conj()
    t = torch.randn(2, dtype=torch.cdouble)
    with fwAD.dual_level():
        return fwAD.unpack_dual(fwAD.make_dual(x, t)).tangent is t
f05_conj_copy()
# ---
import torch.autograd.forward_ad as fwAD
def f06_igamma():
    with fwAD.dual_level():
        d = fwAD.make_dual(torch.rand(3), torch.rand(3))
        return torch.igamma(d, d)
f06_igamma()
# ---
from torch.autograd import Function
from torch.autograd import gradcheck
class UserFn(Function):

    @staticmethod
    def forward(ctx, x, y):
        return (x.clone(), y.clone())

    @staticmethod
    def jvp(ctx, a, b):
        return (a, b)
x = torch.rand(1, dtype=torch.double, requires_grad=True)
y = torch.rand(1, dtype=torch.double, requires_grad=True)
gradcheck(UserFn.apply, (x, y), check_forward_ad=True, check_backward_ad=False, check_batched_grad=False, check_batched_forward_grad=True)
# ---
from torch.autograd import Function
from torch.autograd import gradcheck
class Fn(Function):

    @staticmethod
    def forward(ctx, foo):
        return foo * 2

    @staticmethod
    def vjp(ctx, gO):
        return gO * 2

    @staticmethod
    def jvp(ctx, gI):
        torch.randn_like(gI)
        return gI * 2
gradcheck(Fn.apply, (torch.rand(2, dtype=torch.double, requires_grad=True),), check_forward_ad=True, check_batched_forward_grad=True)
