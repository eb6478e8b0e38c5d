x=torch.ones(2,requires_grad=True); y=torch.zeros(2); y.copy_(x*2); z=y*y; y.add_(1); print(attempt(lambda: z.sum().backward()))
# ---
x=torch.ones(2,requires_grad=True); y=x*2; z=y*y; y.copy_(x); print(attempt(lambda: z.sum().backward()))
# ---
x=torch.ones(2,requires_grad=True); y=x*2; z=y*y; y.squeeze_(); print(attempt(lambda: z.sum().backward()))
# ---
x=torch.ones(2,requires_grad=True); y=x*2; z=y*y; y.pow_(2); print(attempt(lambda: z.sum().backward()))
# ---
x=torch.ones(2,requires_grad=True); y=x*2; z=y*y; y.pow_(x); print(attempt(lambda: z.sum().backward()))
# ---
x=torch.ones(2,requires_grad=True); y=x*2; z=y*y; y[0]=1; print(attempt(lambda: z.sum().backward()))
# ---
x=torch.ones(2,requires_grad=True); y=x*2; v=y[:1]; z=v*v; y.add_(1); print(attempt(lambda: z.sum().backward()))
# ---
x=torch.ones(2,requires_grad=True); y=x*2; v=y[:1]; z=v.exp(); v.add_(1); z.sum().backward(); print(x.grad); v.exp_(); print(attempt(lambda: v.sum().backward())); w=v*1; v.add_(1); print(attempt(lambda: w.sum().backward()))
# ---
x=torch.ones(2,requires_grad=True); y=x.bfloat16(); z=y*y; y.add_(1); print(attempt(lambda: z.sum().backward()))
y=x.half(); z=y*y; y.add_(1); print(attempt(lambda: z.sum().backward()))
y=torch.complex(x,x); z=y*y; y.add_(1); print(attempt(lambda: z.abs().sum().backward()))
y=x.double(); z=y*y; y.add_(1); print(attempt(lambda: z.sum().backward()))
# ---
x=torch.ones(2,requires_grad=True); y=x.exp(); y.detach_(); print(y.grad_fn, y.requires_grad)
# ---
x=torch.ones(2,requires_grad=True); y=x*2; z=y.sin(); y.requires_grad_(); y.data.add_(5); z.sum().backward(); print(x.grad); y=x*2; z=y*y; y.data=torch.zeros(2); z.sum().backward(); print(x.grad)
# ---
x=torch.ones(2,requires_grad=True); y=x*2; z=y*y; y.detach().add_(1); print(attempt(lambda: z.sum().backward())); 
# ---
x=torch.ones(2,requires_grad=True); y=x*2; z=y.exp(); z2=z.detach(); z2.zero_(); print(attempt(lambda: z.sum().backward())); 
# ---
x=torch.ones(2,requires_grad=True); y=x.sigmoid(); y.sigmoid_(); y.sum().backward(); print(x.grad); y=x.tanh(); y.mul_(2); print(attempt(lambda: y.sum().backward()))
# ---
x=torch.ones(2,2,requires_grad=True); y=x.softmax(1); y+=1; print(attempt(lambda: y.sum().backward())); y=x.max(1)[0]; y+=1; y.sum().backward(); y=x.cumprod(0); y+=1; print(attempt(lambda: y.sum().backward())); y=x.std(); y+=1; print(attempt(lambda: y.sum().backward()));y=x.prod(); y+=1; print(attempt(lambda: y.sum().backward())); y=x.norm(); y*=2; print(attempt(lambda: y.sum().backward())); y=x.sqrt(); y*=2; print(attempt(lambda: y.sum().backward()))
y=x.relu(); y+=1; print(attempt(lambda: y.sum().backward())); y=x.logsumexp(1); y*=2; print(attempt(lambda: y.sum().backward())); y=x.max(); y+=1; print(attempt(lambda: y.sum().backward())); y=x.median(); y+=1; print(attempt(lambda: y.sum().backward())); y=2**x; y+=1; print(attempt(lambda: y.sum().backward())); y=x.reciprocal(); y+=1; print(attempt(lambda: y.sum().backward())); y=x.rsqrt(); y+=1; print(attempt(lambda: y.sum().backward()))
