x = torch.arange(6.0).view(2, 3).requires_grad_(); y = torch.expand_copy(x, (2, 2, 3)); print(y.grad_fn, y._is_view(), y.stride()); y.sum().backward(); x.grad
# ---
x = torch.arange(6.0).view(2, 3).requires_grad_(); [p.grad_fn for p in torch.unbind_copy(x)]
# ---
x = torch.arange(9.0).view(3, 3).requires_grad_(); y = torch.as_strided_scatter(x, torch.zeros(2, 2), (2, 2), (3, 1), 1); print(y); y.sum().backward(); x.grad
# ---
a = torch.tensor([[2.0, 1.0, 3.0], [4.0, 3.0, 1.0]], requires_grad=True); p, l, u = torch.linalg.lu(a); print(p, l, u); (l.sum() + u.sum()).backward(); a.grad
# ---
a = torch.tensor([[2.0, 1.0], [4.0, 3.0]]); torch.linalg.lu_factor(a)
# ---
a = torch.tensor([[2.0, 1.0], [4.0, 3.0]]); torch.lu_unpack(*torch.linalg.lu_factor(a))
# ---
a = torch.tensor([[2.0, 1.0], [1.0, 3.0]]); torch.linalg.ldl_factor(a)
# ---
torch.geqrf(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))
# ---
torch.triangular_solve(torch.ones(2, 1), torch.tensor([[2.0, 1.0], [0.0, 4.0]]))
# ---
torch.masked.sum(torch.arange(6).view(2, 3), 1, mask=torch.tensor([[True, False, True], [False, False, False]]))
# ---
torch.masked.softmax(torch.ones(3), 0, mask=torch.tensor([True, False, True]))
# ---
torch.masked.var(torch.arange(4.0), 0, mask=torch.tensor([True, True, False, True]))
# ---
torch.hann_window(5), torch.hamming_window(4, False), torch.kaiser_window(3), torch.blackman_window(4), torch.bartlett_window(4)
# ---
torch.stft(torch.arange(12.0), 4, return_complex=True, window=torch.ones(4)).shape
# ---
s = torch.stft(torch.arange(12.0), 4, return_complex=True, window=torch.ones(4)); torch.istft(s, 4, window=torch.ones(4))
# ---
torch.fft.ihfft2(torch.arange(6.0).view(2, 3))
# ---
torch.fft.fft(torch.ones(2, 3, 4), dim=1).stride()
# ---
torch.special.erfcx(torch.tensor([-1.0, 0.0, 30.0])), torch.special.log_ndtr(torch.tensor([-20.0, 1.0])), torch.special.ndtri(torch.tensor([0.1, 0.9]))
# ---
torch.special.chebyshev_polynomial_t(torch.tensor([0.5, 2.0]), 3), torch.special.legendre_polynomial_p(torch.tensor([0.5]), torch.tensor([4]))
# ---
torch.special.bessel_j0(torch.tensor([0.0, 1.0, 40.0])), torch.special.modified_bessel_k1(torch.tensor([0.5, 3.0])), torch.special.airy_ai(torch.tensor([-9.0, 0.0, 3.0]))
# ---
torch.ops.aten.add, torch.ops.aten.add.Tensor, torch.ops.aten.mm.default(torch.eye(2), torch.ones(2, 2))
# ---
torch.ops.aten.add.Nothing
# ---
torch.tensor([2, 3]) ** torch.tensor([-1, 2]), 1 ** torch.tensor([-3]), torch.tensor([-1]) ** torch.tensor([-3])
# ---
torch.trace(torch.ones(2, 2, dtype=torch.int32)).dtype, torch.ones(2, 3, dtype=torch.int32).sum(0, dtype=torch.int32).dtype
# ---
torch.trapezoid(torch.tensor([1, 2, 3])), torch.cumulative_trapezoid(torch.tensor([1, 2, 3]))
# ---
torch.segment_reduce(torch.arange(6.0), 'mean', lengths=torch.tensor([2, 0, 4]))
# ---
torch.histogramdd(torch.tensor([[0.1, 0.2], [0.9, 0.7], [0.5, 0.5]]), bins=[2, 2])
# ---
torch.nonzero_static(torch.tensor([0, 1, 1]), size=3)
# ---
torch.hash_tensor(torch.tensor([1.0, 2.0, 3.0]))
# ---
torch.scatter(torch.ones(3), 0, torch.tensor([0, 0]), 3.0, reduce='multiply')
# ---
torch.empty_permuted((2, 3, 4), (0, 2, 1)).stride(), torch.ones(1).new_empty_strided((2, 3), (1, 2)).stride()
# ---
x = torch.full((2,), 3.0, requires_grad=True); y = (x * 1).mvlgamma_(2); print(y.grad_fn); y.sum().backward(); x.grad
# ---
x = torch.ones(2, 2, requires_grad=True); y = x * 1; y.index_reduce_(0, torch.tensor([0, 0]), torch.full((2, 2), 3.0), 'mean'); print(y, y.grad_fn); y.sum().backward(); x.grad
# ---
torch.narrow_copy(torch.arange(6.0).requires_grad_(), 0, 1, 2).grad_fn
# ---
a = torch.tensor([[0.5]], requires_grad=True); torch.autograd.grad(torch.linalg.det(a), a, create_graph=True)[0].grad_fn
# ---
torch.manual_seed(0); a = torch.randn(5, 3); u, s, v = torch.svd_lowrank(a, 2); print(u.shape, s, v.shape); torch.pca_lowrank(a)[1]
# ---
torch.manual_seed(0); torch.normal(0.0, 1.0, (3,), layout=torch.strided)
# ---
x = torch.tensor([[1e30, 2e30, -1e30, 3.0], [1.0, 2.0, 3.0, 4.0]], requires_grad=True); y = F.layer_norm(x, (4,)); y.sum().backward(); print(x.grad[0]); y
# ---
F.group_norm(torch.tensor([[1e30, 2e30, -1e30, 3.0]]), 2)
# ---
w = torch.ones(1, 1, 3, 3); w[0, 0, 0, 0] = float('nan'); print(F.conv2d(torch.ones(1, 1, 3, 3), w, padding=1)); F.conv2d(torch.ones(2, 1, 4, 3), w, padding=1, stride=2)
# ---
w = torch.ones(2, 1, 3, 3); w[0, 0, 2, 1] = float('inf'); F.conv2d(torch.ones(1, 2, 3, 3), w, torch.tensor([1.0, 2.0]), padding=2, dilation=2, groups=2)
# ---
w = torch.ones(1, 1, 3); w[0, 0, 0] = float('nan'); x = torch.ones(1, 1, 4, requires_grad=True); F.conv1d(x, w, padding=1).sum().backward(); print(x.grad); F.conv_transpose1d(x, w, padding=1)
# ---
x = torch.zeros(0, 1, 3, requires_grad=True); w = torch.ones(1, 1, 3, requires_grad=True); g = torch.autograd.grad(F.conv1d(x, w).sum(), (x, w), create_graph=True); torch.autograd.grad(g[0].sum() + g[1].sum(), (x, w), allow_unused=True)
# ---
x = torch.tensor([[0.1], [1e10], [-1e18], [1e20], [1e30]]); print([F.layer_norm(x.expand(5, n), (n,)).sum(1).tolist() for n in (3, 8, 64, 100)]); F.group_norm(x.expand(5, 64), 4).sum(1)
