from torch.nn.attention import SDPBackend, sdpa_kernel

print(SDPBackend.MATH, list(SDPBackend.__members__), repr(SDPBackend.FLASH_ATTENTION), SDPBackend.MATH.value)
q = torch.randn(1, 2, 3, 4, requires_grad=True)
for allowed in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION, [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]):
    with sdpa_kernel(allowed):
        print(F.scaled_dot_product_attention(q, q, q).grad_fn.name())
with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
    print(attempt(lambda: F.scaled_dot_product_attention(q, q, q)))
print(F.scaled_dot_product_attention(q, q, q).grad_fn.name(), attempt(lambda: sdpa_kernel("a").__enter__()))


# ---
from torch.nn.attention.bias import CausalBias, causal_lower_right, causal_upper_left

q, k = torch.randn(1, 2, 3, 4), torch.randn(1, 2, 5, 4)
for bias in (causal_lower_right(3, 5), causal_upper_left(3, 5)):
    print(bias, bias.variant, bias.seq_len_q, bias.seq_len_kv, isinstance(bias, torch.Tensor))
    print(F.scaled_dot_product_attention(q, k, k, attn_mask=bias))
print(attempt(lambda: causal_lower_right(3)), attempt(lambda: CausalBias(3, 4, 5)))
print(attempt(lambda: F.scaled_dot_product_attention(q, k, k, attn_mask=causal_lower_right(3, 5), is_causal=True)))
causal_lower_right(5, 3)


# ---
q, k, v = torch.randn(2, 3, 4, 5), torch.randn(2, 3, 6, 5), torch.randn(2, 3, 6, 5)
keep = torch.tensor([True, False, True, True, False, True]).expand(4, 6)
for options in (
    dict(is_causal=True),
    dict(attn_mask=keep),
    dict(attn_mask=torch.arange(24.0).reshape(4, 6) * 0.1),
    dict(attn_mask=torch.zeros(4, 6, dtype=torch.bool)),
    dict(scale=0.3),
    dict(dropout_p=0.3),
    dict(dropout_p=1.5),
    dict(attn_mask=keep, is_causal=True),
    dict(attn_mask=torch.ones(4, 6, dtype=torch.int64)),
    dict(attn_mask=torch.ones(4, 5)),
):
    out = attempt(lambda: F.scaled_dot_product_attention(q, k, v, **options))
    print(out if isinstance(out, str) else (out.sum(), out[0, 1, 2], out.stride()))


# ---
for shapes in (
    ((2, 6, 4, 5), (2, 3, 4, 5), (2, 3, 4, 5)),
    ((2, 6, 4, 5), (2, 4, 4, 5), (2, 4, 4, 5)),
    ((4, 5), (4, 5), (4, 5)),
    ((2, 4, 5), (2, 4, 5), (2, 4, 7)),
    ((5,), (5,), (5,)),
    ((2, 4, 5), (2, 4, 6), (2, 4, 5)),
    ((3, 4, 5), (1, 4, 5), (1, 4, 5)),
    ((1, 2, 3, 4, 5), (1, 2, 3, 4, 5), (1, 2, 3, 4, 5)),
):
    q, k, v = (torch.randn(s, requires_grad=True) for s in shapes)
    for gqa in (False, True):
        out = attempt(lambda: F.scaled_dot_product_attention(q, k, v, enable_gqa=gqa))
        print(shapes, out if isinstance(out, str) else (out.shape, out.sum(), out.grad_fn.name()))


# ---
q = torch.randn(2, 3, 4, 5, dtype=torch.bfloat16)
print(F.scaled_dot_product_attention(q, q, q, torch.zeros(4, 4).bool()).dtype)
q = torch.randn(3, 4, 5, dtype=torch.bfloat16, requires_grad=True)
F.scaled_dot_product_attention(q, q, q).grad_fn.name()


# ---
m = nn.MultiheadAttention(4, 2)
print(m.merge_masks(None, None, torch.ones(2, 2, 4)))
print(m.merge_masks(None, torch.zeros(2, 3).bool(), torch.ones(2, 3, 4))[1])
merged, kind = m.merge_masks(torch.zeros(3, 3).bool(), torch.ones(2, 3).bool(), torch.ones(2, 3, 4))
print(merged.shape, kind, merged.all())


# ---
import warnings

warnings.simplefilter("ignore")
layer = nn.TransformerEncoderLayer(4, 2, 6, batch_first=True)
x = torch.randn(2, 3, 4)
for check in (True, False):
    m = nn.TransformerEncoder(layer, 1, mask_check=check).eval()
    for hidden in ([[0, 0, 1], [0, 0, 0]], [[0, 1, 0], [0, 1, 1]]):
        with torch.no_grad():
            print(m(x, src_key_padding_mask=torch.tensor(hidden).bool()))


# ---
from torch.nn.modules.transformer import _get_activation_fn, _get_clones

print(_get_clones(nn.ReLU(), 2), _get_activation_fn("gelu").__name__, attempt(lambda: _get_activation_fn("x")))
print(attempt(lambda: nn.LSTMCell(3, 4)(torch.ones(2, 3), torch.ones(2, 4))))
for layer in (nn.LSTM(3, 4), nn.GRU(3, 4), nn.RNN(3, 4)):
    print(attempt(lambda: layer(torch.ones(0, 2, 3))))


