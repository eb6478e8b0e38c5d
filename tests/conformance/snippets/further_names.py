import torch.utils.dlpack
x = torch.arange(4.); y = torch.from_dlpack(x); y[0] = 7; print(x, torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x)))
import numpy as np
print(torch.from_dlpack(np.arange(3)))
# ---
import numpy as np
a = np.arange(4, dtype=np.float32); b = bytearray(a.tobytes())
t = torch.frombuffer(b, dtype=torch.float32); print(t, torch.frombuffer(b, dtype=torch.float32, count=2, offset=4)); t[0] = 5; print(np.frombuffer(b, dtype=np.float32))
for f in [lambda: torch.frombuffer(b, dtype=torch.float32, offset=100), lambda: torch.frombuffer(b, dtype=torch.float32, count=9), lambda: torch.frombuffer(bytearray(), dtype=torch.float32), lambda: torch.frombuffer(bytearray(3), dtype=torch.float32), lambda: torch.frombuffer(b, dtype=torch.float32, offset=15), lambda: torch.frombuffer(b, dtype=torch.float32, count=0), lambda: torch.frombuffer(3, dtype=torch.float32)]: print(attempt(f))
# ---
print(torch.GradScaler is torch.amp.GradScaler, torch.return_types.max is type(torch.max(torch.ones(2, 2), 0)), isinstance(torch.sort(torch.ones(2)), torch.return_types.sort), torch.storage.TypedStorage is torch.TypedStorage, torch.return_types.max_out)
import torch.return_types, torch.storage
import torch.__future__ as fut; print(fut.get_overwrite_module_params_on_conversion(), fut.get_swap_module_params_on_conversion())
print(torch.cpu.is_available(), torch.cpu.device_count(), torch.cpu.current_device(), torch.cpu.synchronize(), torch.cpu.is_initialized())
with torch.cpu.stream(torch.cpu.current_stream()): print(torch.ones(1))
print(torch.get_device_module('cpu') is torch.cpu, torch.set_flush_denormal(False), torch.get_deterministic_debug_mode())
torch.set_deterministic_debug_mode('warn'); print(torch.get_deterministic_debug_mode(), torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()); torch.set_deterministic_debug_mode(0); print(torch.are_deterministic_algorithms_enabled())
print(attempt(lambda: torch.set_deterministic_debug_mode(5)), attempt(lambda: torch.set_deterministic_debug_mode('x')))
# ---
print(torch.linalg.matmul(torch.eye(2), torch.ones(2, 2)), torch.linalg.diagonal(torch.arange(4.).view(2, 2)), torch.linalg.diagonal(torch.arange(8.).view(2, 2, 2), offset=1), torch.linalg.diagonal(torch.ones(2, 3, 4), dim1=0, dim2=1).shape)
print(torch.sym_int(2.7), torch.sym_float(3), torch.sym_max(2, 3.), torch.sym_min(2, 3), torch.sym_not(True), torch.sym_sqrt(4) if hasattr(torch, 'sym_sqrt') else 0, torch.sym_ite(True, 1, 2), torch.sym_sum([1, 2, 3]))
print(torch.cosine_embedding_loss(torch.ones(1, 2), torch.ones(1, 2), torch.ones(1)), torch.hinge_embedding_loss(torch.ones(2), torch.ones(2)), torch.margin_ranking_loss(torch.ones(2), torch.zeros(2), torch.ones(2), 0., 2), torch.triplet_margin_loss(torch.ones(1, 2), torch.zeros(1, 2), torch.ones(1, 2), reduction=0), torch.poisson_nll_loss(torch.ones(2), torch.ones(2), True, False, 1e-8, 1), torch.binary_cross_entropy_with_logits(torch.zeros(2), torch.ones(2)))
# ---
from torch.func import replace_all_batch_norm_modules_
net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Sequential(nn.BatchNorm1d(3), nn.InstanceNorm1d(3, track_running_stats=True)))
r = replace_all_batch_norm_modules_(net); print(r is net, net, net[1].running_mean, net[2][0].track_running_stats, net[2][1].running_mean)
# ---
from torch.overrides import has_torch_function_unary, has_torch_function_variadic, has_torch_function, handle_torch_function
class A:
    @classmethod
    def __torch_function__(cls, f, t, a=(), k=None): return 'A'
print(has_torch_function_unary(torch.ones(1)), has_torch_function_unary(A()), has_torch_function_variadic(torch.ones(1), A()), has_torch_function((A(),)))
# ---
x = torch.ones(2, 3); print(x.dim_order(), x.t().dim_order(), torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last).dim_order(), x.is_xla, x.is_mtia, x.is_maia, x._is_zerotensor(), x.to_sparse_coo())
class T(torch.Tensor):
    @staticmethod
    def __new__(cls, data, extra): t = torch.Tensor._make_subclass(cls, data); t.extra = extra; return t
t = T(torch.ones(2), 'e'); print(t, type(t).__name__, t.extra, (t + 1), t.requires_grad); t2 = torch.Tensor._make_subclass(T, torch.ones(2), True); print(t2.requires_grad, t2.is_leaf)
# ---
print(F.conv_tbc(torch.arange(12.).view(3, 2, 2), torch.ones(2, 2, 3), torch.ones(3)), torch.conv_tbc(torch.ones(3, 1, 2), torch.ones(1, 2, 1), torch.zeros(1), 1).shape)
print(torch.float_power(torch.tensor([2.]), 3))
from torch.nn.modules.utils import _pair, _single, _ntuple
from torch.nn.common_types import _size_2_t, _size_any_t, Tensor as TT
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors
f = _flatten_dense_tensors([torch.ones(2), torch.zeros(1, 2)]); print(f, _unflatten_dense_tensors(f, [torch.ones(2), torch.zeros(1, 2)]))
from torch.autograd.variable import Variable
from torch._tensor import Tensor as T3; print(T3 is torch.Tensor)
from torch.torch_version import TorchVersion; print(torch.__version__ >= '2.0', isinstance(torch.__version__, str), TorchVersion('2.1') < '2.10', torch.__version__ > (1, 9))
# ---
x = torch.rand(2, 3, 4, 5)
for f in (lambda: x.double(memory_format=torch.channels_last).stride(), lambda: x.half(memory_format=torch.channels_last).stride(), lambda: x.bfloat16(memory_format=torch.channels_last).stride(), lambda: x.float(memory_format=torch.channels_last).stride(), lambda: x.int(memory_format=torch.channels_last).stride(), lambda: x.cfloat(memory_format=torch.channels_last).stride(), lambda: x.bool(memory_format=torch.channels_last).stride(), lambda: x.type(torch.float64).stride()): print(attempt(f))
m = torch.zeros(1, 3, requires_grad=True); s = torch.ones(4, 3, requires_grad=True); torch.normal(m, s).sum().backward(); print(m.grad, s.grad)
m = torch.zeros(4, 3, requires_grad=True); torch.normal(m, 2.).sum().backward(); print(m.grad); torch.normal(1., s).sum().backward(); print(s.grad)
