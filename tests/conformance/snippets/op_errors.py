torch.gradient(torch.ones(3, 3), spacing=[1.0], dim=(0, 1))
# ---
torch.movedim(torch.ones(2, 3, 4), (0, 1), (0, 1, 2))
# ---
torch.movedim(torch.ones(2, 3), (0, 0), (0, 1))
# ---
torch.eq(3, torch.ones(2))
# ---
torch.fmod(3, torch.ones(2))
# ---
torch.copysign(1, torch.ones(2))
# ---
torch.igamma(torch.ones(2), 3)
# ---
torch.gcd(torch.tensor([4]), 2)
# ---
torch.ones(2).masked_fill_(torch.tensor([True, False]), 1e60)
# ---
torch.full((2,), 300, dtype=torch.int8)
# ---
torch.ones(2, dtype=torch.uint8).fill_(-1)
# ---
torch.hsplit(torch.ones(4, 5), 0)
# ---
torch.vstack([])
# ---
torch.cat(torch.ones(2))
# ---
torch.roll(torch.ones(3), 1, 2)
# ---
torch.roll(torch.tensor(1.0), 1, 0)
# ---
torch.cov(torch.ones(2, 5), fweights=torch.ones(5))
# ---
torch.cov(torch.ones(2, 5), aweights=-torch.ones(5))
# ---
torch.aminmax(torch.ones(0, 3))
# ---
torch.amax(torch.ones(2, 0), 1)
# ---
torch.isclose(torch.ones(2), torch.ones(2), rtol=-1.0)
# ---
torch.gather(torch.ones(2), 0, torch.tensor([0]), out=torch.ones(1, dtype=torch.double))
# ---
x = torch.ones(3); torch.take(x, torch.tensor([0, 1, 2]), out=x)
# ---
torch.mm(torch.ones(2, 2), torch.ones(2, 2), out=torch.ones(2, 2, dtype=torch.double))
# ---
torch.kthvalue(torch.ones(3), 1, out=(torch.ones((), dtype=torch.double), torch.zeros((), dtype=torch.long)))
# ---
torch.linalg.lu_factor(torch.ones(2, 2))
# ---
torch.linalg.lu(torch.ones(2, 2), pivot=False)
# ---
torch.linalg.cholesky_ex(torch.tensor([[1.0, 2.0], [2.0, 1.0]]))
# ---
torch.linalg.cholesky_ex(torch.tensor([[1.0, 2.0], [2.0, 1.0]]), check_errors=True)
# ---
torch.linalg.inv_ex(torch.ones(2, 2))
# ---
torch.linalg.solve_ex(torch.ones(2, 2), torch.ones(2), check_errors=True)
# ---
torch.linalg.lu_solve(torch.eye(3), torch.tensor([1, 2, 3]), torch.ones(3, 2))
# ---
torch.linalg.householder_product(torch.ones(3, 4), torch.ones(3))
# ---
torch.nn.functional.adaptive_avg_pool2d(torch.ones(2, 2), (1, 1))
# ---
torch.scatter(torch.ones(3), 0, torch.tensor([0]), torch.ones(1), reduce='mean')
# ---
torch.arange(0, float('inf'))
# ---
torch.ones(2).float_power_(2)
# ---
torch.signal.windows.hann(-1)
# ---
torch.stft(torch.ones(20), 4)
# ---
torch.istft(torch.ones(5, 11), 8)
# ---
torch.narrow(torch.ones(4), 0, torch.tensor([1]), 2)
# ---
x = torch.ones(2, requires_grad=True); torch.detach_copy(x).sum().backward()
# ---
x = torch.eye(3, requires_grad=True); torch.geqrf(x)[0].sum().backward()
# ---
F.conv_transpose1d(torch.ones(1, 1, 3), torch.ones(1, 1, 3), padding=3)
# ---
F.conv_transpose2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 3, 3), padding=(3, 0))
# ---
F.conv_transpose3d(torch.ones(1, 1, 3, 3, 3), torch.ones(1, 1, 3, 3, 3), padding=3)
# ---
F.conv_transpose1d(torch.ones(1, 1, 3), torch.ones(1, 1, 3), output_padding=1)
# ---
torch.cov(torch.arange(6.0).reshape(2, 3), fweights=torch.zeros(3, dtype=torch.int64))
# ---
torch.cov(torch.arange(6.0).reshape(2, 3), correction=5)
