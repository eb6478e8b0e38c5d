from torch.func import jacfwd, jvp, vmap
x, v = torch.tensor(2.0), torch.ones(2)
for f in (lambda t: t * 0.5, lambda t: t + 2.0, lambda t: 1.0 - t, lambda t: t / 2.0, lambda t: 2.0 / t, lambda t: t * 3, lambda t: t**2.0, lambda t: t.clone().mul_(2.0)):
    print(jvp(f, (x,), (x,)), jacfwd(f)(x), jvp(f, (v,), (v,)))
jvp(lambda t: (t * t).sum() * 0.5, (v,), (v,)), jacfwd(lambda t: t.mean() * 2.0)(v), vmap(lambda t: jvp(lambda y: y * 0.5, (t,), (t,)))(v)
# ---
from torch.func import jvp
x, v = torch.tensor(2.0), torch.ones(2)
for f in (lambda t: torch.stack([t * 0.5, t]), lambda t: torch.sin(t * 0.5), lambda t: torch.sin(t * 0.5) * v, lambda t: (t * 0.5).reshape(1), lambda t: (t * 0.5).to(torch.float16), lambda t: t * 0.5 + x):
    print(jvp(f, (x,), (x,)))
# ---
from torch.func import jacfwd, jvp
x = torch.tensor([-2.0, 0.0], requires_grad=True)
for f in (lambda t: -1.0 / t, lambda t: 1 / t * 2, lambda t: 0.0 * t.log(), lambda t: t.rsqrt() * torch.tensor([1.0, 2.0])):
    print(jacfwd(f)(x).detach(), jvp(f, (x,), (torch.ones(2),))[1].detach())
# ---
from torch.autograd import forward_ad as fw
with fw.dual_level():
    for value in (None, 2.0, [1]):
        print(attempt(lambda: fw.unpack_dual(value)), attempt(lambda: fw.make_dual(value, torch.ones(2))), attempt(lambda: fw.make_dual(torch.ones(2), value)))
fw.unpack_dual(None)
