x = torch.tensor([-1., 0., 1.], requires_grad=True)
for f in (torch.abs, torch.relu, torch.sign, lambda t: t.clamp(0, 1), lambda t: t.clamp(min=0), torch.nn.functional.elu, torch.nn.functional.hardtanh, torch.nn.functional.relu6, torch.nn.functional.leaky_relu, torch.nn.functional.softshrink, torch.nn.functional.hardswish, torch.nn.functional.hardsigmoid, lambda t: torch.maximum(t, torch.zeros(3)), lambda t: torch.fmax(t, torch.zeros(3)), lambda t: t.pow(2), lambda t: t.abs().sqrt(), lambda t: t.norm(), lambda t: t.max(), lambda t: t.prod(), torch.nn.functional.gelu, torch.nn.functional.silu, torch.sinc, torch.nn.functional.huber_loss.__class__ and (lambda t: torch.nn.functional.huber_loss(t, torch.zeros(3))), lambda t: torch.nn.functional.smooth_l1_loss(t, torch.zeros(3)), lambda t: torch.nn.functional.l1_loss(t, torch.zeros(3))):
    print(torch.autograd.grad(f(x).sum(), x))
# ---
x = torch.tensor([1., 1., 0.], requires_grad=True)
for f in (torch.max, torch.min, torch.amax, torch.median, lambda t: t.max(0)[0], lambda t: t.median(0)[0], lambda t: t.topk(1)[0], lambda t: t.sort()[0][0], lambda t: t.cummax(0)[0], lambda t: t.mode()[0], lambda t: t.kthvalue(2)[0], lambda t: torch.nanmedian(t), lambda t: t.quantile(0.5), lambda t: t.amin(), lambda t: t.aminmax()[1]): print(torch.autograd.grad(f(x).sum(), x))
# ---
x = torch.tensor([float('nan'), 1., float('inf')], requires_grad=True)
for f in (torch.relu, torch.max, torch.abs, lambda t: t.clamp(0, 2), lambda t: torch.nan_to_num(t), lambda t: t.nansum(), torch.sigmoid, lambda t: torch.where(torch.isnan(t), torch.zeros(3), t), lambda t: t.softmax(0), torch.exp, lambda t: t * 0): print(torch.autograd.grad(f(x).sum(), x), f(x))
# ---
x = torch.tensor([0., 0.], requires_grad=True)
for f in (torch.norm, lambda t: t.pow(0.5), lambda t: t ** 0, lambda t: 0 ** t, lambda t: t.log(), lambda t: torch.xlogy(t, t), lambda t: t.sqrt(), lambda t: t / t, lambda t: torch.atan2(t, t), lambda t: t.std(), lambda t: t.prod(), lambda t: torch.logsumexp(t - float('inf'), 0), lambda t: torch.cdist(t[None], t[None]), lambda t: torch.nn.functional.normalize(t, dim=0), lambda t: torch.nn.functional.cosine_similarity(t, t, dim=0), lambda t: t.norm(1), lambda t: t.norm(float('inf')), lambda t: torch.linalg.norm(t, 3)): print(torch.autograd.grad(f(x).sum(), x))
# ---
z = torch.tensor([1 + 2j], requires_grad=True)
for f in (lambda t: t.abs(), lambda t: t.real, lambda t: t.imag, lambda t: t.angle(), lambda t: (t * t.conj()).real, lambda t: (t ** 2).real, lambda t: t.exp().real, lambda t: (t / (1 + 1j)).abs(), lambda t: torch.view_as_real(t).sum(), lambda t: t.sin().abs(), lambda t: t.log().imag, lambda t: t.sqrt().abs(), lambda t: (t * 2).abs() ** 2): print(torch.autograd.grad(f(z).sum(), z))
# ---
z = torch.tensor([1 + 2j]); c = z.conj(); print(c, c.is_conj(), c.resolve_conj().is_conj(), z.is_conj(), c._is_view() if hasattr(c, '_is_view') else None, z.mH.shape if z.ndim > 1 else None)
# ---
z = torch.tensor([1 + 2j]); z.conj().imag.is_neg(), z.conj().imag, torch.is_complex(z), z.is_complex(), z.real.dtype, torch.polar(torch.tensor(1.), torch.tensor(0.)), torch.complex(torch.tensor(1.), torch.tensor(2.))
# ---
z = torch.tensor([1 + 2j], requires_grad=True); z.conj().grad_fn, z.real.grad_fn, z.abs().grad_fn, z.angle().grad_fn, torch.view_as_real(z).grad_fn
# ---
z = torch.tensor([1 + 2j, 3.], requires_grad=True); (z.real ** 2).sum().backward(); z.grad, z.grad.dtype
# ---
z = torch.tensor([1 + 2j]); z > 1
# ---
z = torch.tensor([1 + 2j]); z.max()
# ---
z = torch.tensor([1 + 2j]); z.float()
# ---
float(torch.tensor(1 + 2j))
# ---
torch.tensor(1.5).bfloat16() * 3, torch.tensor([1e5]).half(), torch.tensor([0.1]).bfloat16(), torch.tensor([0.1]).half() + torch.tensor([0.2]).half(), (torch.arange(5).half() / 3), torch.arange(5).bfloat16().sum(), torch.arange(300).half().sum(), torch.ones(300).bfloat16().cumsum(0)[-1]
# ---
[(a, b, torch.promote_types(a, b)) for a in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128, torch.bool) for b in (torch.uint8, torch.int8, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.complex64, torch.bool)]
# ---
torch.result_type(torch.tensor([1]), 1.5), torch.result_type(torch.tensor([1.]), torch.tensor(1.5, dtype=torch.float64)), torch.can_cast(torch.float64, torch.int32), torch.finfo(torch.float32), torch.iinfo(torch.int8), torch.finfo(torch.bfloat16).eps, torch.float32.is_floating_point, torch.float32.itemsize, torch.int8.is_signed
# ---
import numpy as np
x = torch.ones(3); x + np.float32(2), np.float64(2) * x, x * np.ones(3, dtype=np.float32), np.ones(3) + x, x + np.array(2.)
# ---
import numpy as np
x = torch.ones(3, requires_grad=True); y = np.float64(3) * x; y, type(y)
# ---
import numpy as np
x = torch.ones(3); n = x.numpy(); n[0] = 5; print(x); a = np.zeros(3); t = torch.from_numpy(a); t[1] = 2; print(a); b = torch.as_tensor(a); b is t; c = torch.tensor(a); c[0] = 9; print(a, np.sin(x), np.add(x, 1))
# ---
x = torch.tensor([[1, 2], [3, 4]]); x.tolist(), x.numpy(), x[0, 1].item(), x.shape, x.size(), x.size(0), x.dim(), x.numel(), x.nelement(), x.element_size(), x.stride(), x.is_contiguous(), x.storage_offset(), x.dtype, x.device, x.layout, x.ndim, x.nbytes, x.itemsize, x.is_floating_point(), x.is_cuda, x.is_sparse
# ---
x = torch.arange(24).view(2, 3, 4); x[1], x[..., 1], x[:, 1:, ::2], x[0, [0, 2]], x[x > 20], x[None, 0, 0], x[torch.tensor([0, 1]), torch.tensor([0, 1])], x[:, torch.tensor([True, False, True])].shape, x[-1, -1, -1], x[::2]
# ---
print(torch.arange(2000.)); print(torch.randn(3, 3, 3) * 0 + 1e-8); print(torch.tensor([1e10, 1.])); print(torch.tensor([1., float('nan'), float('inf')])); print(torch.tensor([True, False])); print(torch.tensor([])); print(torch.zeros(2, 0)); print(torch.tensor([1 + 2j, 3.5])); print(torch.tensor(1e-20)); print(torch.tensor([[1, -20], [300, 4]])); print(torch.zeros(100, 100)); print(torch.tensor([0.5], dtype=torch.float16)); print(torch.Size([2, 3]))
# ---
torch.set_printoptions(precision=2, sci_mode=False); print(torch.tensor([1.23456, 1e-5])); torch.set_printoptions(threshold=3, edgeitems=1); print(torch.arange(10)); torch.set_printoptions(linewidth=20); print(torch.arange(30)); torch.set_printoptions(profile='full'); print(torch.arange(30)); torch.set_printoptions(profile='default')
# ---
x = torch.ones(2, requires_grad=True); print(x, x * 2, x.detach(), x.sum(), x[0], x.view(1, 2), (x * 2).view(1, 2), x.double(), torch.nn.Parameter(x)); print(repr(x * 2), [x, x * 2], {'a': x.sum()})
# ---
x = torch.empty(2, 3, device='meta'); y = x @ x.t(); y, y.shape, (x + 1).device, x.sum(), x.view(6).shape
# ---
x = torch.empty(2, device='meta'); x.item() if False else x.tolist()
# ---
x = torch.empty(2, device='meta', requires_grad=True); (x * 2).sum().backward(); x.grad
# ---
torch.ones(2, device='meta') + torch.ones(2)
# ---
torch.device('cpu') == torch.device('cpu', 0), torch.device('cpu').type, torch.device('cuda:1').index, str(torch.device('cuda:1')), repr(torch.device('meta'))
# ---
torch.zeros(2).cuda()
# ---
torch.zeros(2).to('cuda:0')
# ---
torch.nn.Linear(2, 2).cuda()
# ---
torch.cuda.synchronize()
# ---
torch.manual_seed(3); torch.rand(3), torch.randn(3), torch.randn(20), torch.randint(0, 10, (5,)), torch.randperm(6), torch.normal(0., 1., (3,)), torch.normal(torch.zeros(2), torch.ones(2)), torch.empty(3).uniform_(-1, 1), torch.bernoulli(torch.full((5,), 0.5)), torch.empty(3).normal_(), torch.multinomial(torch.tensor([.1, .2, .7]), 4, True), torch.rand(2, dtype=torch.float64), torch.empty(3).exponential_(), torch.randn(2, 2, dtype=torch.float64), torch.randint_like(torch.ones(3), 5), torch.rand_like(torch.ones(3)), torch.nn.functional.dropout(torch.ones(6)), torch.empty(4).random_(10), torch.empty(3).bernoulli_(0.3), torch.randn(3, dtype=torch.complex64)
# ---
g = torch.Generator().manual_seed(5); a = torch.rand(2, generator=g); s = g.get_state(); b = torch.rand(2, generator=g); g.set_state(s); c = torch.rand(2, generator=g); a, b, c, g.initial_seed(), torch.initial_seed()
# ---
s = torch.get_rng_state(); a = torch.rand(2); torch.set_rng_state(s); b = torch.rand(2); torch.equal(a, b), s.dtype, s.shape
# ---
with torch.random.fork_rng(): a = torch.rand(2)
torch.equal(a, torch.rand(2))
# ---
m = torch.nn.Linear(3, 2); m.weight, m.bias
# ---
m = torch.nn.Conv2d(1, 2, 3); m.weight.sum(), m.bias
# ---
m = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Dropout(0.2), torch.nn.Embedding(3, 2)); m, m.state_dict()
# ---
w = torch.empty(3, 4); i = torch.nn.init; [f(w).sum() for f in (i.xavier_uniform_, i.xavier_normal_, i.kaiming_uniform_, i.kaiming_normal_, i.orthogonal_, i.trunc_normal_, i.uniform_, i.normal_, i.eye_, i.ones_)], i.calculate_gain('relu'), i.sparse_(w, 0.5)
# ---
class M(torch.nn.Module):
    def __init__(self): self.a = torch.nn.Parameter(torch.ones(1))
