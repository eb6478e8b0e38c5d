a = torch.tensor([1 + 2j])
b = a.conj()
a.add_(b)
(a, b, torch.add(b, b))
# ---
a = torch.tensor([1 + 2j])
b = a.conj()
b.add_(1j)
(a, b)
# ---
a = torch.tensor([1 + 2j, 3j])
b = a.conj()
c = a.conj()
x = torch.add(b, c)
torch.add(b, c, out=a)
(x, a, b)
# ---
a = torch.tensor([1 + 2j, 3j])
b = a.conj()
c = a.conj()
x = a + b
a.add_(b)
y = torch.add(b, c)
(x, a, b, y)
# ---
torch.tensor([1 + 2j]).conj().view(torch.float32)
# ---
torch.rand(2).adjoint()
# ---
torch.rand(0, 5, 64).view(torch.uint8).shape
# ---
x = torch.rand(2, 5, 256)[1::2, 1:, ::1]
(x.stride(), x.view(torch.uint8).shape)
# ---
x = torch.rand(1, 5, 1).expand(5, 5, 1)
(x.stride(), x.view(torch.uint8).shape)
# ---
def d4d():
    x = torch.rand(4, 64, 4).permute(2, 0, 1)
    try:
        return (x.stride(), x.view(torch.uint8).shape)
    except Exception as e:
        return (x.stride(), str(e))
d4d()
# ---
x = torch.zeros(2, 3)
y = torch.linspace(0, 3, 4, out=x.narrow(1, 1, 2))
(x, y.shape)
# ---
class S:

    def __len__(self):
        return 3

    def __getitem__(self, i):
        raise IndexError
l = []
l.append(l)
torch.tensor(l)
# ---
torch.cat([torch.randn(0), torch.randn(4, 3, 2)], dim=1).shape
# ---
torch.cat([torch.randn(0), torch.randn(0)], dim=1).shape
# ---
(torch.tensor((float('nan'), 0, 5), dtype=torch.bool), torch.tensor(((7, 5), (9, torch.tensor(5.0).double().numpy()))).dtype)
# ---
torch.range(0, 1, device='cpu')
# ---
torch.repeat_interleave(torch.tensor([1, -1]))
# ---
t = torch.empty(3, dtype=torch.int64)
t.random_(0, None)
(t >= 0).all()
# ---
(torch.randperm(5, out=torch.empty(0, dtype=torch.uint8)).numel(), torch.randperm(300, out=torch.empty(0, dtype=torch.uint8)))
# ---
from torch.func import vmap
x = torch.arange(10.0).view(2, 5)
(vmap(lambda t: t.expand(5, 5).as_strided([5, 5], [0, 1], 0))(x)[0],)
# ---
from torch.func import vmap
x = torch.arange(10.0).view(2, 5)
(vmap(lambda t: t.as_strided([2, 2], [1, 1], 0))(x), vmap(lambda t: t.as_strided([2, 2], [1, 2], 0), in_dims=1)(torch.arange(12.0).view(4, 3)))
# ---
torch.nonzero(torch.eye(2), as_tuple=True, out=torch.empty(0, dtype=torch.long))
# ---
(torch.ByteTensor().shape, torch.zeros(0).new().shape, torch.FloatTensor([]).shape, torch.Tensor([]).shape, torch.Tensor(3).shape, type(torch.Tensor(2, 3)).__name__)
