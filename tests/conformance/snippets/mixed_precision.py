s = torch.amp.GradScaler('cpu', init_scale=4., growth_interval=2)
w = torch.ones(2, requires_grad=True); opt = torch.optim.SGD([w], .1)
for i in range(5):
    opt.zero_grad(); l = (w * (float('inf') if i == 2 else 1.)).sum(); s.scale(l).backward(); print(w.grad); s.step(opt); s.update(); print(w, s.get_scale(), s._get_growth_tracker(), s.state_dict())
# ---
s = torch.amp.GradScaler(); w = torch.ones(2, requires_grad=True); opt = torch.optim.Adam([w]); l = w.sum(); print(s.scale(l) is l, s.is_enabled(), s.state_dict(), s.get_scale()); l.backward(); s.unscale_(opt); s.step(opt); s.update(); print(w)
# ---
s = torch.cuda.amp.GradScaler(); print(s.is_enabled())
# ---
s = torch.amp.GradScaler('cpu'); opt = torch.optim.SGD([torch.ones(1, requires_grad=True)], .1); s.step(opt)
# ---
s = torch.amp.GradScaler('cpu'); w = torch.ones(1, requires_grad=True); opt = torch.optim.SGD([w], .1); s.scale([w * 2, (w, w)]); s.scale(w.sum()).backward(); s.unscale_(opt); print(w.grad); torch.nn.utils.clip_grad_norm_([w], .5); s.step(opt); print(w); s.unscale_(opt)
# ---
s = torch.amp.GradScaler('cpu'); w = torch.ones(1, requires_grad=True); opt = torch.optim.SGD([w], .1); s.scale(w.sum()).backward(); s.unscale_(opt); s.unscale_(opt)
# ---
s = torch.amp.GradScaler('cpu'); s.update()
# ---
s = torch.amp.GradScaler('cpu', init_scale=8.); t = torch.amp.GradScaler('cpu'); t.load_state_dict(s.state_dict()); print(t.get_scale(), t.get_growth_factor(), t.get_backoff_factor(), t.get_growth_interval()); t.load_state_dict({})
# ---
torch.amp.GradScaler('cpu', growth_factor=.5)
# ---
from torch.profiler import profile, record_function, ProfilerActivity, schedule
with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as p:
    with record_function('x'): y = torch.ones(2) * 2
print(y); sch = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1); print([sch(i).name for i in range(12)])
@record_function('f')
def f(x): return x + 1
print(f(y))
# ---
import torch.distributed as dist
print(dist.is_initialized()); dist.get_rank()
# ---
with torch.autocast('cuda'): print(torch.ones(2) * 2, torch.is_autocast_enabled())
# ---
with torch.autocast('cpu', enabled=False): print(torch.ones(2, 2) @ torch.ones(2, 2), torch.is_autocast_enabled('cpu'), torch.get_autocast_dtype('cpu'))
# ---
from torch.cuda.amp import autocast, GradScaler
@autocast()
def f(x): return x + 1
print(f(torch.ones(1)))
# ---
torch.autocast(3)
# ---
with torch.autocast('cpu', dtype=torch.float32): print(torch.ones(1))
# ---
class F(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type='cuda', cast_inputs=torch.float32)
    def forward(ctx, x): return x * 2
    @staticmethod
    @torch.amp.custom_bwd(device_type='cuda')
    def backward(ctx, g): return g * 2
x = torch.ones(2, requires_grad=True); F.apply(x).sum().backward(); print(x.grad, torch.is_autocast_cache_enabled())
# ---
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(5, 3); y = torch.tensor([0, 1, 0, 1, 1])
for i in range(3):
    opt.zero_grad()
    with torch.autocast(device_type='cpu', dtype=torch.bfloat16):
        out = net(x); loss = F.cross_entropy(out, y)
    print(out.dtype, loss.dtype, loss, out.grad_fn, loss.grad_fn, loss.grad_fn.next_functions[0][0].next_functions)
    loss.backward(); print(net[0].weight.grad); opt.step()
# ---
scaler = torch.amp.GradScaler('cpu')
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.2), nn.Linear(36, 2)); opt = torch.optim.Adam(net.parameters())
x = torch.randn(4, 1, 8, 8); y = torch.tensor([0, 1, 0, 1])
for i in range(3):
    with torch.amp.autocast('cpu'):
        o = net(x); loss = nn.CrossEntropyLoss()(o, y); print([ (type(m).__name__) for m in net], o.dtype)
    opt.zero_grad(); scaler.scale(loss).backward(); scaler.unscale_(opt); n = nn.utils.clip_grad_norm_(net.parameters(), 1.0); scaler.step(opt); scaler.update(); print(round(loss.item(), 3), round(n.item(), 2), scaler.get_scale())
