a = torch.ones(2, requires_grad=True); b = torch.ones(2, requires_grad=True); v = torch.arange(4.); torch.cat([a, b]).backward(v); r = (a.grad.data_ptr() == v.data_ptr(), b.grad.storage_offset(), b.grad._base); v.zero_(); r, a.grad, b.grad
# ---
def of(f, shape=(2, 3)):
    x = torch.ones(shape, requires_grad=True); y = f(x); v = torch.ones(y.shape); y.backward(v); return x.grad.data_ptr() == v.data_ptr(), x.grad.stride()
[of(f) for f in (lambda x: x.view(6), lambda x: x + 0, lambda x: x.clone(), lambda x: x * 1, lambda x: x.t(), lambda x: x.reshape(3, 2), lambda x: x.unsqueeze(0), lambda x: x[None], lambda x: x[:], lambda x: x[:1], lambda x: x.permute(1, 0), lambda x: x.expand(2, 2, 3), lambda x: x.contiguous(), lambda x: x.to(torch.float32), lambda x: x.flatten(), lambda x: x.squeeze(), lambda x: x - 1, lambda x: 1 - x, lambda x: x.flip(0), lambda x: x.double(), lambda x: x.view_as(x), lambda x: x.ravel(), lambda x: x.relu(), lambda x: x.sum(0), lambda x: x.sum(), lambda x: x.mean(1), lambda x: torch.stack([x, x]), lambda x: torch.cat([x, x * 2]), lambda x: x.chunk(2)[0], lambda x: x.roll(1), lambda x: x.tril(), lambda x: x.detach() + x, lambda x: x.diagonal(), lambda x: x.select(0, 1), lambda x: x.narrow(1, 0, 2), lambda x: x.repeat(1, 1), lambda x: x.movedim(0, 1), lambda x: x.expand_as(x))]
# ---
x = torch.ones(2, 3, requires_grad=True)
with torch.autograd.enforce_grad_layout_policy(False): x.sum().backward()
print(x.grad.stride(), x.grad); x.sum().backward()
# ---
x = torch.ones(2, 3, requires_grad=True); v = torch.ones(3, 2)
with torch.autograd.enforce_grad_layout_policy(False): x.t().backward(v)
x.grad.stride(), x.grad.data_ptr() == v.data_ptr()
# ---
x = torch.ones(2, 3, requires_grad=True); x.grad = torch.ones(3, 2).t(); (x * 2).sum().backward(); x.grad.stride()
# ---
x = torch.ones(4, 4).t().requires_grad_(); x.grad = torch.ones(4, 4)
with torch.autograd.enforce_grad_layout_policy(False): (x * 2).sum().backward()
x.grad.stride()
# ---
x = torch.ones(4, 1, requires_grad=True); x.grad = torch.ones(1, 4).t(); (x * 2).sum().backward(); x.grad.stride()
# ---
x = torch.ones(4, 4)[:, ::2].requires_grad_(); x.grad = torch.ones(4, 4)[:, ::2]; (x * 2).sum().backward(); x.grad.stride()
# ---
@torch.autograd.enforce_grad_layout_policy(False)
def f(): return torch._C._is_grad_layout_enforcement_enabled()
f(), torch._C._is_grad_layout_enforcement_enabled()
# ---
x = torch.ones(2, 3, requires_grad=True); z = torch.ones(2, 3, requires_grad=True); v = torch.ones(2, 3); (x + z).backward(v); x.grad.data_ptr() == v.data_ptr(), x.grad.data_ptr() == z.grad.data_ptr()
# ---
x = torch.ones(1, 3, requires_grad=True); z = torch.ones(1, 3, requires_grad=True); torch.cat([x, z]).sum().backward(); x.grad.stride(), z.grad.stride()
# ---
x = torch.ones(3, requires_grad=True); z = torch.ones(3, requires_grad=True); v = torch.ones(3); y = x + 1
g1, g2 = torch.autograd.grad((x + z).sum(), [x, z]); g3, g4 = torch.autograd.grad((x + z).sum(), [x, x]); torch.autograd.grad(y, x, v)[0] is v, g1 is g2, g1.stride(), g3 is g4
# ---
x = torch.ones(3, requires_grad=True); v = torch.ones(3, requires_grad=True); (x + 2).backward(v); a = x.grad.requires_grad; x.grad = None; (x + 2).backward(v, create_graph=True); a, x.grad
# ---
def kept(f):
    x = torch.ones(2, 3, requires_grad=True); held = []; x.register_hook(held.append); f(x).sum().backward(); return held[0].data_ptr() == x.grad.data_ptr(), held[0] is x.grad
