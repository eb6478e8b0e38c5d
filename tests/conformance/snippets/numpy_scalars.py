import numpy as np
a = torch.ones(2, requires_grad=True)
for f in (lambda: a * np.float64(2), lambda: np.float64(2) * a, lambda: a / np.float64(2), lambda: np.float64(2) - a, lambda: a - np.float64(1), lambda: a ** np.float64(2), lambda: torch.pow(a, np.float64(2)), lambda: a + np.int64(1), lambda: a * np.float32(3), lambda: a.clamp(np.float64(0)), lambda: a.sum() - np.float64(2), lambda: torch.add(a, 1, alpha=np.float64(2)), lambda: torch.lerp(a, a, np.float64(.5)), lambda: torch.addcmul(a, a, a, value=np.float64(2)), lambda: a.sum(np.int64(0)), lambda: a.mean(np.int64(0)), lambda: a.roll(np.int64(1)), lambda: torch.softmax(a, np.int64(0))):
    a.grad = None; y = f(); y.sum().backward(); print(y, a.grad, a.grad.dtype)
print(torch.arange(np.int64(3)), torch.tensor([np.float64(1), 2.]).dtype, torch.tensor([np.float32(1), 2.]).dtype, torch.tensor([np.int32(1)]).dtype, torch.tensor([[np.float64(1)], [2.]]).dtype, torch.tensor([True, np.int8(2)]).dtype, torch.randint(np.int64(0), np.int64(5), (np.int64(3),)))
# ---
t = torch.tensor([2., 4.], requires_grad=True)
for n in 'add sub mul div true_divide floor_divide pow subtract multiply divide float_power'.split(): print(n, getattr(torch, n)(1., t))
# ---
torch.maximum(1., torch.ones(2))
# ---
t = torch.ones(2, requires_grad=True)
print(torch.full_like(t, 2, memory_format=torch.preserve_format), torch.randint_like(t, high=2), torch.randint_like(t, low=1, high=3), torch.randint_like(t, 5, memory_format=torch.preserve_format), torch.linspace(0, 1, torch.tensor(3)))
# ---
'x' in torch.ones(2)
# ---
1 in torch.ones(2), torch.tensor(3) in torch.arange(3), 2.5 in torch.arange(3)
