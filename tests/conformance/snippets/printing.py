for x in (torch.tensor([1.,2.5]), torch.tensor([1e-5,1.]), torch.tensor([1e10,1.]), torch.tensor([1.,2.]), torch.tensor([float('nan'),float('inf'),-1.]), torch.tensor([0.1]*30), torch.arange(30), torch.arange(1200), torch.ones(50,50), torch.zeros(2,0), torch.zeros(0,3,dtype=torch.int32), torch.tensor([]), torch.tensor(3.), torch.tensor(1234567.), torch.tensor(1e-7), torch.tensor([True,False]), torch.tensor([1+2j,3.5-1j]), torch.tensor([[1e-8,1.],[3,4]])): print(x)
# ---
x=torch.randn(3,3,3); print(x); print(x.requires_grad_()); print(x*2); print((x*2).sum(0))
# ---
x=torch.randn(3,4,5,dtype=torch.float64); print(x); print(x.half()); print(x.bfloat16()); print(x[0].to(torch.complex64)); print(x.int()); print(x>0)
# ---
torch.set_printoptions(precision=2); print(torch.randn(3)); torch.set_printoptions(sci_mode=True); print(torch.tensor([1.,2.])); torch.set_printoptions(profile='full'); print(torch.arange(1100)[:3]); torch.set_printoptions(profile='short'); print(torch.randn(3)); torch.set_printoptions(threshold=5,edgeitems=1); print(torch.arange(10), torch.ones(4,4)); torch.set_printoptions(linewidth=30); print(torch.arange(20.)); torch.set_printoptions(profile='default')
# ---
x=torch.randn(2,requires_grad=True); print([x, x*2], (x,), {'a':x.exp()}, f"{x}", str(x), repr(x.sum()), f"{x.sum():.3f}", "%s" % x.detach(), f"{x.detach()!r}")
# ---
print(f"{torch.tensor(3.14159):.2f} {torch.tensor(5):d} {torch.tensor(5):>5}", f"{torch.tensor([1.])}"); f"{torch.tensor([1.,2.]):.2f}"
# ---
p=nn.Parameter(torch.ones(2)); print(p, [p], p.data, p*2); print(nn.ParameterList([p])); print(nn.Linear(2,1).weight.shape)
# ---
x=torch.ones(3,requires_grad=True); y=x.view(3,1); print(y, y.detach(), x.grad, y.is_leaf, x[0], x.unbind(), x.max(0), x.sort())
# ---
print(torch.tensor([1,2],dtype=torch.int8), torch.tensor([1.5],dtype=torch.float16), torch.tensor([-1,200],dtype=torch.int16), torch.tensor([2**40]), torch.tensor([255],dtype=torch.uint8), torch.tensor([1],dtype=torch.uint16))
# ---
print(torch.Size([2,3]), torch.ones(2,3).size(), torch.ones(2,3).shape[0], torch.ones(2).dtype, torch.ones(2,3).shape+(1,), torch.Size((1,2)).numel(), torch.ones(2,3).size(1), torch.Size([2])*2, torch.Size([1,2,3])[1:])
# ---
x=torch.tensor([0.00001,1000000.]); print(x); print(torch.tensor([100000.,1.5])); print(torch.tensor([1e8,1.])); print(torch.tensor([1e-4,1.])); print(torch.tensor([1234.5678,0.001])); print(torch.tensor([99999.5,0.1])); print(torch.tensor([-0.,0.])); print(torch.tensor([1e38,-1e38])); print(torch.tensor([float('inf'),1.])); print(torch.tensor([float('nan')]))
# ---
print(torch.tensor([1e-3+1j,2e5-3j]), torch.tensor([1+0j]), torch.tensor([float('nan')+1j, complex(float('inf'),-1)]), torch.tensor(2j), torch.tensor([1.5+2j],dtype=torch.complex128), torch.randn(2,2,dtype=torch.complex64))
# ---
torch.set_default_dtype(torch.float64); print(torch.ones(2), torch.ones(2,dtype=torch.float32), torch.ones(2)*1j, torch.ones(2,dtype=torch.complex64), torch.tensor([1,2]), torch.ones(2,dtype=torch.float16))
# ---
x=torch.arange(2000.).view(2,1000); print(x); x=torch.arange(5000).view(5,10,100); print(x)
# ---
x=torch.zeros(1,1,1,1); print(x, x.shape); print(torch.zeros(2,2,0), torch.zeros(0), torch.zeros((0,),dtype=torch.bool), torch.empty(0,0,requires_grad=True), torch.zeros(0,dtype=torch.float64))
# ---
with torch.no_grad(): print(torch.ones(2,requires_grad=True), torch.ones(2,requires_grad=True)*2)
# ---
print(torch.ones(2,requires_grad=True).double(), torch.ones(200,requires_grad=True)*1.5, torch.randn(2,3,requires_grad=True,dtype=torch.float64)*2)
# ---
print(torch.get_default_dtype(), torch.strided, torch.contiguous_format, torch.preserve_format, torch.channels_last, torch.float32, torch.Tensor, torch.nn.Parameter, torch.optim.SGD, torch.nn.Linear, torch.no_grad, torch.autograd.Function, torch.device, torch.Generator, torch.Size)
# ---
with torch._tensor_str.printoptions(precision=1) if 0 else torch.autograd.set_detect_anomaly(False): print(torch.ones(1))
# ---
print(torch.tensor([[1,2],[3,4]]).tolist(), torch.tensor(1.5).tolist(), torch.tensor([True]).tolist(), torch.tensor([1+1j]).tolist(), torch.tensor([1.1]).tolist(), torch.tensor([1.1],dtype=torch.float64).tolist(), torch.tensor([1.1],dtype=torch.float16).tolist(), torch.tensor([1.1],dtype=torch.bfloat16).tolist(), torch.zeros(0).tolist(), torch.zeros(2,0).tolist())
# ---
x=torch.tensor([1.,2.,3.]); print(x.numpy(), x.numpy().dtype, list(x), tuple(x), x[0].item(), len(x), x.nelement(), 2. in x, reversed(x), [a for a in x]); print(max(x), min(x), sum(x), sorted(x), abs(x), -x, +x, ~torch.tensor([True]), divmod(x,2) if 0 else 0, round(x.sum().item(),2), pow(x,2), x//2, x%2, 2**x, x@x)
# ---
print(int(torch.tensor(3)), hash(torch.tensor(3)) is not None, bool(torch.tensor([1])), torch.tensor(3).__index__(), [1,2,3][torch.tensor(1)], range(torch.tensor(3)), "a"*torch.tensor(2))
# ---
torch.tensor([1,2]).__index__()
# ---
if torch.ones(2): pass
# ---
print(torch.tensor(1)==1, torch.tensor([1])==torch.tensor([1]), torch.tensor(1)==None, torch.tensor([1,2])!=torch.tensor([1,3]), torch.tensor(1) is None, torch.tensor([1,2])=='a')
