x = torch.tensor([0., 4.], requires_grad=True)
with torch.autograd.set_detect_anomaly(True): (x.sqrt() * torch.tensor([0., 1.])).sum().backward()
# ---
x = torch.tensor([0.], requires_grad=True); y = x.sqrt() * 0
with torch.autograd.detect_anomaly(): y.sum().backward()
# ---
with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([1., 2.], requires_grad=True); y = x * 2; print(sorted(y.grad_fn.metadata), y.grad_fn.metadata['traceback_'][-1].splitlines()[-1], sorted(y.grad_fn.next_functions[0][0].metadata))
(x * 2).grad_fn.metadata
# ---
with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([2.], requires_grad=True); g, = torch.autograd.grad(x ** 3, x, create_graph=True); h, = torch.autograd.grad(g, x, create_graph=True)
print(g.grad_fn, g.grad_fn.metadata['parent_'], h.grad_fn, h.grad_fn.metadata['parent_'], sorted(h.grad_fn.metadata['parent_'].metadata))
# ---
x = torch.tensor([2.], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = x * 2; y.register_hook(lambda g: 1 / 0); y.backward()
# ---
with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([2.], requires_grad=True); y = x * 2; x.register_hook(lambda g: 1 / 0); y.backward()
# ---
with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([2.], requires_grad=True); x.register_hook(lambda g: g * float('nan')); (x * 2).backward(); print(x.grad)
    y = x * 2; y.register_hook(lambda g: g * float('nan')); y.backward()
# ---
with torch.autograd.set_detect_anomaly(True):
    a = torch.tensor([1.], requires_grad=True); b = torch.tensor([float('inf')], requires_grad=True); (a * b).backward(torch.tensor([0.]))
# ---
with torch.autograd.set_detect_anomaly(True):
    a = torch.tensor([1.], requires_grad=True); b = torch.tensor([0.], requires_grad=True); c = a + b; (c * (b / b)).backward()
# ---
with torch.autograd.set_detect_anomaly(True):
    a = torch.tensor([float('nan')], requires_grad=True); (a * 2).backward(); print(a.grad); (a * a).backward()
# ---
with torch.autograd.set_detect_anomaly(True):
    a = torch.tensor([1.], requires_grad=True); b = a * 2; v = b[:]; v.mul_(3); s = b.sum(); s.backward(); s.backward()
# ---
with torch.autograd.set_detect_anomaly(True):
    x = torch.ones(2, requires_grad=True); y = x * 2; z = y * y; y.add_(1); z.sum().backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b): return a.clone(), b.clone()
    @staticmethod
    def backward(ctx, g, h): return g, h * float('nan')
with torch.autograd.set_detect_anomaly(True):
    a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True); p, q = F.apply(a, b); (p + q).backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a.clone()
    @staticmethod
    def backward(ctx, g): raise RuntimeError('Some error in backward')
with torch.autograd.set_detect_anomaly(True): F.apply(torch.ones(1, requires_grad=True)).backward()
# ---
torch.autograd.set_detect_anomaly(True); a = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled(); torch.autograd.set_detect_anomaly(False, False); b = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled(); torch.set_anomaly_enabled(False); a, b, torch.is_anomaly_check_nan_enabled()
# ---
with torch.autograd.set_detect_anomaly(True):
    with torch.autograd.set_detect_anomaly(False): print(torch.is_anomaly_enabled())
    print(torch.is_anomaly_enabled())
    try:
        with torch.autograd.detect_anomaly(False): print(torch.is_anomaly_check_nan_enabled()); raise ValueError
    except ValueError: print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
torch.is_anomaly_enabled()
# ---
torch.autograd.set_detect_anomaly(1)
# ---
torch.set_anomaly_enabled(True, 1)
# ---
torch.autograd.detect_anomaly.__module__, torch.autograd.anomaly_mode.set_detect_anomaly is torch.autograd.set_detect_anomaly
# ---
with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([0.], requires_grad=True); torch.autograd.grad(x.sqrt() * 0, x)
# ---
with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([0.], requires_grad=True); torch.autograd.grad(x.sqrt() * 0, x, create_graph=True)
# ---
x = torch.tensor([0., 0.], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    n = torch.linalg.vector_norm(x); n.backward(); print(x.grad); (x / x.norm()).sum().backward()
# ---
x = torch.zeros(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True): torch.log_softmax(x / 0, 0).sum().backward()
# ---
from torch.utils.checkpoint import checkpoint
x = torch.zeros(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True): (checkpoint(lambda a: a.sqrt().exp(), x, use_reentrant=False) * 0).sum().backward()
