x = torch.ones(2); y = x * 2
(y.requires_grad, y.is_leaf)
# ---
torch.ones(2, dtype=torch.bool, requires_grad=True)
# ---
torch.tensor([True]).requires_grad_()
# ---
x = torch.ones(2, dtype=torch.int32); x.requires_grad = True
# ---
torch.ones(2, dtype=torch.complex64, requires_grad=True)
# ---
x = torch.ones(2, requires_grad=True); d = x.detach(); d.requires_grad_()
(d.is_leaf, d.requires_grad, d.data_ptr() == x.data_ptr())
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.requires_grad = True; y.is_leaf
# ---
x = torch.ones(2); x.requires_grad_(); x
# ---
x = torch.ones(2, requires_grad=True); y = x[0]; y.detach_()
# ---
x = torch.ones(2, requires_grad=True); x.to(torch.float64).sum().backward(); (x.grad, x.grad.dtype)
# ---
x = torch.tensor([1., 2.], requires_grad=True).to(torch.float64); (x.is_leaf, x.grad_fn is None)
# ---
x = torch.ones(2, requires_grad=True); y = x.cpu(); y is x
# ---
x = torch.nn.Parameter(torch.ones(2)); (x, x.is_leaf, x.requires_grad, type(x))
# ---
x = torch.nn.Parameter(torch.ones(2), requires_grad=False); x
# ---
x = torch.nn.Parameter(torch.ones(2) * 2); y = x + 1; (type(y), y)
# ---
torch.nn.Parameter(torch.tensor([1, 2]))
# ---
x = torch.ones(2, requires_grad=True); x.grad = torch.ones(3)
# ---
x = torch.ones(2, requires_grad=True); x.grad = torch.ones(2, dtype=torch.float64)
# ---
x = torch.ones(2, requires_grad=True); x.grad = 3
# ---
x = torch.ones(2, requires_grad=True); x.grad = x
# ---
x = torch.ones(2, requires_grad=True); x.grad = torch.ones(2); x.grad
# ---
x = torch.ones(2, requires_grad=True); y = torch.tensor(x)
# ---
x = torch.ones(2, requires_grad=True); y = torch.as_tensor(x); y is x
# ---
x = torch.ones(2, requires_grad=True); y = x.new_tensor([1., 2.]); z = x.new_zeros(2, requires_grad=True); (y, z)
# ---
x = torch.ones(2, requires_grad=True); y = torch.zeros_like(x); z = torch.ones_like(x, requires_grad=True); (y, z)
# ---
x = torch.ones(2, requires_grad=True); y = torch.empty_like(x).requires_grad
y
# ---
x = torch.ones(2, requires_grad=True); x.data = torch.tensor([1, 2])
# ---
x = torch.ones(2, requires_grad=True); x.data = torch.ones(2, dtype=torch.float64); (x, x * 2)
# ---
x = torch.ones(2, requires_grad=True); x.data[0] = 5; (x, x._version)
# ---
x = torch.ones(2, requires_grad=True); x.numpy()
# ---
x = torch.ones(2, requires_grad=True); import numpy as np; np.array(x)
# ---
x = torch.ones(2, requires_grad=True); (x*2).detach().numpy()
# ---
x = torch.ones(2, requires_grad=True); x.tolist()
# ---
x = torch.ones((), requires_grad=True); (float(x), x.item())
# ---
x = torch.ones(2, requires_grad=True); float(x)
# ---
x = torch.ones(2, requires_grad=True); x.item()
# ---
x = torch.ones(2, requires_grad=True); bool(x)
# ---
x = torch.tensor([]); bool(x)
# ---
x = torch.ones(2, requires_grad=True); import copy; y = copy.deepcopy(x); (y, y.is_leaf, y.grad)
# ---
x = torch.ones(2, requires_grad=True); import copy; copy.deepcopy(x * 2)
# ---
x = torch.ones(2, requires_grad=True); x.sum().backward(); import copy; y = copy.deepcopy(x); (y.grad, y.grad is x.grad)
# ---
x = torch.ones(2, requires_grad=True); import copy; y = copy.copy(x); (y is x, y.requires_grad, y.is_leaf)
# ---
import pickle
x = torch.ones(2, requires_grad=True); y = pickle.loads(pickle.dumps(x)); (y, y.grad)
# ---
import pickle
x = torch.ones(2, requires_grad=True); pickle.dumps(x * 2) is not None
# ---
x = torch.ones(2, requires_grad=True)
try:
    x.grad_fn = 1
