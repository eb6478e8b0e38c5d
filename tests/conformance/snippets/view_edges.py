x = torch.zeros(2, dtype=torch.cfloat)
x.real = torch.ones(2)
x.imag = 3
x
# ---
x = torch.tensor([1 + 2j])
v = x.conj().imag
(v._is_view(), v._base is x, v.is_neg())
# ---
a = torch.tensor([1 + 1j, 2 + 3j])
b = a.conj()
c = torch.tensor([1j, 2j])
r = torch.add(b, c)
(r, torch.add(b, c, out=a))
# ---
torch.tensor([1 + 2j]).conj().numpy()
# ---
torch.tensor([1 + 2j]).conj().imag.numpy()
# ---
x = torch.rand(2 * 3 * 4 * 4)
x.resize_((2, 3, 4, 4), memory_format=torch.channels_last)
x.stride()
# ---
torch.empty(1, dtype=torch.float64).resize_([2, 4, 2 ** 29, 2 ** 29])
# ---
torch.tensor_split(torch.rand(4), 0)
# ---
[t.tolist() for t in torch.tensor_split(torch.arange(5), (3, -1, 7))]
# ---
[t.tolist() for t in torch.tensor_split(torch.arange(10), (5, 2))]
# ---
torch.rand(3).swapdims(-2, 0)
# ---
from torch.autograd import gradgradcheck
x = torch.randn(5, dtype=torch.double, requires_grad=True)
gradgradcheck(lambda x: x.expand(5, 5).as_strided([5, 5], [0, 1], 0), [x])
# ---
torch.broadcast_shapes((1, -12), (1, 1))
