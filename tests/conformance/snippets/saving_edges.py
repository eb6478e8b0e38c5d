l = torch.Tensor()
(l.numel(), l, torch.LongTensor().tolist())
# ---
t = torch.rand(5, dtype=torch.cfloat).expand(4, 5).t()
(t.t().stride(), torch.rand(5).expand(3, 5)[:, ::1].stride())
# ---
(torch.empty_strided((4, 1), (1, 1), dtype=torch.float32).view(torch.uint8).shape, torch.ones(4).unsqueeze(-1).view(torch.uint8).shape)
# ---
x = torch.ones(4, 4)[:, ::2][:, :1]
(x.stride(), x.view(torch.uint8).shape)
# ---
x = torch.rand(2, 1, 1)
(x.stride(), torch.rand(2, 0, 3).stride(), torch.rand(3, 1)[:, 0:1].stride(), torch.rand(0).stride())
# ---
r = []
for s in [(4, 4, 64), (4, 1, 64), (0, 4), (4, 4, 1), (1,), ()]:
    try:
        r.append(torch.rand(s).view(torch.uint8).shape if s else torch.rand(s).view(torch.int32).shape)
    except Exception as e:
        r.append(str(e)[:60])
[tuple(t) if not isinstance(t, str) else t for t in r]
# ---
w = torch.ones(2, requires_grad=True)
h = (w * 2).relu_()
y = h * h
h.detach_()
y.sum().backward()
w.grad
# ---
x = torch.rand(3, requires_grad=True)
y = x * 2
y.detach_()
(y.grad_fn, y.requires_grad, (y * 2).requires_grad)
# ---
[c.__exit__() if not c.__enter__() else c.__exit__() for c in (torch.autograd.graph.save_on_cpu(),)]
# ---
a = torch.randn(2, 3)
a.resize_((3, 2), memory_format=torch.contiguous_format).stride()
# ---
x = torch.rand(4, requires_grad=True)
a, b = torch.tensor_split(x, (-1,))
(b * 2).sum().backward()
x.grad
# ---
x = torch.arange(4.0)
(torch.tensor_split(x, (2,), 0)[0].tolist(), torch.tensor_split(x, torch.tensor([-1]))[0].tolist(), torch.hsplit(x, (-1,))[0].tolist())
