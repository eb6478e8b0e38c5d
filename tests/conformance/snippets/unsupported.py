torch.tensor([True])-torch.tensor([1])
# ---
torch.tensor([1])-torch.tensor([True])
# ---
torch.tensor([True])-torch.tensor([True])
# ---
torch.tensor([True])-True
# ---
True-torch.tensor([True])
# ---
1-torch.tensor([True])
# ---
torch.tensor([True])-1
# ---
torch.tensor([1])-True
# ---
torch.tensor([1.])-torch.tensor([True])
# ---
torch.tensor([1]).sub_(torch.tensor([True]))
# ---
torch.atan2(torch.ones(2),1)
# ---
torch.ones(2).maximum(1)
# ---
torch.logical_and(torch.ones(2),True)
# ---
torch.amax(torch.tensor([1j]))
# ---
torch.tensor([1j]).max()
# ---
torch.tensor([1j]).max(0)
# ---
torch.tensor([1j,2]).sort()
# ---
torch.tensor([1j,2]).argmax()
# ---
torch.tensor([True]).argmax()
# ---
torch.tensor([1j,2]).median()
# ---
torch.tensor([True,False]).median()
# ---
torch.tensor([1j,2]).softmax(0)
# ---
torch.tensor([1,2],dtype=torch.uint8).any(), torch.tensor([1,2],dtype=torch.uint8).all(), torch.tensor([[1,2]],dtype=torch.uint8).any(0)
# ---
torch.lerp(torch.ones(2),torch.ones(2,dtype=torch.float64),.5)
# ---
torch.tensor([True]).dot(torch.tensor([True]))
# ---
torch.tensor([1,2]).softmax(0)
# ---
torch.tensor([1,2]).mean()
# ---
torch.tensor([1,2]).std()
# ---
torch.tensor([1,2]).log_softmax(0)
# ---
torch.tensor([1,2]).norm()
# ---
torch.tensor([1,2])@torch.tensor([1.,2.])
# ---
torch.ones(2,2).mm(torch.ones(2,2).double())
# ---
torch.tensor([1,2]).requires_grad_()
# ---
torch.tensor([1,2]).float().requires_grad_().long().sum().backward()
