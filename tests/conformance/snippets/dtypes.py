x=torch.tensor([1+2j,3-1j]); c=x.conj(); print(c.is_conj(),c.resolve_conj().is_conj(),c, c._is_view(), torch.is_conj(c)); print(c.resolve_conj()); print(x.is_neg(), c.imag.is_neg(), c.imag, c.real.is_neg()); print(c.imag.resolve_neg().is_neg()); print(c.conj().is_conj(), c+1, (c*2).is_conj(), c.T.is_conj() if 0 else c.view(2,1).is_conj())
# ---
x=torch.tensor([1.,2.]); print(x.conj() is x, x.is_conj(), x.resolve_conj() is x, x.H if x.ndim==2 else 0)
# ---
x=torch.tensor([[1+2j,3-1j]]); print(x.H, x.mH, x.H.is_conj(), x.adjoint()); x.conj_physical(), x.conj_physical().is_conj()
# ---
x=torch.tensor([1+2j]); c=x.conj(); x.mul_(1j); print(c, x); c.mul_(2); print(c,x, c.is_conj())
# ---
x=torch.tensor([1+2j]); torch.view_as_real(x.conj())
# ---
x=torch.tensor([1+2j]); print(torch.view_as_real(x), torch.view_as_real(x.conj().resolve_conj())); x.conj().numpy()
# ---
x=torch.tensor([1+2j]); x.conj().resolve_conj().numpy()
# ---
x=torch.randn(2,dtype=torch.complex64); print(x, x.real, x.imag, x.abs(), x.angle(), torch.polar(x.abs(),x.angle())); print(torch.complex(torch.ones(2),torch.zeros(2)), torch.view_as_complex(torch.ones(2,2)))
# ---
print(torch.finfo(torch.float32), torch.finfo(torch.float16).max, torch.finfo(torch.bfloat16), torch.finfo(torch.float64).eps, torch.finfo().tiny, torch.iinfo(torch.int8), torch.iinfo(torch.int64).max, torch.iinfo(torch.uint8).min)
# ---
torch.finfo(torch.int32)
# ---
torch.iinfo(torch.float32)
# ---
print(torch.finfo(torch.complex64), torch.finfo(torch.float16).smallest_normal, torch.finfo(torch.float16).resolution, torch.finfo(torch.float32).min, torch.finfo(torch.float16).bits, torch.finfo(torch.float16).dtype)
# ---
print(torch.can_cast(torch.float,torch.int), torch.can_cast(torch.int,torch.float), torch.promote_types(torch.int32,torch.float16), torch.result_type(torch.tensor([1,2]),1.0), torch.result_type(torch.tensor([1,2],dtype=torch.int32),torch.tensor(2)), torch.result_type(1,2.5), torch.promote_types(torch.complex64, torch.float64))
# ---
x=torch.tensor([1.,2.]); print(x.type(), x.type(torch.float64), x.type('torch.IntTensor'), x.type_as(torch.tensor(1)), x.type(torch.LongTensor)); x.type(torch.DoubleTensor).type()
# ---
torch.set_default_dtype(torch.float64); print(torch.tensor(1.),torch.ones(2),torch.tensor([1.,2.]).dtype,torch.tensor([1j]),torch.get_default_dtype(), torch.ones(2,dtype=torch.float32)); torch.set_default_dtype(torch.int32)
# ---
torch.set_default_dtype('x')
# ---
torch.set_default_tensor_type(torch.DoubleTensor); print(torch.ones(2))
# ---
print(torch.float32.is_floating_point, torch.float32.itemsize, torch.complex64.to_real(), torch.float32.to_complex(), torch.int32.is_signed, torch.float is torch.float32, torch.half, torch.cdouble, torch.complex64.is_complex); print([str(d) for d in (torch.bool,torch.uint8,torch.bfloat16)], type(torch.float32)); torch.dtype
# ---
d=torch.device('cpu'); print(d, repr(d), d.type, d.index, torch.device('cpu',0), torch.device('cpu:0')==torch.device('cpu'), torch.ones(2).device, torch.ones(2).is_cuda, torch.ones(2).is_cpu, torch.ones(2).get_device(), hash(d)==hash(torch.device('cpu')))
# ---
torch.device('foo')
# ---
torch.device('cuda'), torch.device('cuda:1'), torch.device('meta'), torch.device(0)
# ---
torch.device('cpu:-1')
# ---
torch.ones(2,device='cuda')
# ---
torch.ones(2).cuda()
# ---
torch.ones(2).to('cuda')
# ---
torch.tensor([1.],device='cuda:0')
# ---
torch.ones(2).to(torch.device('cuda'))
# ---
print(torch.cuda.is_available(), torch.cuda.device_count(), torch.backends.cudnn.enabled, torch.backends.mps.is_available(), torch.get_num_threads()>0, torch.version.cuda)
# ---
torch.cuda.current_device()
# ---
torch.cuda.synchronize()
# ---
torch.cuda.manual_seed(3); torch.cuda.manual_seed_all(3); torch.cuda.empty_cache(); torch.cuda.is_initialized()
# ---
device = torch.device('cuda' if torch.cuda.is_available() else 'cpu'); print(device); torch.ones(2,device=device).to(device,non_blocking=True)
# ---
device = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else 'cpu'; device
# ---
torch.set_default_device('cpu'); torch.get_default_device()
# ---
with torch.device('cpu'): print(torch.ones(2))
# ---
import copy,pickle
x=torch.tensor([1.,2.],requires_grad=True); x.grad=torch.ones(2); y=copy.deepcopy(x); print(y,y.grad,y.is_leaf); z=pickle.loads(pickle.dumps(x)); print(z, z.grad); w=copy.copy(x); print(w,w.grad, w.data_ptr()==x.data_ptr())
# ---
import copy
copy.deepcopy(torch.ones(2,requires_grad=True)*2)
# ---
import io
b=io.BytesIO(); torch.save({'a':torch.ones(2),'b':[1,'x'],'c':torch.tensor(3)},b); b.seek(0); print(torch.load(b)); b.seek(0); torch.load(b,weights_only=True)
# ---
import numpy as np
x=torch.ones(3); n=x.numpy(); n[0]=5; print(x); a=np.arange(3.); t=torch.from_numpy(a); t[1]=9; print(a,t,t.dtype); print(torch.as_tensor(a).data_ptr()==t.data_ptr(), torch.tensor(a)); x.__array__()
# ---
import numpy as np
torch.ones(2,requires_grad=True).numpy()
# ---
import numpy as np
print(np.array(torch.ones(2)), np.asarray(torch.arange(3)), np.sum(torch.ones(3).numpy())); print(torch.ones(2)+np.ones(2), np.float64(2)*torch.ones(2), torch.ones(2)*np.float32(3))
# ---
import numpy as np
print(np.ones(2)+torch.ones(2))
# ---
import numpy as np
print(np.ones(2)*torch.ones(2,requires_grad=True))
# ---
torch.ones(2).item()
# ---
print(torch.tensor(3).item(), torch.tensor([2.5]).item(), torch.tensor(True).item(), torch.tensor(1+2j).item(), torch.tensor(1.5,dtype=torch.bfloat16).item(), torch.tensor(1.5,dtype=torch.float16).item()); int(torch.tensor(3.7)), float(torch.tensor(2)), bool(torch.tensor(0)), complex(torch.tensor(1.))
# ---
x=torch.arange(4); print(x/2, x//2, x*1.5, x**2, x**-1.0, (x>1).sum(), x.float().mean()); x.mean()
# ---
torch.tensor([1,2])+torch.tensor([1.5]), torch.tensor([1,2],dtype=torch.uint8)+300, torch.tensor([True])+torch.tensor([True]), torch.tensor(5)/torch.tensor(2), torch.tensor([200],dtype=torch.uint8)+torch.tensor([100],dtype=torch.uint8)
# ---
torch.tensor([1,2]).add_(1.5)
# ---
torch.tensor([1,2])/0, torch.tensor([1])//0
# ---
torch.tensor([1.,2.]).to(torch.int32), torch.tensor([1.7,-1.7]).long(), torch.tensor([float('nan'),1e10]).int(), torch.tensor([300.]).to(torch.uint8), torch.tensor([-1.]).to(torch.uint8)
# ---
print(torch.tensor([1,2],dtype=torch.int8).bool(), torch.tensor([1.5]).half(), torch.tensor([1.5]).bfloat16(), torch.tensor([1.5]).cfloat(), torch.tensor([1.]).double(), torch.tensor(3).char(), torch.tensor(3).short(), torch.tensor(3).byte())
# ---
torch.is_tensor(torch.ones(1)), torch.is_tensor(3), torch.is_floating_point(torch.ones(1)), torch.is_complex(torch.ones(1)), torch.is_nonzero(torch.tensor(1.)), torch.numel(torch.ones(2,3)), torch.is_storage(3)
# ---
torch.is_nonzero(torch.ones(2))
# ---
x=torch.ones(2,3); print(x.element_size(), x.nbytes, x.itemsize, x.dim(), x.ndimension(), x.nelement(), x.layout, x.is_contiguous(), x.storage_offset(), x.stride(), x.stride(0), x.is_signed(), x.is_sparse, x.is_quantized, x.is_meta, x.is_inference(), x.names, x.untyped_storage().nbytes())
