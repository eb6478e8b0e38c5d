x = torch.arange(4.); v = x[1:]; x.requires_grad_(); print(v.requires_grad, v.is_leaf, v.grad_fn, v); y = v*2; print(y, y.grad_fn.next_functions); print(attempt(lambda: y.sum().backward())); print(v.grad, x.grad); print(attempt(lambda: v.add_(1)))
# ---
x = torch.arange(4.); v = x[1:]; v.requires_grad_(); print(v.requires_grad, v.is_leaf, x.requires_grad); y=v*2; y.sum().backward(); print(v.grad, x.grad); print(attempt(lambda: v.add_(1))); print(attempt(lambda: x.add_(1))); print(v.grad_fn, v, attempt(lambda: v*2))
# ---
x = torch.arange(4.); v = x[1:]; v.requires_grad_(); w=torch.ones(4,requires_grad=True); x.mul_(w); print(v, v.grad_fn, v.requires_grad, v.is_leaf); y=v.sum(); y.backward(); print(w.grad)
# ---
x = torch.arange(4., requires_grad=True); y=x*1
with torch.no_grad():
    v=y[1:]
print(v.requires_grad, v.is_leaf, v.grad_fn, v); z=v*2; print(z, z.grad_fn.next_functions); print(attempt(lambda: z.sum().backward())); print(x.grad)
u=v[1:]; print(u.requires_grad, u.grad_fn, attempt(lambda: u.add_(1)))
print(attempt(lambda: y.add_(1))); print(attempt(lambda: v.grad_fn)); print(attempt(lambda: v)); print(attempt(lambda: v*2)); print(attempt(lambda: v.is_leaf), v.requires_grad)
with torch.no_grad(): print(attempt(lambda: v*2)); print(attempt(lambda: v.is_leaf)); v.add_(1)
print(y)
# ---
x = torch.arange(4., requires_grad=True); y=x*1
a,b = y.split(2); print(a.grad_fn, a.output_nr, b.output_nr); y.add_(1); print(attempt(lambda: a.grad_fn)); print(attempt(lambda: b*2)); print(attempt(lambda:a)); y.sum().backward(); print(x.grad)
# ---
y = torch.arange(4.); a,b=y.split(2); w=torch.ones(2,requires_grad=True); print(attempt(lambda: a.mul_(w))); a.add_(1); print(y); print(attempt(lambda: y.mul_(torch.ones(4,requires_grad=True)))); print(attempt(lambda: a.grad_fn))
# ---
x = torch.arange(4., requires_grad=True); y=x*1
for f in (lambda: y.unbind(0)[1], lambda: y.chunk(2)[1], lambda: y.split([1,3])[1], lambda: y.tensor_split(2)[1], lambda: y.hsplit(2)[1], lambda: torch.unsafe_split(y,2)[1], lambda: torch.unsafe_chunk(y,2)[1], lambda: torch.unsafe_split_with_sizes(y,[1,3])[1], lambda: y.view(2,2).vsplit(2)[1], lambda: y.split(2)[0][1:], lambda: y.view(2,2).unbind()[0].view(2)):
    v=attempt(f); print(attempt(lambda: (v._is_view(), v.grad_fn.name(), v.output_nr))); print(attempt(lambda: v.mul_(2)))