# ---
for module in (nn.SyncBatchNorm(3), nn.SyncBatchNorm(3, affine=False), nn.SyncBatchNorm(3, momentum=None, eps=0.1)):
    print(module, list(module.state_dict()))
    print(module(torch.randn(4, 3, 2)).sum((0, 2)), module.running_mean, attempt(lambda: module(torch.ones(3))))
    print(attempt(lambda: module(torch.ones(3, 0))))
m = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Sequential(nn.BatchNorm1d(2)))
s = nn.SyncBatchNorm.convert_sync_batchnorm(m)
print(s, s is m, s[1].weight is m[1].weight)


# ---
m = nn.DataParallel(nn.Linear(2, 3))
print(m, m(torch.ones(1, 2)).shape, list(m.state_dict()), m.device_ids, m.module)
print(attempt(lambda: nn.parallel.data_parallel(nn.Linear(2, 3), torch.ones(1, 2))))
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present

state = m.state_dict()
consume_prefix_in_state_dict_if_present(state, "module.")
print(list(state), state._metadata)


# ---
from torch.nn.modules.utils import _list_with_default, _ntuple, _pair, _quadruple, _reverse_repeat_tuple, _single, _triple

print(_single(1), _pair(2), _triple((1, 2, 3)), _quadruple(3), _ntuple(5)(2), _pair([1, 2]), _pair("ab"))
print(_reverse_repeat_tuple((1, 2), 2), _list_with_default([None, 3], [1, 2, 4]))
print(attempt(lambda: _list_with_default([None, 3], [1])), _pair.__name__)


# ---
import torch.nn.grad as G

x, w, g = torch.randn(1, 2, 4, 4), torch.randn(3, 2, 2, 2), torch.randn(1, 3, 3, 3)
print(G.conv2d_input(x.shape, w, g), G.conv2d_weight(x, w.shape, g))
print(G.conv1d_input((1, 2, 4), w[..., 0], g[..., 0], stride=1), G.conv1d_weight(x[..., 0], (3, 2, 2), g[..., 0]))


# ---
from torch.nn import factory_kwargs

print(factory_kwargs({"device": "cpu", "dtype": torch.float64}) == {"device": "cpu", "dtype": torch.float64})
print(attempt(lambda: factory_kwargs({"foo": 1})), factory_kwargs(None))
print(attempt(lambda: factory_kwargs({"dtype": 1, "factory_kwargs": {"dtype": 2}})))


# ---
from torch.nn.modules.batchnorm import _BatchNorm, _NormBase
from torch.nn.modules.conv import _ConvNd, _ConvTransposeNd
from torch.nn.modules.dropout import _DropoutNd
from torch.nn.modules.instancenorm import _InstanceNorm
from torch.nn.modules.loss import _Loss, _WeightedLoss
from torch.nn.modules.padding import _CircularPadNd, _ConstantPadNd, _ReflectionPadNd, _ReplicationPadNd
from torch.nn.modules.pooling import _AdaptiveAvgPoolNd, _AdaptiveMaxPoolNd, _AvgPoolNd, _LPPoolNd, _MaxPoolNd

print(isinstance(nn.Conv2d(1, 1, 1), _ConvNd), isinstance(nn.ConvTranspose1d(1, 1, 1), _ConvTransposeNd))
print(isinstance(nn.BatchNorm1d(1), _BatchNorm), isinstance(nn.InstanceNorm1d(1), (_InstanceNorm, _NormBase)))
print(isinstance(nn.ZeroPad2d(1), nn.ConstantPad2d), isinstance(nn.ZeroPad2d(1), _ConstantPadNd))
print([c.__name__ for c in nn.NLLLoss2d.__mro__[:5]])


class Blur(_ConvNd):
    def __init__(self):
        super().__init__(1, 1, (3,), (1,), (1,), (1,), False, (0,), 1, False, "zeros")

    def forward(self, x):
        return F.conv1d(x, self.weight.abs(), None, self.stride, self.padding)


Blur(), Blur()(torch.ones(1, 1, 4)).shape


# ---
class Named(nn.Conv2d):
    def __init__(self, dims, function, mode):
        super().__init__(dims, dims, 3, padding_mode="circular")
        self.dims, self.function, self.mode = dims, function, mode


class Pooled(nn.MaxPool2d):
    dims = "mine"


Named(2, "f", "m")(torch.ones(1, 2, 4, 4)).shape, Pooled(2)(torch.ones(1, 1, 4, 4)), nn.Linear(1, 1).T_destination
# ---
q = torch.ones(2, 4, 5, 8); F.scaled_dot_product_attention(q, q, q, torch.ones(5))
# ---
q = torch.ones(2, 4, 5, 8); F.scaled_dot_product_attention(q, q, q, torch.tensor(1.0))
# ---
q = torch.ones(2, 4, 5, 8); F.scaled_dot_product_attention(q, q, q, torch.ones(1, 1, 1, 5, 5))
# ---
q = torch.ones(2, 4, 5, 8); F.scaled_dot_product_attention(q, q, q, dropout_p=-0.5)
# ---
q = torch.ones(2, 4, 5, 8); F.scaled_dot_product_attention(q, q, q[..., :7], dropout_p=-0.5)[0, 0, 0]
# ---
q = torch.ones(2, 4, 5, 8); F.scaled_dot_product_attention(q, q, q, None, 0.0, False, 1.0)
# ---
q = torch.ones(2, 4, 5, 8, dtype=torch.complex64); F.scaled_dot_product_attention(q, q, q)
