x = torch.ones(2, requires_grad=True)
with torch.no_grad(): y = x * 2; print(torch.is_grad_enabled())
y.requires_grad, torch.is_grad_enabled()
# ---
x = torch.ones(2, requires_grad=True)
@torch.no_grad()
def f(a): return a * 2
f(x).requires_grad, f.__name__
# ---
x = torch.ones(2, requires_grad=True)
@torch.no_grad
def f(a): return a * 2
f(x).requires_grad
# ---
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    with torch.enable_grad(): y = x * 2
    z = x * 2
y.requires_grad, z.requires_grad
# ---
x = torch.ones(2, requires_grad=True)
with torch.set_grad_enabled(False): y = x * 2
y.requires_grad, torch.is_grad_enabled()
# ---
torch.set_grad_enabled(False); x = torch.ones(2, requires_grad=True); (x * 2).requires_grad, torch.is_grad_enabled()
# ---
@torch.no_grad()
def gen():
    for i in range(2):
        print(torch.is_grad_enabled()); yield i
for i in gen(): print(i, torch.is_grad_enabled())
# ---
@torch.no_grad()
class A:
    def f(self): return torch.is_grad_enabled()
A().f()
# ---
try:
    with torch.no_grad(): raise ValueError
except ValueError: pass
torch.is_grad_enabled()
# ---
torch.set_grad_enabled('a')
# ---
with torch.inference_mode(): x = torch.ones(2); y = x * 2
x.is_inference(), y.is_inference(), x.requires_grad, torch.is_inference_mode_enabled()
# ---
with torch.inference_mode(): x = torch.ones(2)
w = torch.ones(2, requires_grad=True); (x * w).sum().backward()
# ---
with torch.inference_mode(): x = torch.ones(2)
w = torch.ones(2, requires_grad=True); y = x + w; y.sum().backward(); w.grad
# ---
with torch.inference_mode(): x = torch.ones(2)
x._version
# ---
with torch.inference_mode(): x = torch.ones(2)
x.add_(1)
# ---
with torch.inference_mode(): x = torch.ones(2)
x.requires_grad_()
# ---
with torch.inference_mode(): x = torch.ones(2, requires_grad=True); print(x.requires_grad); y = x * 2
y.requires_grad
# ---
with torch.inference_mode(): x = torch.ones(2)
y = x.clone(); y.is_inference(), y.requires_grad_().requires_grad
# ---
x = torch.ones(2, requires_grad=True)
with torch.inference_mode(): y = x * 2; v = x[0]; print(v.is_inference(), y.is_inference()); x.is_inference()
# ---
x = torch.ones(2)
with torch.inference_mode(): x.add_(1); v = x.view(2); v.mul_(2)
x, x._version, v.is_inference()
# ---
x = torch.ones(2, requires_grad=True)
with torch.inference_mode(): x.add_(1)
x, x._version
# ---
x = torch.ones(2, requires_grad=True); y = x * x
with torch.inference_mode(): x.add_(1)
y.sum().backward()
# ---
x = torch.ones(2, requires_grad=True)
with torch.inference_mode(False): y = x * 2
y.requires_grad
# ---
with torch.inference_mode():
    with torch.inference_mode(False): x = torch.ones(2, requires_grad=True); y = x * 2; print(y.requires_grad, x.is_inference())
    with torch.enable_grad(): z = x * 2; print(z.requires_grad, torch.is_grad_enabled())
# ---
@torch.inference_mode()
def f(): return torch.ones(2)
f().is_inference()
# ---
@torch.inference_mode
def f(): return torch.ones(2)
f().is_inference()
# ---
with torch.inference_mode(): x = torch.ones(2)
v = x.view(2); v.is_inference(), v
# ---
with torch.inference_mode(): x = torch.ones(4)
x[0] = 3
# ---
with torch.inference_mode(): x = torch.ones(4)
w = torch.ones(4, requires_grad=True); torch.autograd.grad((w.exp() * x).sum(), w)
# ---
x = torch.ones(2, requires_grad=True)
with torch.inference_mode(): (x * 2).sum().backward()
# ---
p = torch.ones(2, requires_grad=True); s = (p * 2).sum()
with torch.inference_mode(): s.backward()
p.grad
# ---
x = torch.ones(2, requires_grad=True); y = (x * 2).sum()
with torch.no_grad(): y.backward()
x.grad
# ---
x = torch.ones(2, requires_grad=True); y = (x * x).sum()
with torch.no_grad(): g, = torch.autograd.grad(y, x, create_graph=True)
g.requires_grad
# ---
import threading
r = []
with torch.no_grad():
    t = threading.Thread(target=lambda: r.append(torch.is_grad_enabled())); t.start(); t.join()
r
# ---
x = torch.nn.Linear(2, 2); x.requires_grad_(False); [p.requires_grad for p in x.parameters()]
# ---
with torch.autograd.grad_mode.no_grad(): print(torch.is_grad_enabled())
with torch.autograd.no_grad(): print(torch.is_grad_enabled())
with torch.autograd.set_grad_enabled(True): print(torch.is_grad_enabled())
# ---
torch.no_grad().clone() is not None, torch.inference_mode, torch.is_inference(torch.ones(2))
# ---
with torch.autograd.detect_anomaly():
    x = torch.tensor([-1.], requires_grad=True); y = x.sqrt(); y.backward()
# ---
with torch.autograd.detect_anomaly():
    x = torch.tensor([0.], requires_grad=True); y = (x.sqrt() * 0).sum(); y.backward()
# ---
with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([0.], requires_grad=True); y = (x / 0 * 0).sum(); y.backward()
# ---
torch.autograd.set_detect_anomaly(True); print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()); torch.autograd.set_detect_anomaly(False); torch.is_anomaly_enabled()
# ---
torch.autograd.set_detect_anomaly(True, check_nan=False); torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
# ---
with torch.autograd.detect_anomaly(check_nan=False):
    x = torch.tensor([0.], requires_grad=True); y = (x.sqrt() * 0).sum(); y.backward(); print(x.grad)
# ---
with torch.autograd.detect_anomaly():
    x = torch.ones(2, requires_grad=True); y = x.exp(); y += 1; y.sum().backward()
# ---
with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([0.], requires_grad=True); y = x.pow(1.5).sum(); g, = torch.autograd.grad(y, x, create_graph=True); h, = torch.autograd.grad(g, x, create_graph=True); print(h); h.backward()
# ---
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * float('nan')
with torch.autograd.detect_anomaly():
    x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward()
# ---
with torch.autograd.set_detect_anomaly(True):
    x = torch.ones(2, requires_grad=True); f = (x * 2).grad_fn; print('traceback_' in f.metadata, type(f.metadata.get('traceback_')))
# ---
with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([[1., 1.]], requires_grad=True); w = torch.tensor([[0.], [0.]], requires_grad=True); y = (x / w.t()).sum() * 0; y.backward()
# ---
torch.autograd.set_detect_anomaly('a')
