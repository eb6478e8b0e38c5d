torch.rand(2, 2).to_sparse(layout=torch.sparse_coo).layout
# ---
from torch.autograd import gradcheck
x = torch.rand(10, dtype=torch.double).to_sparse().requires_grad_()
gradcheck(lambda x: x.to_dense(), (x,), masked=True, check_batched_grad=False)
# ---
p = torch.tensor([1.5, 1.5]).requires_grad_()
p.grad = torch.sparse_coo_tensor(torch.tensor([[1, 1]]), torch.tensor([1.0, 1.0]))
p.backward(torch.tensor([1.5, 1.5]))
p.grad
# ---
a = torch.eye(2).to_sparse().requires_grad_()
b = torch.ones(2, 2, requires_grad=True)
r = a.mm(b)
r.sum().backward()
b.grad
# ---
a = torch.sparse_coo_tensor(torch.tensor([[0, 1]]), torch.ones(2), (3,))
(a + a).coalesce().values()
