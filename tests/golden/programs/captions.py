# What captions say beside the usual: text of another direction, numbers of all sizes, a base that a view's change tracks,
# an operand that one node saved twice, and a node whose saved tensors a hook looks at.
import torch

print("שלום, backward")
print("one\n\ntwo")
numbers = torch.tensor([12345.6, 1234.5, 0.00012345, -1e-20], requires_grad=True)
first = numbers[0] * 1
last = numbers[-1] * 1

base = torch.zeros(3)
view = base[0:1]
view.mul_(torch.ones(1, requires_grad=True))
with torch.no_grad():
    double = base * 2

x = torch.ones(2, requires_grad=True)
y = x * 1
z = y * y
y.add_(1)
try:
    z.sum().backward()
except RuntimeError:
    print("caught")

with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    s = x.sigmoid()
    t = torch.where(x > 0, s, x)
t.sum().backward()
mask = ~(x == 1) & (x >= 0.5)
best, where = torch.tensor([3.0, 1.0, 2.0], requires_grad=True).max(0)
best.backward()