# ---
x = torch.arange(4., requires_grad=True); y=x*1; v=y[1:]; u=v[1:]; u.mul_(3); print(y, v, u); print(y.grad_fn.next_functions, v.grad_fn.next_functions, u.grad_fn.next_functions); v.mul_(2); print(y,v,u); (y.sum()+v.sum()*2+u.sum()*3).backward(); print(x.grad)
print(y._version, v._version, u._version, u._base is y, v._base is y)
# ---
x = torch.arange(6., requires_grad=True).reshape(2,3); y=x*1; v=y.t(); v.t_(); print(v.shape, v.grad_fn, y.grad_fn, y._version); print(attempt(lambda: (y.sum()+v.sum()).backward()))
# ---
x = torch.arange(6., requires_grad=True); y=(x*1).reshape(2,3); y.t_(); print(y, y.grad_fn, y._version, y._base is None, y.stride()); (y*torch.arange(6.).reshape(3,2)).sum().backward(); print(x.grad)
# ---
x = torch.arange(6., requires_grad=True); y=(x*1); y.unsqueeze_(0); print(y.grad_fn, y.shape); y.squeeze_(); print(y.grad_fn,y.shape); y.unsqueeze_(-1).transpose_(0,1); print(y.grad_fn); y.swapaxes_(0,1); print(y.grad_fn, y.shape); y.swapdims_(0,1); y.squeeze_(0); print(y.grad_fn); y.unsqueeze_(0); y.squeeze_((0,)); print(y.grad_fn); y.sum().backward(); print(x.grad)
# ---
x = torch.arange(6., requires_grad=True); y=x*1; y.as_strided_((2,2),(2,1),1); print(y, y.grad_fn); y.sum().backward(); print(x.grad)
# ---
x = torch.arange(6., requires_grad=True); print(attempt(lambda: x.set_(torch.ones(2)))); y=x*1; print(attempt(lambda: y.set_(torch.ones(2))), y._version); print(attempt(lambda: y.resize_(2)), attempt(lambda: y.resize_as_(torch.ones(2)))); 
with torch.no_grad(): print(attempt(lambda: x.set_(torch.ones(2)))); print(attempt(lambda: x.resize_(3))); print(x)
# ---
x = torch.arange(6., requires_grad=True)
y=x*1; print(attempt(lambda: y.squeeze_(5))); print(attempt(lambda: x.t_())); print(attempt(lambda: x.unsqueeze_(0))); print(attempt(lambda: x[1:].unsqueeze_(0))); print(attempt(lambda: x.as_strided_((2,),(1,))))
# ---
x=torch.arange(6., requires_grad=True); y=x*1; y.retain_grad(); v=y[1:]; v.retain_grad(); v.mul_(2); v.register_hook(lambda g: print('v',g)); y.register_hook(lambda g: print('y',g)); print(v.retains_grad, y.retains_grad); y.sum().backward(); print(y.grad, v.grad, x.grad)
# ---
x=torch.arange(6., requires_grad=True); y=x*1; y.register_hook(lambda g: print('y0',g)); v=y[1:]; v.register_hook(lambda g: print('v0',g)); v.mul_(2); v.register_hook(lambda g: print('v1',g)); y.register_hook(lambda g: print('y1',g)); (y.sum()+v.sum()).backward(); print(x.grad)
# ---
x=torch.arange(6., requires_grad=True); y=x*1; y.retain_grad(); y.mul_(2); y.retain_grad(); z=y.sum(); z.backward(); print(y.grad)
# ---
x=torch.tensor([1+2j,3+1j], requires_grad=True); y=x*1; r=y.real; i=torch.imag(y); v=torch.view_as_real(y); print(r.grad_fn, v.grad_fn); r.mul_(3); print(y.grad_fn, r.grad_fn, i.grad_fn, v.grad_fn, r.grad_fn.next_functions); i.add_(1); (v*torch.arange(4.).reshape(2,2)).sum().backward(); print(x.grad)
# ---
x=torch.arange(4., requires_grad=True); y=x.reshape(2,2)*1; z=torch.view_as_complex(y); z.mul_(1j); print(y, z, z.grad_fn, y.grad_fn); (y*torch.arange(4.).reshape(2,2)).sum().backward(); print(x.grad)
# ---
x=torch.arange(3.); print(x.untyped_storage())
# ---
x=torch.ones(4, requires_grad=True); y=x*1; y.set_(torch.ones(2)); print(y.grad_fn.name(), type(y.grad_fn).__name__, y.grad_fn.next_functions, attempt(lambda: y.sum().backward()), y._version)
# ---
x=torch.ones(4); print(x.is_set_to(x), x.is_set_to(x.view(4)), x.is_set_to(x[1:])); print(x.resize_as_(torch.ones(2,2))); print(attempt(lambda: x.resize_(-1))); print(attempt(lambda: x.resize_("a"))); print(attempt(lambda: x.set_(1)));print(attempt(lambda: x.set_(torch.ones(2,dtype=torch.int64)))); print(x.resize_((1,)), x.resize_([2,1]).shape, x.resize_(0).shape, x.resize_().shape)
# ---
x=torch.ones(4); v=x[1:]; x.resize_(2); print(x, v, v._base is x, x._version); x.add_(1); print(v)
# ---
x=torch.ones(2,3); v=x.view(6); x.t_(); print(v._base.shape, v.shape, x.shape, v._version); x.add_(1); print(v)
# ---
a=torch.ones(4,requires_grad=True); x=(a*1); v=x[1:]; x.unsqueeze_(0); print(v.grad_fn, v.grad_fn.next_functions, v.grad_fn._saved_size, v.grad_fn._saved_stride, v.grad_fn._saved_storage_offset); (v*2).sum().backward(); print(a.grad)
# ---
a=torch.ones(2,3,requires_grad=True); x=(a*1); v=x.t(); v.unsqueeze_(0); print(v.grad_fn, v.grad_fn.next_functions, x.grad_fn); v.mul_(2); print(v.grad_fn, x.grad_fn); x.sum().backward(); print(a.grad)
# ---
a=torch.ones(2,3,requires_grad=True); x=(a*1); v=x[0]; v.unsqueeze_(0); w=v*3; x.mul_(2); print(v.grad_fn); (w.sum()+v.sum()).backward(); print(a.grad)
# ---
a=torch.ones(4,requires_grad=True); x=a*1; u,w=x.split(2); print(attempt(lambda: u.unsqueeze_(0)))
with torch.no_grad(): v=x[1:]
print(attempt(lambda: v.unsqueeze_(0)))
with torch.no_grad(): print(attempt(lambda: x.unsqueeze_(0).shape), x.grad_fn, x._version); print(attempt(lambda: a.unsqueeze_(0)), a.is_leaf, a.grad_fn)
# ---
x=torch.ones(2,3,1); print(x.squeeze_(2).shape, x.squeeze_(0).shape, x.unsqueeze_(-1).shape, x.transpose_(0,-1).shape, x.swapaxes_(0,1).shape, x.squeeze_().shape, x.as_strided_((3,),(1,)).shape, attempt(lambda: x.t_().shape), attempt(lambda: x.view(1,1,3).t_()), attempt(lambda: x.unsqueeze_(4)), attempt(lambda: x.transpose_(0,3)), attempt(lambda: x.as_strided_((30,),(1,))), x.squeeze_((0,)).shape, x.moveaxis(0,0).shape, x.swapdims_(0,0).shape)
# ---
x=torch.arange(4.); v=x[1:]; print(v.as_strided((2,),(1,)), v.as_strided((2,),(1,),0), v.as_strided((2,),(1,),2), x.as_strided((2,2),(1,1)), v.as_strided((2,),(1,))._base is x)
a=torch.arange(4.,requires_grad=True); y=a*1; v=y[1:]; w=v.as_strided((2,),(1,)); print(w, w.grad_fn._saved_storage_offset, attempt(lambda: v.as_strided((2,),(1,),0).grad_fn._saved_storage_offset)); w.sum().backward(); print(a.grad)
v=y.detach()[1:].requires_grad_(); w=v.as_strided((2,),(1,),2); print(w); w.sum().backward(); print(v.grad)
w=v.as_strided((2,),(1,),0); print(w, attempt(lambda: w.sum().backward()), v.grad)
# ---
x=torch.arange(4.); print(x.unfold(0,2,1), x.diagonal if 0 else '', x.reshape(2,2).diagonal().fill_(7), x); y=x.view(2,2); y.diagonal().add_(1); print(x); x.unfold(0,2,2)[1].mul_(0); print(x)
a=torch.ones(2,2,requires_grad=True); y=a*1; y.diagonal().mul_(3); print(y.grad_fn, y); y.sum().backward(); print(a.grad); z=a*1; z.unfold(0,2,1)
z=a*1; q=z.unfold(0,2,2); q.mul_(2); print(z.grad_fn, q.grad_fn); z.sum().backward(); print(a.grad)
z=torch.ones(1,3); w=torch.ones(3,requires_grad=True); e=z.expand(2,3); print(attempt(lambda: e.mul_(w)), e[0].mul_(w), z.grad_fn, e.grad_fn)