# ---
a = torch.randn(2, 3, requires_grad=True); b = torch.randn(3, 2)
with torch.autocast('cpu'):
    c = a @ b; d = torch.mm(a, b); e = a.matmul(b); f = torch.einsum('ij,jk->ik', a, b); g = c + a.sum(); print(c.dtype, d.dtype, e.dtype, f.dtype, g.dtype, c.grad_fn.next_functions, d.grad_fn.next_functions[0][0] is c.grad_fn.next_functions[0][0])
    with torch.autocast('cpu', enabled=False): print((a @ b).dtype, torch.mm(c.float(), b).dtype); print(attempt(lambda: c @ b))
    print((a.exp()).dtype, F.softmax(c, 1).dtype, F.layer_norm(c, (2,)).dtype, c.sum().dtype, torch.cat([c, a], 1).dtype, torch.stack([c, d]).dtype, c.double().mm(b.double()).dtype)
    o = torch.empty(2, 2); torch.mm(a.detach(), b, out=o); print(o.dtype); o.addmm_(a.detach(), b); print(o.dtype)
(c.float().sum() + d.float().sum()).backward(); print(a.grad, a.grad.dtype)
# ---
lstm, gru, rnn, mha, te = nn.LSTM(3, 4), nn.GRU(3, 4), nn.RNN(3, 4), nn.MultiheadAttention(4, 2), nn.TransformerEncoderLayer(4, 2, 8, dropout=0.)
cells = nn.LSTMCell(3, 4), nn.GRUCell(3, 4), nn.RNNCell(3, 4)
x = torch.randn(5, 2, 3); q = torch.randn(5, 2, 4)
with torch.autocast('cpu'):
    for m in (gru, rnn): o, h = m(x); print(type(m).__name__, o.dtype, (h[0] if isinstance(h, tuple) else h).dtype, o[-1, 0])
    for m in cells[1:]: o = attempt(lambda: m(x[0])); print(type(m).__name__, o if isinstance(o, str) else (o[0].dtype if isinstance(o, tuple) else o.dtype))
    o, w = mha(q, q, q); print(o.dtype, w.dtype); o, w = mha(q, q, q, need_weights=False); print(o.dtype); print(te(q).dtype, te(q)[0, 0]); te.eval(); print(te(q).dtype)
    emb = nn.Embedding(5, 4); print(emb(torch.tensor([1, 2])).dtype, nn.Linear(4, 2)(emb(torch.tensor([1]))).dtype, nn.Bilinear(2, 2, 1)(torch.ones(1, 2), torch.ones(1, 2)).dtype, nn.PReLU()(torch.ones(2)).dtype, nn.GELU()(torch.ones(2).bfloat16()).dtype)
# ---
p = torch.tensor([0.3, 0.7]).bfloat16(); t = torch.tensor([0., 1.])
with torch.autocast('cpu'):
    for f in [lambda: F.binary_cross_entropy(p, t), lambda: F.binary_cross_entropy_with_logits(p, t), lambda: F.mse_loss(p, t), lambda: F.l1_loss(p, t), lambda: F.smooth_l1_loss(p, t), lambda: F.huber_loss(p, t), lambda: F.kl_div(p, t), lambda: F.nll_loss(p[None], torch.tensor([1])), lambda: F.gaussian_nll_loss(p, t, torch.ones(2)), lambda: F.cosine_similarity(p, t.bfloat16(), dim=0), lambda: F.poisson_nll_loss(p, t), lambda: F.hinge_embedding_loss(p, t), lambda: F.triplet_margin_loss(p[None], t[None], t[None]), lambda: F.cosine_embedding_loss(p[None], t[None], torch.ones(1)), lambda: F.pad(p[None], (1, 1), mode='reflect'), lambda: F.pad(p[None], (1, 1)), lambda: F.pad(p[None], (1, 1), 'replicate'), lambda: torch.prod(p), lambda: p.prod(), lambda: torch.trace(p[None].T @ p[None]), lambda: torch.linalg.inv(torch.eye(2).bfloat16()), lambda: torch.linalg.svd(torch.eye(2).bfloat16())[1], lambda: torch.fft.fft(p), lambda: torch.quantile(p, 0.5), lambda: torch.cdist(p[None], t[None]), lambda: p.norm(), lambda: torch.linalg.norm(p), lambda: torch.dot(p, p), lambda: torch.mv(torch.ones(2, 2), torch.ones(2)), lambda: torch.outer(p, p), lambda: torch.linalg.vecdot(t, t), lambda: torch.linalg.multi_dot([torch.ones(2, 2)]*3), lambda: torch.tensordot(torch.ones(2, 2), torch.ones(2, 2)), lambda: torch.cov(torch.ones(2, 2)), lambda: F.grid_sample(torch.ones(1, 1, 2, 2).bfloat16(), torch.zeros(1, 1, 1, 2)), lambda: F.avg_pool2d(torch.ones(1, 2, 2).bfloat16(), 2), lambda: F.avg_pool3d(torch.ones(1, 2, 2, 2).bfloat16(), 2), lambda: F.max_pool3d(torch.ones(1, 2, 2, 2).bfloat16(), 2), lambda: F.interpolate(torch.ones(1, 1, 2, 2).bfloat16(), scale_factor=2.), lambda: F.scaled_dot_product_attention(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2)), lambda: torch.baddbmm(torch.ones(1, 2, 2), torch.ones(1, 2, 2), torch.ones(1, 2, 2)), lambda: torch.ones(2, 2) @ torch.ones(2), lambda: torch.ones(2) @ torch.ones(2), lambda: F.conv1d(torch.ones(1, 1, 3), torch.ones(1, 1, 2)), lambda: F.conv_transpose2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2)), lambda: torch.index_copy(p, 0, torch.tensor([0]), t[:1]), lambda: torch.matrix_power(torch.eye(2), 3), lambda: torch.chain_matmul(torch.eye(2), torch.eye(2)), lambda: torch.addmv(torch.ones(2), torch.ones(2, 2), torch.ones(2)), lambda: F.embedding(torch.tensor([0]), torch.ones(2, 2)), lambda: F.linear(torch.ones(2, dtype=torch.long), torch.ones(2, 2, dtype=torch.long)), lambda: F.linear(torch.ones(2).double(), torch.ones(2, 2).double()), lambda: torch.view_as_complex(torch.ones(2, 2).bfloat16()), lambda: torch.polar(p, p), lambda: torch.stft(torch.ones(8).bfloat16(), 4, return_complex=True)]:
        r = attempt(f); print(r if isinstance(r, str) else r.dtype)
