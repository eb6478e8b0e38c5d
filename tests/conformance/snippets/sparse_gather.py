def sparse_gradient(shape, of, dim):
    x = torch.arange(float(torch.Size(shape).numel())).view(shape).requires_grad_()
    index = torch.randint(x.size(dim), of) if of else torch.zeros((), dtype=torch.int64)
    out = torch.gather(x, dim, index, sparse_grad=True); out.backward(torch.rand_like(out))
    return x.grad, x.grad.to_dense()
for case in (((4, 4), (2, 4), 0), ((3, 3, 2), (3, 2, 2), 1), ((3, 3, 2), (3, 3, 1), -1), ((10,), (), 0)): print(sparse_gradient(*case))
# ---
leaf = torch.arange(4.).view(2, 2).requires_grad_(); given = torch.ones(2, 2)
torch.autograd.backward((leaf.clone(), leaf.gather(0, torch.tensor([[0, 0]]), sparse_grad=True)), (given, torch.ones(1, 2)))
print(given, leaf.grad)
x = torch.ones(3, requires_grad=True); i = torch.tensor([0, 0, 2])
(x.gather(0, i, sparse_grad=True).sum() + x.gather(0, i, sparse_grad=True).sum()).backward(); print(x.grad, x.grad.is_coalesced())
x.gather(0, i, sparse_grad=True).sum().backward(); x.grad.coalesce()
# ---
x = torch.ones(3, requires_grad=True)
g, = torch.autograd.grad((x.gather(0, torch.tensor([0, 0, 2]), sparse_grad=True) ** 3).sum(), x, create_graph=True)
g, torch.autograd.grad(g.to_dense().sum(), x)
# ---
table = nn.Parameter(torch.ones(4, 2)); optimizer = torch.optim.SparseAdam([table], lr=.1)
table.gather(0, torch.tensor([[1, 1], [2, 2]]), sparse_grad=True).sum().backward(); optimizer.step(); table
# ---
def sparse(): return torch.sparse_coo_tensor(torch.tensor([[1, 1]]), torch.tensor([1., 1.]), check_invariants=False)
p = torch.tensor([1.5, 1.5]).requires_grad_(); p.grad = before = sparse()
p.backward(sparse(), create_graph=True); before is p.grad, p.grad
# ---
x = torch.ones(2, requires_grad=True)
del x._backward_hooks
