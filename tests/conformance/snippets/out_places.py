v = torch.arange(7.0)
attempt(lambda: torch.mul(v[:6], 2, out=v[1:])), attempt(lambda: torch.exp(v[:6], out=v[1:])), attempt(lambda: torch.add(v[:6], 2, out=v[1:])), attempt(lambda: torch.pow(v[:6], 2, out=v[1:])), v
# ---
v = torch.arange(6.0).view(2, 3)
attempt(lambda: torch.sub(v, torch.ones(2, 3), alpha=2, out=v.as_strided((2, 3), (1, 2), 0))), torch.mul(v, v, out=v), torch.add(v[0], 1, out=v[1]), v
# ---
def resized(x):
    y = torch.zeros(5)
    y.resize_(2)
    return y * x

torch.func.jvp(resized, (torch.ones(1),), (torch.ones(1),))[0].shape, torch.func.grad(lambda x: resized(x).sum())(torch.ones(1))
# ---
def written(x):
    y = torch.zeros(5)
    torch.exp(torch.zeros(2), out=y)
    return (y * x).sum()

torch.func.grad(written)(torch.ones(1))
# ---
attempt(lambda: torch.linspace(0, 1, 3, dtype=torch.bool)), attempt(lambda: torch.logspace(0, 1, 3, dtype=torch.bool)), torch.linspace(0, 1, 1, dtype=torch.bool), torch.linspace(0, 1, 0, dtype=torch.bool)
# ---
v = torch.arange(7.0)
attempt(lambda: torch.clamp(v[:6], 2, out=v[1:])), attempt(lambda: torch.cumsum(v[:6], 0, out=v[1:])), attempt(lambda: torch.lerp(v[:6], v[:6], 0.5, out=v[1:])), attempt(lambda: torch.where(v[:6] > 2, v[:6], v[:6], out=v[1:])), torch.clamp(v, 2, out=v), torch.cumsum(v[:3], 0, out=v[3:6])
