for f in [lambda: torch.tensor([True, True]).eq_(2), lambda: torch.tensor([True, False]).lt_(2), lambda: torch.tensor([1, 2]).eq_(1.5), lambda: torch.tensor([1, 2], dtype=torch.uint8).ge_(1.5), lambda: torch.tensor([1.0, 2.0], dtype=torch.float16).le_(1.1)]: print(attempt(f))
# ---
x = torch.tensor([1.0, 2.0, 3.0])
for f in [lambda: x.clone().atan2_(2), lambda: x.clone().hypot_(2), lambda: x.clone().logical_and_(2), lambda: x.clone().nextafter_(2), lambda: torch.lerp(x, 1.5, 0.5), lambda: torch.heaviside(x, x.double()), lambda: torch.heaviside(x.cfloat(), x.cfloat()), lambda: torch.cross(x, x.long(), dim=0), lambda: torch.linalg.cross(x.double(), x), lambda: torch.logaddexp2(torch.ones(2).bool(), torch.ones(2).bool()), lambda: torch.logaddexp2(torch.ones(2).long(), torch.ones(2))]: print(attempt(f))
# ---
e = torch.ones(0, 3)
for f in [lambda: torch.max(e, 0), lambda: torch.min(e, dim=0), lambda: torch.argmax(e, 0), lambda: torch.argmax(e, 1), lambda: torch.argmin(torch.ones(2, 2), 5), lambda: torch.flip(e), lambda: torch.tile(e), lambda: torch.ones(2, 3).sum_to_size(), lambda: torch.ones(2, 3).sum_to_size(4), lambda: torch.nansum(torch.tensor([1, 2]), 0, dtype=torch.int32), lambda: torch.nansum(torch.tensor([True, True]), dtype=torch.int32), lambda: torch.mean(torch.ones(2), 0, dtype=torch.int32), lambda: torch.gradient(torch.ones(1), edge_order=3), lambda: torch.arange(4)[0:1.5], lambda: torch.tensordot(torch.ones(2, 3), torch.ones(3, 2), dims=([0, 1], [1, 0])), lambda: torch.masked_fill(torch.tensor([1]), torch.tensor([True]), torch.tensor(1e30))]: print(attempt(f))
# ---
n = torch.tensor([[float("nan"), 1.0], [1.0, 1.0]])
for f in [torch.linalg.svd, torch.linalg.svdvals, torch.linalg.pinv, torch.linalg.cond, torch.linalg.cholesky, torch.linalg.det, torch.linalg.matrix_rank, lambda m: torch.linalg.norm(m, 2)]: print(attempt(lambda: f(n)))
# ---
x = torch.tensor([[0, 100, 200], [250, 255, 3], [77, 12, 128]], dtype=torch.uint8).view(1, 1, 3, 3)
print(F.interpolate(x, size=(4, 4), mode='bilinear'), F.interpolate(x, size=(4, 4), mode='bilinear', align_corners=True), F.interpolate(x, size=(2, 5), mode='bicubic'), F.interpolate(x, size=(2, 2), mode='bilinear', antialias=True), F.interpolate(x, scale_factor=2, mode='nearest'))
# ---
for f in [lambda: torch.ones(2, dtype=torch.cfloat).abs_(), lambda: torch.ones(2).absolute_(), lambda: torch.vander(torch.ones(2, 2)), lambda: torch.chain_matmul(torch.ones(2)), lambda: torch.trapezoid(torch.ones(2).bool()), lambda: torch.nanmean(torch.ones(2), 0, dtype=torch.int32), lambda: torch.fft.fftn(torch.tensor(1.)), lambda: torch.fft.fft2(torch.tensor(1.), dim=(0,)), lambda: torch.fft.hfft(torch.tensor(1.)), lambda: torch.vsplit(torch.ones(2), 2), lambda: torch.ones(2, 2).scatter(0, torch.tensor([0]), 1.), lambda: torch.bucketize(torch.ones(2), torch.ones(2, 2)), lambda: torch.ones(0).view(0, -1), lambda: torch.ones(1).view(0, -1)]: print(attempt(f))
# ---
x = torch.rand(1, 2, 2, 2, requires_grad=True)
print(x.to(memory_format=torch.channels_last).grad_fn, x.to(torch.float32, copy=True).grad_fn, x.to(x.dtype) is x, torch.atleast_2d(x[0, 0, 0]).grad_fn, torch.atleast_3d(x[0, 0, 0]).grad_fn, torch.atleast_3d(x[0, 0, 0, 0]).grad_fn, torch.atleast_1d(x[0, 0, 0, 0]).grad_fn)
# ---
x = torch.arange(10)
import numpy as np
print(x[np.int64(2):np.int32(5)], x[torch.tensor(1):torch.tensor(4)], x[True:], attempt(lambda: x[torch.tensor(1.5):]), attempt(lambda: x[::0]), attempt(lambda: x[torch.tensor([1, 2]):]))
y = torch.zeros(4); y[torch.tensor(1):] = 2; print(y, attempt(lambda: y.__setitem__(slice(0, 1.5), 3)))