M()
# ---
class M(torch.nn.Module):
    def __init__(self): super().__init__(); self.a = torch.nn.Parameter(torch.ones(1)); self.register_buffer('b', torch.zeros(1)); self.l = torch.nn.Linear(1, 1); self.c = 3
m = M(); list(m.state_dict()), [n for n, _ in m.named_parameters()], [n for n, _ in m.named_buffers()], [n for n, _ in m.named_modules()], m, m.training, m.eval().training
# ---
m = torch.nn.Linear(1, 1); m.foo
# ---
m = torch.nn.Linear(1, 1); m.weight = 3
# ---
m = torch.nn.Linear(1, 1); m.weight = torch.ones(1)
# ---
m = torch.nn.Linear(2, 1); m(torch.ones(3))
# ---
m = torch.nn.Linear(2, 1); m(torch.ones(1, 2).double())
# ---
class M(torch.nn.Module): pass
M()(1)
# ---
m = torch.nn.Sequential(torch.nn.Linear(1, 1)); m.load_state_dict({'0.weight': torch.ones(2, 2), '0.bias': torch.ones(1)})
# ---
o = torch.optim.SGD([], lr=0.1)
# ---
o = torch.optim.SGD([torch.ones(2)], lr=-1)
# ---
o = torch.optim.SGD(torch.ones(2), lr=0.1)
# ---
o = torch.optim.SGD([torch.ones(2, requires_grad=True) * 2], lr=0.1)
# ---
p = torch.ones(2, requires_grad=True); o = torch.optim.SGD([p]); o
# ---
p = torch.ones(2, requires_grad=True); o = torch.optim.SGD([p, p], lr=1.)
# ---
p = torch.ones(2, requires_grad=True); o = torch.optim.Adam([p], lr=0.1); (p ** 2).sum().backward(); o.step(); o.zero_grad(); p, p.grad, o.state_dict()
# ---
p = torch.ones(2, requires_grad=True); (p * 3).sum().backward(); n = torch.nn.utils.clip_grad_norm_([p], 1.0); n, p.grad, torch.nn.utils.clip_grad_value_([p], 0.1), p.grad
# ---
p = torch.ones(2, requires_grad=True); o = torch.optim.SGD([p], lr=1.); s = torch.optim.lr_scheduler.StepLR(o, 1, 0.1); s.step(); o.param_groups[0]['lr'], s.get_last_lr()
# ---
p = torch.ones(2, requires_grad=True); o = torch.optim.SGD([p], lr=1.); s = torch.optim.lr_scheduler.CosineAnnealingLR(o, 4); r = []
for _ in range(5): o.step(); s.step(); r.append(s.get_last_lr()[0])
r
# ---
torch.einsum('ij,jk->ik', torch.ones(2, 3), torch.ones(3, 2)), torch.linalg.inv(torch.tensor([[2., 0.], [0., 4.]])), torch.linalg.inv(torch.zeros(2, 2))
# ---
torch.nn.functional.embedding(torch.tensor([0, 5]), torch.ones(3, 2))
# ---
torch.nn.functional.one_hot(torch.tensor([0, 2])), torch.nn.functional.pad(torch.ones(2), (1, 0), value=3), torch.nn.functional.interpolate(torch.arange(4.).view(1, 1, 4), scale_factor=2)
# ---
torch.nn.functional.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2)), torch.nn.functional.max_pool2d(torch.arange(16.).view(1, 1, 4, 4), 2), torch.nn.functional.conv2d(torch.ones(1, 2, 3, 3), torch.ones(1, 1, 2, 2))
# ---
a = torch.nn.functional.scaled_dot_product_attention(torch.ones(1, 2, 4), torch.ones(1, 2, 4), torch.ones(1, 2, 4), is_causal=True); a
# ---
torch.tensor([3., 1., 2.]).sort(descending=True), torch.tensor([3., 1., 2.]).topk(2), torch.tensor([3., 1., 2.]).argsort(), torch.tensor([1, 1, 2]).unique(return_counts=True), torch.tensor([1., 2., 3.]).cumsum(0), torch.tensor([[1., 2.], [3., 4.]]).max(1), torch.tensor([3., 1.]).min(0)
# ---
torch.equal(torch.ones(2), torch.ones(2)), torch.allclose(torch.ones(2), torch.ones(2) + 1e-9), torch.isclose(torch.ones(2), torch.ones(2)), torch.is_tensor(3), torch.numel(torch.ones(2, 3)), torch.testing.assert_close(torch.ones(2), torch.ones(2))
# ---
torch.testing.assert_close(torch.ones(2), torch.zeros(2))
# ---
torch.__version__, torch.version.cuda, torch.pi, torch.inf, torch.get_num_threads() > 0, torch.backends.cudnn.enabled in (True, False), torch.backends.mps.is_available(), torch.accelerator.is_available() if hasattr(torch, 'accelerator') else None
# ---
x = torch.ones(2, 3); x.storage().size() if False else x.untyped_storage().nbytes(), x.T.is_contiguous(), x.T.contiguous().stride(), x.share_memory_() is x, x.pin_memory if False else None
# ---
class T(torch.Tensor): pass
t = T([1., 2.]); type(t + 1), t, torch.ones(2).as_subclass(T), isinstance(t, torch.Tensor)
# ---
import io
b = io.BytesIO(); torch.save({'a': torch.ones(2), 'b': [1, torch.tensor(3)]}, b); b.seek(0); torch.load(b)
# ---
torch.save(torch.ones(2), '/nonexistent/x.pt')
# ---
torch.compile(lambda x: x * 2)(torch.ones(2))
# ---
x = torch.sparse_coo_tensor(torch.tensor([[0, 1]]), torch.tensor([1., 2.]), (3,)); x, x.to_dense()
# ---
torch.vmap(lambda x: x * 2)(torch.ones(3)), torch.meshgrid(torch.arange(2), torch.arange(3), indexing='ij'), torch.logspace(0, 2, 3), torch.tril_indices(2, 2), torch.combinations(torch.arange(3))
