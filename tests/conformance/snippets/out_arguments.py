x = torch.arange(6.).reshape(2, 3)
for f in [lambda o: torch.matmul(x, x.T, out=o), lambda o: torch.sum(x, 0, out=o), lambda o: torch.exp(x, out=o), lambda o: torch.abs(x, out=o), lambda o: torch.cat([x, x], out=o), lambda o: torch.stack([x, x], out=o), lambda o: torch.cumsum(x, 0, out=o), lambda o: torch.cumprod(x, 0, out=o), lambda o: torch.mean(x, 1, out=o), lambda o: torch.norm(x, dim=1, out=o)]:
    for o in (torch.empty(0), torch.empty(2, 3), torch.empty(0, dtype=torch.float64), torch.empty(0, dtype=torch.int64), torch.empty(0, dtype=torch.bool)): print(attempt(lambda: f(o)))
# ---
for f in [lambda o: torch.zeros(2, out=o), lambda o: torch.ones(2, 2, out=o), lambda o: torch.full((2,), 3., out=o), lambda o: torch.linspace(0, 1, 3, out=o), lambda o: torch.eye(2, out=o), lambda o: torch.zeros(2, dtype=torch.float32, out=o), lambda o: torch.rand(2, out=o), lambda o: torch.randperm(3, out=o), lambda o: torch.ones(1, out=3)]:
    for o in (torch.empty(0), torch.empty(2, 3), torch.empty(0, dtype=torch.float64), torch.empty(0, dtype=torch.int64)): print(attempt(lambda: f(o)))
# ---
x = torch.arange(6.).reshape(2, 3)
for f in [lambda o: torch.where(x > 2, x, -x, out=o), lambda o: torch.amax(x, 0, out=o), lambda o: torch.scatter_add(x, 0, torch.zeros(1, 3).long(), x, out=o), lambda o: torch.index_copy(x, 0, torch.tensor([0]), x[:1], out=o), lambda o: torch.log_softmax(x, 0, out=o), lambda o: F.linear(x, x, out=o), lambda o: F.gelu(x, out=o), lambda o: torch.fft.fft(x, out=o), lambda o: torch.fft.irfft2(x, out=o), lambda o: torch.linalg.inv(torch.eye(2), out=o), lambda o: torch.linalg.norm(x, out=o), lambda o: torch.special.xlog1py(x, x, out=o), lambda o: torch.all(x > 1, dim=0, out=o), lambda o: torch.nonzero(x, out=o), lambda o: torch.nansum(x, out=o), lambda o: torch.dot(x[0], x[0], out=o), lambda o: torch.quantile(x, 0.5, out=o), lambda o: torch.isin(x, x[0], out=o), lambda o: torch.signbit(x, out=o), lambda o: torch.float_power(x, 2, out=o), lambda o: torch.unsqueeze_copy(x, 0, out=o), lambda o: torch.linalg.cond(torch.eye(2), out=o), lambda o: torch.linalg.multi_dot([x, x.T, x], out=o), lambda o: torch.searchsorted(x[0], x[0], out=o)]:
    for o in (torch.empty(0), torch.empty(0, dtype=torch.float64), torch.empty(0, dtype=torch.int64), torch.empty(0, dtype=torch.complex64)): print(attempt(lambda: f(o)))
# ---
x = torch.arange(6.).reshape(2, 3)
for f in [lambda *o: torch.max(x, 0, out=o), lambda *o: torch.sort(x, out=o), lambda *o: torch.cummax(x, 0, out=o), lambda *o: torch.linalg.qr(x, out=o), lambda *o: torch.linalg.slogdet(torch.eye(2), out=o)]:
    for o in ((torch.empty(0), torch.empty(0).long()), (torch.empty(2, 2), torch.empty(2, 2).long()), (torch.empty(0),), (torch.empty(0, dtype=torch.float64), torch.empty(0).long())): print(attempt(lambda: f(*o)))
# ---
a = torch.ones(2, requires_grad=True)
for f in [lambda: torch.add(a, 1, out=torch.empty(2)), lambda: torch.max(a, 0, out=(torch.empty(()), torch.empty(()).long())), lambda: torch.mul(a.detach(), 2, out=a)]: print(attempt(f))
with torch.no_grad(): print(torch.mul(a, 3, out=a), a.grad_fn)
