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