# ---
with torch.autocast('cpu', dtype=torch.float16): print((torch.ones(2, 2) @ torch.ones(2, 2)).dtype, torch.get_autocast_dtype('cpu'), torch.is_autocast_enabled('cpu'), torch.is_autocast_cpu_enabled(), torch.get_autocast_cpu_dtype())
print(torch.is_autocast_enabled('cpu'), (torch.ones(2, 2) @ torch.ones(2, 2)).dtype)
@torch.autocast('cpu')
def f(a): return a @ a
print(f(torch.eye(2)).dtype, f.__name__)
torch.set_autocast_enabled('cpu', True); print(torch.mm(torch.eye(2), torch.eye(2)).dtype); torch.set_autocast_enabled('cpu', False)
with torch.autocast('cpu', cache_enabled=False):
    w = torch.ones(2, 2, requires_grad=True); a = w @ w; print(a.grad_fn.next_functions); a.sum().backward(); print(w.grad)
with torch.autocast('cpu'):
    w = torch.ones(2, 2, requires_grad=True); a = w @ w; print(a.grad_fn.next_functions); a.sum().backward(); print(w.grad)
# ---
from torch.utils.checkpoint import checkpoint
lin = nn.Linear(3, 3); x = torch.randn(2, 3, requires_grad=True)
for r in (True, False):
    with torch.autocast('cpu'): y = checkpoint(lin, x, use_reentrant=r)
    print(y.dtype); y.float().sum().backward(); print(x.grad, lin.weight.grad); x.grad = None; lin.zero_grad()
class Fn(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type='cpu', cast_inputs=torch.float32)
    def forward(ctx, a): print(a.dtype, torch.is_autocast_enabled('cpu')); ctx.save_for_backward(a); return a * 2
    @staticmethod
    @torch.amp.custom_bwd(device_type='cpu')
    def backward(ctx, g): print(g.dtype, torch.is_autocast_enabled('cpu')); return g * 2
with torch.autocast('cpu'): y = Fn.apply(lin(x)); print(y.dtype)
y.sum().backward()
# ---
print(torch.is_autocast_cpu_enabled(), torch.get_autocast_cpu_dtype(), torch.get_autocast_gpu_dtype())
torch.set_autocast_cpu_dtype(torch.float16); print(torch.get_autocast_dtype('cpu')); torch.set_autocast_cpu_dtype(torch.bfloat16)
torch.set_autocast_gpu_dtype(torch.bfloat16); print(torch.get_autocast_dtype('cuda')); torch.set_autocast_gpu_dtype(torch.float16)
torch.set_autocast_cpu_enabled(True); print(torch.mm(torch.ones(1, 1), torch.ones(1, 1)), torch.is_autocast_enabled('cpu'), torch.is_autocast_enabled()); torch.set_autocast_cpu_enabled(False)
torch.set_autocast_enabled('cpu', True); print(torch.mm(torch.ones(1, 1), torch.ones(1, 1))); torch.set_autocast_enabled('cpu', False)
print(torch.autocast_increment_nesting(), torch.autocast_decrement_nesting())
