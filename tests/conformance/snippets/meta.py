x=torch.empty(2,3,device='meta'); print(x, x.shape, x.device, x.is_meta, x.stride(), x.dtype, x.requires_grad); print(torch.ones(2,device='meta',requires_grad=True)); print(torch.tensor([1.,2.],device='meta')); print(torch.empty(0,device='meta'), torch.zeros((),device='meta'), torch.zeros(2,dtype=torch.int64,device='meta'))
# ---
x=torch.empty(2,3,device='meta'); y=x@x.T+1; print(y); print(x.sum(), x.mean(0), x.exp(), x.t(), x[0], x[:,1:], x.view(3,2), torch.cat([x,x]), x>0, x.softmax(1), x.max(1).values if 0 else x.amax(1), x.argmax(1), x.float().double())
# ---
torch.zeros((),device='meta').item()
# ---
torch.zeros(2,device='meta').item()
# ---
bool(torch.zeros((),device='meta'))
# ---
torch.zeros(2,device='meta').numpy()
# ---
torch.zeros(2,device='meta').tolist()
# ---
float(torch.zeros((),device='meta'))
# ---
torch.zeros(2,device='meta').to('cpu')
# ---
torch.zeros(2,device='meta').cpu()
# ---
torch.ones(2).to('meta')
# ---
torch.zeros(2,device='meta')+torch.ones(2)
# ---
torch.zeros(2,device='meta')+torch.tensor(1.)
# ---
torch.nonzero(torch.zeros(2,device='meta'))
# ---
x=torch.zeros(2,device='meta'); x[x>0]
# ---
x=torch.zeros(3,device='meta'); x.add_(1); x[0]=5; x.copy_(torch.ones(3)); print(x, x._version); y=torch.ones(3); y.copy_(x)
# ---
l=nn.Linear(3,4,device='meta'); print(l, l.weight); print(l(torch.zeros(2,3,device='meta'))); l.to('cpu')
# ---
l=nn.Linear(3,4,device='meta'); l2=l.to_empty(device='cpu'); print(l2.weight.shape, l2.weight.device)
# ---
torch.set_default_device('meta'); x=torch.ones(2,3); print(x, torch.get_default_device()); torch.set_default_device('cpu'); print(torch.ones(2)); torch.set_default_device(None)
# ---
with torch.device('meta'): l=nn.Linear(2,2); x=torch.rand(3,2)
print(l.weight.device, x.device, l(x))
# ---
x=torch.empty(2,3,device='meta'); print(torch.empty_like(x), torch.ones_like(x,device='cpu'), x.new_zeros(2), torch.zeros_like(torch.ones(2),device='meta')); print(torch.equal(x,x))
# ---
x=torch.empty(100000,100000,device='meta'); print((x@x).shape, x.sum().shape)
# ---
torch.allclose(torch.zeros(2,device='meta'),torch.zeros(2,device='meta'))
# ---
import copy
x=torch.empty(2,device='meta',requires_grad=True); print(copy.deepcopy(x), x.clone(), x.detach(), x.data_ptr())
# ---
F.cross_entropy(torch.zeros(2,3,device='meta'),torch.zeros(2,dtype=torch.long,device='meta'))
# ---
x=torch.zeros(2,3,device='meta'); print(torch.topk(x,2), x.sort(), x.unbind(), x.split(1), x.std(), torch.where(x>0,x,1.), x.masked_fill(x>0,0), x.gather(1,torch.zeros(2,1,dtype=torch.long,device='meta')), x.cumsum(1), torch.stack([x,x]).shape, x.repeat(2,2).shape, torch.einsum('ij,ij->i',x,x))
# ---
nn.Conv2d(3,8,3,device='meta')(torch.zeros(1,3,8,8,device='meta')).shape
# ---
m=nn.Sequential(nn.Linear(3,4),nn.ReLU(),nn.Linear(4,2)).to('meta'); out=m(torch.zeros(5,3,device='meta')); out.sum().backward(); print(m[0].weight.grad, out)
