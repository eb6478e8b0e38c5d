from torch.func import grad, hessian, jvp, vmap
x = torch.arange(1.0, 4)
for g in (lambda v: v * 2, torch.sin, lambda v: v.clone().add_(1), lambda v: torch.ones(3), lambda v: v.view(3), lambda v: v.detach(), lambda v: v[:2], lambda v: v.expand(2, 3)):
    def f(v):
        with torch.inference_mode():
            g(v)
        return (v * v).sum()
    print(attempt(lambda: grad(f)(x)), attempt(lambda: jvp(f, (x,), (x,))), attempt(lambda: vmap(f)(x[None])), attempt(lambda: vmap(grad(f))(x[None])), attempt(lambda: hessian(f)(x)))
with torch.inference_mode():
    print(grad(lambda v: (v * v).sum())(x), jvp(lambda v: v.view(3) * v, (x,), (x,)))
