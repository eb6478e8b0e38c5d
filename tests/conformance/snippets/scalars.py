import numpy as np
print(np.float32(2.5) / torch.ones(2), np.int64(3) / torch.ones(2), np.bool_(True) / torch.ones(2))
t = torch.tensor([5., 7.], requires_grad=True)
r = t % np.float32(3); print(r); r.sum().backward(); print(t.grad)
print(torch.tensor(2.) % np.float32(2.5), torch.tensor(2.) - np.bool_(True), np.float32(2) - t, torch.tensor([2, 4]) + np.bool_(True))
# ---
import operator
import numpy as np
for s in (np.float32(2.5), np.float64(2.5), np.int64(3), np.bool_(True), np.float16(2.5), np.uint8(3)):
    for t in (torch.tensor([2., 4.], requires_grad=True), torch.tensor(2.), torch.tensor([2, 4]), torch.tensor([True, False])):
        for name in ("add", "sub", "mul", "truediv", "mod", "floordiv", "pow", "eq", "lt", "and_", "lshift", "isub", "imod", "ipow"):
            for left, right in ((t, s), (s, t)):
                try: print(name, getattr(operator, name)(left.clone() if name[0] == "i" and left is t else left, right))
                except (TypeError, RuntimeError) as e: print(name, type(e).__name__, str(e)[:200])
# ---
import numpy as np
print(torch.ones(2) == np.array([1., 2.]), torch.ones(2) != np.array([1., 2.]), np.array([1., 2.]) / torch.ones(2), torch.ones(2) % np.array([1., 2.]))
# ---
x = torch.tensor([5., 7.], requires_grad=True)
y = 12 % x; print(y)
y.sum().backward()
# ---
import operator
import numpy as np
x = torch.tensor([5., 7.], requires_grad=True)
for o in (None, "a", np.array([1., 2.]), True, [1]):
    for name in ("sub", "truediv", "mod", "pow", "and_", "or_", "lshift", "imod", "ipow"):
        for left, right in ((o, x.detach().clone()), (x.detach().clone(), o)):
            try: print(name, getattr(operator, name)(left, right))
            except (TypeError, RuntimeError, NotImplementedError) as e: print(name, type(e).__name__, str(e)[:100])
# ---
x = torch.tensor([5., 7.])
print(float('inf') // x, torch.tensor(float('inf')) // 2, float('-inf') // x, torch.tensor([float('inf')]) // torch.tensor([2.]), torch.tensor(5.) // float('-inf'), torch.tensor(-5.) // 0, torch.div(torch.tensor(float('inf')), 3, rounding_mode='floor'))
# ---
t = torch.tensor([2., 3.], requires_grad=True)
for y in (torch.xlogy(t, 2), torch.xlogy(2, t), torch.special.xlogy(t, 2.5), t.xlogy(t), t.clone().xlogy_(2)):
    t.grad = None; y.sum().backward(); print(y, t.grad)
# ---
for n in (2**63, 2**64, -2**63 - 1):
    for t in (torch.tensor([5., 7.]), torch.tensor([5, 7])):
        for name in ("add", "sub", "mul", "div", "pow", "gt", "eq", "remainder", "fmod", "floor_divide", "clamp", "clamp_min", "clamp_max", "fill_", "add_", "mul_", "rsub", "xlogy"):
            f = getattr(t.clone(), name, None)
            try: print(name, n, f(n) if f else getattr(torch, name)(t, n))
            except (OverflowError, RuntimeError) as e: print(name, n, type(e).__name__, str(e)[:200])
# ---
for t in (torch.ones(2), torch.ones(2, dtype=torch.uint8), torch.ones(2, dtype=torch.int8)):
    for f in (lambda: t.clamp(max=1e300), lambda: t.clamp(max=300), lambda: t.clamp(min=-1), lambda: t.clamp_max(300)):
        try: print(f())
        except RuntimeError as e: print(e)
# ---
x, y = torch.ones(2), torch.ones(2)
for f in (lambda: torch.add(x, y, alpha=True), lambda: x.add_(y, alpha=True), lambda: x.sub_(1, alpha=True), lambda: torch.sub(x, y, alpha=False), lambda: x.add(1, alpha=True), lambda: torch.add(x.bool(), y.bool(), alpha=True), lambda: x.bool().add_(True, alpha=True), lambda: torch.rsub(x, y, alpha=True), lambda: torch.add(x.long(), y.long(), alpha=1.5), lambda: torch.add(x, y, alpha=1j), lambda: torch.add(x.bool(), 2, alpha=True), lambda: x.long().add_(1, alpha=True), lambda: torch.rsub(x, 2, alpha=True), lambda: torch.rsub(x.long(), 2, alpha=1.5), lambda: torch.add(x, y, alpha=2**64)):
    try: print(f())
    except (OverflowError, RuntimeError) as e: print(type(e).__name__, e)
# ---
b = torch.tensor([True, False])
for f in (lambda: b + 2**63, lambda: b * 2**63, lambda: b + 2**62, lambda: b.add_(2**63)):
    try: print(f())
    except RuntimeError as e: print(e)
# ---
c = torch.tensor([1 + 1j, 2 - 2j])
for v in (float('nan'), float('inf'), 1., complex(float('inf'), 1)):
    print(c + v, v + c, c - v, v - c, c.clone().add_(v), c.clone().sub_(v), c.clone().add_(v, alpha=2), torch.sub(c, torch.tensor([v, v]), alpha=2))
# ---
t = torch.ones(0, requires_grad=True); m = t.median(); print(m); m.backward(); print(t.grad, torch.ones(0, dtype=torch.int64).median())
# ---
torch.index_select(torch.tensor(3.), 0, torch.tensor([0, 0]))
# ---
import torch.nn.functional as F
F.cross_entropy(torch.ones(2, 3), torch.tensor(0))
# ---
import torch.nn.functional as F
F.mse_loss(torch.ones(2), 2)
# ---
x, y = torch.tensor([2., 3.], requires_grad=True), torch.tensor([5., 7.], requires_grad=True)
r = x.__rmod__(y); print(r); r.sum().backward(); print(x.grad, y.grad)
