torch.vmap(lambda x: torch.func.linearize(torch.sin, x)[1](torch.ones(())))(torch.ones(3))
# ---
torch.vmap(lambda x: torch.func.linearize(lambda y: y * x, torch.ones(2))[1](torch.ones(2)))(torch.ones(3))
# ---
torch.vmap(torch.func.linearize(torch.sin, torch.ones(2))[1])(torch.ones(3, 2))
# ---
torch.func.jvp(lambda x: torch.func.linearize(torch.sin, x)[1](torch.ones(2)), (torch.ones(2),), (torch.ones(2),))
# ---
with torch.autograd.forward_ad.dual_level():
    torch.func.linearize(torch.sin, torch.ones(2))
# ---
class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def jvp(ctx, t):
        return t * 2


torch.func.linearize(Doubled.apply, torch.ones(2))[1](torch.ones(2))
# ---
def with_backward(x):
    x.detach().requires_grad_().sum().backward()
    return x * 3


torch.func.linearize(with_backward, torch.ones(2))[1](torch.ones(2))
# ---
x = torch.tensor([1.0, 2.0], requires_grad=True)
product = torch.func.linearize(torch.sin, x * 1)[1](torch.ones(2))
product.sum().backward()
product.requires_grad, x.grad
# ---
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
checkpoint(lambda x: torch.func.linearize(torch.sin, x)[1](torch.ones(2)), x, use_reentrant=True).tolist()
