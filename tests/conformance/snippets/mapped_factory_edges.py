made = [
    lambda y: torch.zeros_like(y, requires_grad=True),
    lambda y: y.new_ones((2,), requires_grad=True),
    lambda y: torch.empty_like(y, requires_grad=True).fill_(1.0),
    lambda y: torch.full_like(y, 3.0, requires_grad=True) * 2,
    lambda y: torch.zeros(2, requires_grad=True),
]
[torch.vmap(f)(torch.ones(2, 3)).requires_grad for f in made]
# ---
def value(y):
    return y.new_ones((4,), requires_grad=True).sum()


torch.vmap(torch.func.grad_and_value(value))(torch.ones(2, 3))[1].requires_grad
# ---
with torch.no_grad():
    out = torch.zeros(3, requires_grad=True)
    torch.arange(3, out=out)
    again = torch.zeros(3)
    torch.ones(3, out=again, requires_grad=True)
    small = torch.zeros(2, requires_grad=True)
    torch.stack([again, again], out=small)
out.requires_grad, again.requires_grad, small.requires_grad, small.shape
# ---
with torch.no_grad():
    torch.randn(3, out=torch.zeros(2, requires_grad=True))
