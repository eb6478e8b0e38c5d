x = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    x.data = x.data * 2
print(x.is_inference(), x.requires_grad, x._version, (x * x).requires_grad, (x * 2).requires_grad, x.view(2).is_inference())
z = torch.ones(2)
with torch.inference_mode():
    z.data = torch.zeros(2)
z.is_inference(), z.add_(1), z.mul(2).is_inference()
# ---
net = nn.Linear(2, 1, bias=False)
with torch.inference_mode():
    net.weight.data = torch.ones(1, 2)
x = torch.ones(2, requires_grad=True)
net.weight.is_inference(), attempt(lambda: net(x))
# ---
with torch.inference_mode():
    v = torch.tensor([1.0, 0.0]).requires_grad_()
index = torch.tensor([0])
for f in (lambda: v.take(index), lambda: v.gather(0, index), lambda: v[[0]], lambda: v.index_select(0, index), lambda: v.masked_fill(v > 0, 0), lambda: torch.where(v > 0, v, v), lambda: v.scatter(0, index, 0.0), lambda: v.sin(), lambda: v * v, lambda: v * 2):
    print(attempt(f))
