attempt(lambda: torch.vmap(lambda x: x.data)(torch.ones(2))), attempt(lambda: torch.vmap(lambda x: torch.zeros(2).data + x)(torch.ones(2)))
# ---
attempt(lambda: torch.func.grad(lambda x: torch.vmap(lambda y: y.data * y)(x).sum())(torch.ones(2))), torch.vmap(torch.func.grad(lambda y: y.data * y))(torch.ones(2))
# ---
x = torch.ones(2) * 3
torch.func.grad(lambda t: torch.func.grad(lambda u: (u.data * u * u).sum())(t).sum())(x), torch.func.hessian(lambda t: (t.data * t * t).sum())(x)
# ---
def changed(x):
    x.data.mul_(2.0)
    return x.sum()

x = torch.ones(2)
torch.func.grad(changed)(x), x, attempt(lambda: torch.func.grad(lambda t: torch.func.grad(changed)(t).sum())(x)), x
# ---
v = torch.zeros(2)
def given(x):
    x.data = x * 2
    return x.sum()

def giving(x):
    v.data = x
    return x

attempt(lambda: torch.func.grad(given)(torch.ones(2))), attempt(lambda: torch.vmap(given)(torch.ones(2))), attempt(lambda: torch.func.jvp(given, (torch.ones(2),), (torch.ones(2),))), attempt(lambda: torch.vmap(giving)(torch.ones(2, 2))), v
# ---
v = torch.zeros(2, requires_grad=True)
attempt(lambda: torch.vmap(lambda x: (v.requires_grad_(), x)[1])(torch.ones(2))), attempt(lambda: torch.vmap(lambda x: (torch.zeros(3).requires_grad_(False), x)[1])(torch.ones(2)))
# ---
attempt(lambda: torch.vmap(lambda x: torch.zeros(2, dtype=torch.int64).requires_grad_())(torch.ones(2))), attempt(lambda: torch.vmap(lambda x: x.requires_grad_("a"))(torch.ones(2)))
# ---
torch.func.grad(lambda x: (torch.hann_window(3, requires_grad=True) * x).sum())(torch.ones(3)), torch.func.grad(lambda x: (torch.fft.fftfreq(3) * x).sum())(torch.ones(3)), torch.func.grad(lambda x: (torch.asarray([1.0, 2, 3], requires_grad=True) * x).sum())(torch.ones(3)), torch.func.grad(lambda x: (nn.Parameter(torch.ones(3)) * x).sum())(torch.ones(3))
# ---
attempt(lambda: torch.asarray([1, 2], requires_grad=True)), torch.fft.rfftfreq(3, requires_grad=True)
# ---
x = torch.tensor([[1.0, 1.0], [-0.5, 1.0], [0.0, 1.0]])
torch.func.grad(lambda t: torch.vmap(lambda y: torch.addmm(y, y, torch.eye(2)))(t[None]).sum())(x), torch.func.grad(lambda t: torch.vmap(lambda y: torch.addmv(y, torch.eye(2), y))(t).pow(2).sum())(x)
# ---
def raised(x):
    x += 1.0
    return x * 2

torch.func.jacfwd(raised)(torch.tensor(2.0)), torch.vmap(torch.func.jacfwd(raised))(torch.ones(2)), torch.func.jacfwd(raised)(torch.ones(1))
# ---
def given(x):
    x.data = torch.zeros(3)
    return torch.zeros(3).requires_grad_() * 0 + x * 1

value, product = torch.func.linearize(given, torch.ones(3))
value.detach(), product(torch.ones(3)).detach()