[kept(f) for f in (lambda x: x * 2, lambda x: x.view(6) * 2, lambda x: x + x, lambda x: x.exp())]
# ---
for shape, strides in (((2, 3, 4), (12, 4, 1)), ((2, 3, 4), (1, 8, 2)), ((2, 3, 4), (24, 8, 2)), ((2, 1, 4), (4, 4, 1)), ((2, 1, 4), (1, 1, 2)), ((4, 4), (0, 1))):
    x = torch.zeros(200).as_strided(shape, strides).detach().requires_grad_(); (x * 2).sum().backward(); a = x.grad.stride(); x.grad = None; x.backward(torch.ones(shape).transpose(-1, -2).contiguous().transpose(-1, -2)); print(a, x.grad.stride(), x.grad._version)
# ---
x = torch.ones(2, 3, 4, 5).contiguous(memory_format=torch.channels_last).requires_grad_(); (x * 2).sum().backward(); a = x.grad.stride(); (x ** 2).sum().backward(); b = x.grad.stride(); x.grad = None; (x.permute(0, 2, 3, 1) * 3).sum().backward(); a, b, x.grad.stride()
# ---
a = torch.ones(2, 3); t = torch.ones(1, 3).expand(2, 3); s = torch.ones(6, 4)[::2].t(); [(f(v).stride()) for v in (a.t(), t, s) for f in (torch.clone, torch.zeros_like, torch.empty_like, torch.full_like if False else torch.ones_like)]
# ---
torch.ones(0, 3).stride(), torch.ones(2, 0, 3).stride()
# ---
x = torch.ones(2, requires_grad=True); r = [x.grad_dtype]
for f in (lambda: (x * 2).grad_dtype, lambda: setattr(x, 'grad_dtype', 3)):
    try: f()
    except RuntimeError as e: print(e)
x.grad_dtype = torch.float64; (x * 2).sum().backward(); (x * 2).sum().backward(); r + [x.grad, torch.autograd.grad((x * 2).sum(), x)]
# ---
x = torch.ones(2, requires_grad=True); (x * 2).sum().backward(); x.grad_dtype = torch.float64
# ---
x = torch.ones(2, requires_grad=True); x.grad_dtype = None; x.grad = torch.ones(2, dtype=torch.float64); (x * 2).sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); x.grad_dtype = None; x.grad = torch.ones(2, dtype=torch.int64); (x * 2).sum().backward()
# ---
x = torch.ones(2, requires_grad=True); x.grad_dtype = torch.float64; x.grad = torch.ones(2)
# ---
y = torch.ones(2, requires_grad=True); z = y * 2; y.grad_dtype = torch.float64; z.sum().backward(); y.grad, z.grad_fn.next_functions[0][0]._input_metadata[0].dtype
# ---
y = torch.ones(2, requires_grad=True); y.grad_dtype = torch.bfloat16; (y * y).sum().backward(create_graph=True); y.grad, y.detach().grad_dtype
# ---
p = torch.nn.Parameter(torch.ones(2)); p.grad_dtype = torch.float64; (p * 2).sum().backward(); torch.optim.SGD([p], lr=1.).step(); p, p.grad
# ---
x = torch.ones(2, requires_grad=True); x.sum().backward(); g = x.grad; x.sum().backward(create_graph=True); g is x.grad, g, x.grad, g._version
# ---
x = torch.ones(2, requires_grad=True); g = torch.zeros(2); x.grad = g; (x * 2).sum().backward(); g, x.grad is g, g._version
# ---
x = torch.ones(2, requires_grad=True); x.grad = torch.zeros(1).expand(2); (x * 2).sum().backward()
# ---
x = torch.ones(2, requires_grad=True); y = torch.ones(2, requires_grad=True); x.grad = y * 2; (x * 2).sum().backward(); x.grad
# ---
x = torch.ones(2, requires_grad=True); v = x.grad = torch.zeros(3)[:2]; (x * 2).sum().backward(); v, x.grad._base is None
