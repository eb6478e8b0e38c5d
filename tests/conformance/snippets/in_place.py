x = torch.ones(3, requires_grad=True); x += 1
# ---
x = torch.ones(3, requires_grad=True); x[0] = 5
# ---
x = torch.ones(3, requires_grad=True); x.zero_()
# ---
x = torch.ones(3, requires_grad=True); x.add_(1)
# ---
x = torch.ones(3, requires_grad=True); x.view(3).add_(1)
# ---
x = torch.ones(3, requires_grad=True); x[0].add_(1)
# ---
x = torch.ones(3, requires_grad=True); x.fill_(2)
# ---
x = torch.ones(3, requires_grad=True); x.copy_(torch.zeros(3))
# ---
x = torch.ones(3, requires_grad=True)
with torch.no_grad(): x += 1; x[0] = 7
x, x._version
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; y += 1; y.grad_fn, y._version
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; y[0] = 5; y.sum().backward(); y, x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; y[1:] = x[1:] * 3; y.sum().backward(); y, y.grad_fn, x.grad
# ---
x = torch.ones(3, requires_grad=True); y = torch.zeros(3); y[0] = x[0]; y[1] = x[1] * 2; y.sum().backward(); y, x.grad
# ---
x = torch.ones(3, requires_grad=True); y = torch.zeros(3); y.copy_(x); y.grad_fn, y
# ---
x = torch.ones(3, requires_grad=True); y = torch.zeros(3, dtype=torch.int64); y.copy_(x); y
# ---
x = torch.ones(3, requires_grad=True); y = torch.zeros(3); y += x; y.requires_grad, y.grad_fn
# ---
x = torch.ones(3, requires_grad=True); y = x.exp(); y += 1; y.sum().backward()
# ---
x = torch.ones(3, requires_grad=True); y = x.sin(); y += 1; y.sum().backward(); x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; z = y ** 2; y.add_(1); z.sum().backward()
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; z = y * y; y.mul_(1); z.sum().backward()
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; z = y.sigmoid(); z.mul_(2); z.sum().backward()
# ---
w = torch.ones(3, requires_grad=True); x = torch.ones(3); z = w * x; x.add_(1); z.sum().backward()
# ---
w = torch.ones(3, requires_grad=True); x = torch.ones(3); z = w * x; x.data.add_(1); z.sum().backward(); w.grad
# ---
w = torch.ones(3, requires_grad=True); x = torch.ones(3); z = w * x; x.detach().add_(1); z.sum().backward()
# ---
w = torch.ones(3, requires_grad=True); x = torch.ones(3); v = x[0]; z = w * x; v.add_(1); z.sum().backward()
# ---
w = torch.ones(3, requires_grad=True); x = torch.ones(4); z = w * x[:3]; x[3] = 2; z.sum().backward()
# ---
x = torch.ones(2, 2, requires_grad=True); y = x.clone(); z = y.matmul(y); y.t_(); z.sum().backward()
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; y.sqrt_(); y.sum().backward(); x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; y.exp_().log_().sin_().tanh_().sigmoid_().abs_().neg_(); print(y.grad_fn); y.sum().backward(); x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; y.pow_(2); y.sum().backward(); x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; y.mul_(y); y.sum().backward(); x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; y.div_(3).sub_(1).clamp_(0, 1); y.sum().backward(); y, x.grad
# ---
x = torch.tensor([-1., 2.], requires_grad=True); y = x * 1; torch.nn.functional.relu(y, inplace=True); y.sum().backward(); y, x.grad
# ---
x = torch.tensor([-1., 2.], requires_grad=True); y = x * 1; z = torch.relu_(y); z is y, y.grad_fn
# ---
x = torch.tensor([-1., 2.], requires_grad=True); y = x ** 2; torch.relu_(y); y.sum().backward(); x.grad
# ---
x = torch.tensor([-1., 2.], requires_grad=True); y = x.tanh(); torch.relu_(y); y.sum().backward(); x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; y.masked_fill_(y > 1, 0); y.sum().backward(); y, x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; y.index_fill_(0, torch.tensor([1]), 9.); y.sum().backward(); y, x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x * 2; y.scatter_(0, torch.tensor([0]), torch.tensor([9.])); y.sum().backward(); y, x.grad
# ---
x = torch.ones(3, requires_grad=True); y = torch.zeros(3).index_add_(0, torch.tensor([0, 0, 2]), x); y.sum().backward(); y, x.grad
# ---
x = torch.ones(3, requires_grad=True); y = torch.zeros(3).scatter_add_(0, torch.tensor([0, 0, 2]), x); y.sum().backward(); y, y.grad_fn, x.grad
# ---
x = torch.ones(3, requires_grad=True); y = torch.zeros(3); y[torch.tensor([0, 2])] = x[:2]; y.sum().backward(); y, y.grad_fn, x.grad
# ---
x = torch.ones(3, requires_grad=True); y = torch.zeros(3); y[y == 0] = x; y.sum().backward(); y, y.grad_fn, x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x.clone(); y.index_put_((torch.tensor([0]),), torch.tensor([5.]), accumulate=True); y.sum().backward(); y, y.grad_fn, x.grad
# ---
x = torch.ones(3); x += torch.ones(3, dtype=torch.float64); x
# ---
x = torch.ones(3, dtype=torch.int64); x += 0.5
# ---
x = torch.ones(3, dtype=torch.int64); x /= 2
# ---
x = torch.ones(3); x += torch.ones(2, 3)
# ---
x = torch.ones(3).expand(2, 3); x += 1
# ---
x = torch.ones(1).expand(3); x[0] = 2
# ---
x = torch.ones(4); x[1:].copy_(x[:-1])
# ---
x = torch.ones(3); (x._version, x.add_(1)._version, x.mul_(2)._version, x.zero_()._version, x[0].fill_(3)._version, x._version)
# ---
x = torch.ones(3); v = x.view(3); d = x.detach(); dd = x.data; x.add_(1); (x._version, v._version, d._version, dd._version, v, d, dd)
# ---
x = torch.ones(3); a = x[0]; a.add_(1); x, x._version
# ---
x = torch.ones(3); x[0] = 4; x[1:] += 1; x._version
# ---
x = torch.ones(3); y = x.clone(); y.add_(1); x._version, y._version
# ---
x = torch.ones(3, requires_grad=True); y = x.clone(); v = y[:2]; v.mul_(3); y.sum().backward(); y.grad_fn, v.grad_fn, x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x.clone(); v = y[:2]; y.mul_(3); v.sum().backward(); v, v.grad_fn, x.grad
# ---
x = torch.ones(3, requires_grad=True); y = x.clone(); v = y[:2]; w = v[0]; w.mul_(5); (y.sum() + v.sum() + w).backward(); y, v, w, v.grad_fn, w.grad_fn, x.grad
# ---
x = torch.ones(4, requires_grad=True); y = x.clone(); a, b = y.split(2); a.mul_(2)
# ---
x = torch.ones(4, requires_grad=True); y = x.clone(); a, b = y.chunk(2); y.mul_(2); a.grad_fn
# ---
x = torch.ones(4, requires_grad=True); y = x.clone(); a = y.unbind(); a[0].add_(1)
# ---
x = torch.ones(4, requires_grad=True); y = x.clone()
with torch.no_grad(): v = y[:2]
v.mul_(2)
# ---
x = torch.ones(4); 
with torch.no_grad(): v = x[:2]
v.mul_(2); v
# ---
x = torch.ones(4, requires_grad=True)
with torch.no_grad(): v = x[:2]; v.mul_(2)
x, v.requires_grad, v
# ---
x = torch.ones(4, requires_grad=True); y = x.clone(); v = y.view(2, 2); v.t_(); v.shape, v.grad_fn
# ---
x = torch.ones(2, 2, requires_grad=True); y = x.clone(); y.t_(); y.grad_fn, y.shape
# ---
x = torch.ones(4, requires_grad=True); y = x.clone(); v = y[:2]; y.detach_(); v.requires_grad
# ---
x = torch.ones(4, requires_grad=True); y = x.clone(); v = y[:2]; v.detach_()
# ---
x = torch.ones(4, requires_grad=True); y = x.clone(); v = y[:2].detach(); v.mul_(2); y.sum().backward(); y, x.grad
# ---
x = torch.ones(4, requires_grad=True); y = x * 2; y.requires_grad_(False)
# ---
x = torch.zeros(4); v = x[:2]; v += torch.ones(2, requires_grad=True); x.requires_grad, x.grad_fn, v.grad_fn, v._base is x
# ---
x = torch.zeros(4); v = x[:2]; v.requires_grad_(); v.is_leaf, x.requires_grad, v._is_view()
# ---
x = torch.zeros(4); v = x[:2]; v.requires_grad_(); v += 1
# ---
x = torch.zeros(4); v = x[:2]; v.requires_grad_(); x += 1
v
# ---
x = torch.ones(2, 3, requires_grad=True); y = x.clone(); y.diagonal().mul_(3); y.sum().backward(); y, x.grad
# ---
x = torch.ones(2, 3, requires_grad=True); y = x.clone(); y.t()[0].fill_(0); y.sum().backward(); y, x.grad, y.grad_fn
# ---
x = torch.ones(2, 3, requires_grad=True); y = x.clone(); y.reshape(-1)[0] = 9; y.sum().backward(); y, x.grad
# ---
x = torch.ones(2, 3, requires_grad=True); y = x.clone(); y[0][1] = 9; y[:, 2] *= 2; y[..., 0] += x[0, 0]; y.sum().backward(); y, x.grad
# ---
x = torch.ones(2, 3, requires_grad=True); y = x.t().clone(); y.squeeze_().unsqueeze_(0); y.shape, y.grad_fn
# ---
x = torch.ones(2, 3, requires_grad=True); y = x.clone(); v = y.expand(2, 2, 3); v.add_(1)
# ---
x = torch.ones(2, 3, requires_grad=True); y = x.clone(); z = y.sum(); y.zero_(); z.backward(); x.grad
# ---
x = torch.ones(2, 3, requires_grad=True); y = x.clone(); z = y.prod(); y.zero_(); z.backward()
# ---
x = torch.ones(3, requires_grad=True); y = x * 1; z = y.max(); y.add_(1); z.backward()
# ---
x = torch.ones(3, requires_grad=True); y = x * 1; z = y.softmax(0); y.add_(1); z.sum().backward(); z.add_(1)
# ---
x = torch.ones(3, requires_grad=True); y = x * 1; z = y.softmax(0); z.add_(1); z.sum().backward()
# ---
x = torch.ones(3, requires_grad=True); i = torch.tensor([0, 1]); y = x[i]; i.add_(1); y.sum().backward()
# ---
x = torch.ones(3, requires_grad=True); m = torch.tensor([True, False, True]); y = x.masked_fill(m, 0.); m.fill_(True); y.sum().backward()
# ---
x = torch.ones(3, requires_grad=True); y = x * 1; y.resize_(2)
# ---
x = torch.ones(3); x.resize_(2, 2)[0]
# ---
x = torch.ones(3); y = torch.zeros(2); x.set_(y); x
# ---
x = torch.ones(3, requires_grad=True); x.set_(torch.zeros(2))
# ---
x = torch.ones(3, requires_grad=True); x.resize_(2)
# ---
x = torch.ones(3, requires_grad=True); y = x * 2
with torch.autograd._unsafe_preserve_version_counter(y): y.mul_(2)
y._version
# ---
x = torch.ones(3, requires_grad=True); y = (x * 2); z = y * y
with torch.no_grad(): y.mul_(3)
z.sum().backward()
# ---
p = torch.nn.Parameter(torch.ones(2)); o = torch.optim.SGD([p], lr=0.1); l = (p * p).sum(); l.backward(retain_graph=True); o.step(); l.backward()
# ---
p = torch.ones(2, requires_grad=True); l = (p * 2).sum(); l.backward(); p.data -= 0.1 * p.grad; p, p._version
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.data.zero_(); y.sum().backward(); y, x.grad
# ---
x = torch.ones(2, requires_grad=True); y = x.exp(); y.data.zero_(); y.sum().backward(); x.grad
# ---
torch.autograd.graph.increment_version(torch.ones(2)), 
# ---
x = torch.ones(2); torch.autograd.graph.increment_version(x); x._version
# ---
x = torch.ones(4, requires_grad=True); y = x.clone(); a = y.view(2, 2); b = y.view(2, 2); a.mul_(2); b.add_(1); y.sum().backward(); y, x.grad, a.grad_fn, b.grad_fn
# ---
x = torch.ones(4, requires_grad=True).clone(); v = x[1:]; v._base is x, v._is_view(), x._is_view(), x._base, v[1:]._base is x, v.clone()._base
# ---
x = torch.ones(2, dtype=torch.complex64, requires_grad=True); y = x.clone(); y.real.mul_(2); y.abs().sum().backward(); y, x.grad
# ---
x = torch.ones(2, 2, requires_grad=True); y = x.clone(); v = torch.view_as_complex(y); v.mul_(1j); y.sum().backward(); y, x.grad