except Exception as e: print(type(e), e)
x.output_nr
# ---
x = torch.ones(2, requires_grad=True); x.foo = 3; y = x * 1; (x.foo, hasattr(y, 'foo'))
# ---
x = torch.ones(2, requires_grad=True); x.is_leaf, x.retains_grad
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.retain_grad(); y.retains_grad, x.retain_grad(), x.retains_grad
# ---
torch.tensor(1., requires_grad=True).backward(); 
# ---
x = torch.tensor(5.); x.requires_grad = True; x.backward(); x.grad
# ---
x = torch.rand(3, requires_grad=True); y = torch.randn(2, 2, requires_grad=True); (x, y)
# ---
x = torch.full((2,), 3., requires_grad=True); y = torch.eye(2, requires_grad=True); z = torch.arange(3., requires_grad=True); (x, y, z)
# ---
torch.arange(3, requires_grad=True)
# ---
torch.linspace(0, 1, 3, requires_grad=True)
# ---
torch.from_numpy(__import__('numpy').ones(2)).requires_grad_()
# ---
with torch.no_grad():
    x = torch.ones(2, requires_grad=True); y = x * 2
(x.requires_grad, y.requires_grad)
# ---
x = torch.ones(2, requires_grad=True); (x.detach() is x, x.data is x, x.detach().is_leaf)
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.detach_(); (x*1).sum().backward(); (x.grad, y)
# ---
x = torch.ones(2, requires_grad=True); x.requires_grad = None
# ---
x = torch.ones(2, requires_grad=True); x.requires_grad_('no')
# ---
x = torch.ones(2, requires_grad=True); x.is_leaf = False
# ---
x = torch.ones(2); x.grad_fn = None
# ---
x = torch.ones(2); x.retain_grad()
# ---
x = torch.ones(2); x.register_hook(print)
# ---
torch.tensor([1., 2.], requires_grad=1)
# ---
torch.ones(2, requires_grad='yes')
# ---
torch.set_default_dtype(torch.float16); torch.tensor(1.5)
# ---
torch.set_default_dtype(torch.int32)
# ---
torch.set_default_dtype(torch.bfloat16); (torch.tensor(1.5), torch.ones(2), torch.get_default_dtype())
# ---
torch.set_default_dtype(torch.float64); (torch.tensor([1.5]), torch.tensor([1j]), torch.ones(2, dtype=torch.float32))
# ---
x = torch.ones(2, requires_grad=True); y = x.type(torch.float64); z = x.type('torch.DoubleTensor'); (y, z, x.type())
# ---
x = torch.ones(2, requires_grad=True); (x.half(), x.bfloat16(), x.double(), x.int())
# ---
x = torch.ones(3, requires_grad=True); y = x.view(3); z = x.reshape(3); (y, z, y.is_leaf)
# ---
x = torch.ones(3, requires_grad=True); for_ = [t for t in x]; for_
# ---
x = torch.ones(2, 2, requires_grad=True); a, b = x; (a, b)
# ---
x = torch.ones(2, requires_grad=True); x + None
# ---
x = torch.ones(2, requires_grad=True); x + 'a'
# ---
x = torch.ones(2, requires_grad=True); x + torch.ones(3)
# ---
x = torch.ones(2, requires_grad=True); 'a' * x
# ---
x = torch.ones(2, requires_grad=True); x.foo
# ---
x = torch.ones(2, requires_grad=True); x @ torch.ones(3)
# ---
x = torch.ones(2, requires_grad=True); x.view(3)
# ---
x = torch.ones(2, requires_grad=True); x.sum(5)
# ---
x = torch.ones(2, requires_grad=True); x[5]
# ---
x = torch.ones(2, requires_grad=True); x[0.5]
# ---
x = torch.ones(2, requires_grad=True); x['a']
# ---
x = torch.ones(2, 2, requires_grad=True); x[0, 0, 0]
# ---
x = torch.ones(2, requires_grad=True); x == x, x != 2, x is x, x in [x]
# ---
x = torch.ones(2, requires_grad=True); {x: 1}[x], hash(x) == id(x)
# ---
x = torch.ones(2, requires_grad=True); print(x); print(str(x * 2)); f"{x}", f"{x.sum():.3f}", "%s" % x.sum(), "%.2f" % x.sum()
