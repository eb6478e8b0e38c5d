torch.add(torch.ones(2), 'a')
# ---
torch.add(torch.ones(2), None)
# ---
torch.mul(torch.ones(2), [1, 2])
# ---
torch.ones(2).add('a')
# ---
torch.ones(2).mul_(None)
# ---
torch.sin('a')
# ---
torch.sin()
# ---
torch.sin(1.0)
# ---
torch.add(1, 2)
# ---
torch.sum('a')
# ---
torch.sum(torch.ones(2), dim='a')
# ---
torch.sum(torch.ones(2), dims=0)
# ---
torch.matmul(torch.ones(2), 3)
# ---
torch.cat(torch.ones(2))
# ---
torch.cat([])
# ---
torch.cat([torch.ones(2), 3])
# ---
torch.stack([torch.ones(2), torch.ones(3)])
# ---
torch.cat([torch.ones(2, 2), torch.ones(3, 3)])
# ---
torch.where(torch.ones(2), 1, 2)
# ---
torch.where(torch.ones(2) > 0, 1, 2)
# ---
torch.ones('a')
# ---
torch.ones(2.5)
# ---
torch.ones(-1)
# ---
torch.zeros(2, dtype='float32')
# ---
torch.zeros(2, dtype=float)
# ---
torch.tensor([1, 'a'])
# ---
torch.tensor([[1, 2], [3]])
# ---
torch.tensor(None)
# ---
torch.tensor({1: 2})
# ---
torch.reshape(torch.ones(4), (3,))
# ---
torch.ones(4).view(2, 3)
# ---
torch.ones(4).view('a')
# ---
torch.ones(2, 3).transpose(0, 5)
# ---
torch.ones(2, 3).permute(0)
# ---
torch.ones(2, 3).squeeze(5)
# ---
torch.ones(2).clamp()
# ---
torch.ones(2).softmax()
# ---
torch.softmax(torch.ones(2), dim=3)
# ---
torch.ones(2).exp(3)
# ---
torch.ones(2).exp(foo=3)
# ---
torch.exp(torch.ones(2), out=torch.ones(2))
# ---
torch.exp(torch.ones(2, requires_grad=True), out=torch.ones(2))
# ---
torch.manual_seed('a')
# ---
torch.randn(2, 'a')
# ---
torch.randint(3, (2,)).shape
# ---
torch.randint(0, 0, (2,))
# ---
torch.arange(0, 5, -1)
# ---
torch.ones(2) + torch.ones(2, dtype=torch.bool), torch.ones(2, dtype=torch.int8) + 1.5, torch.tensor(1) + torch.tensor([1.5])
# ---
torch.ones(2, dtype=torch.bool) - torch.ones(2, dtype=torch.bool)
# ---
-torch.ones(2, dtype=torch.bool)
# ---
~torch.ones(2)
# ---
torch.ones(2) & torch.ones(2)
# ---
torch.ones(2) ** 'a'
# ---
2 ** torch.ones(2, requires_grad=True)
# ---
torch.ones(2) // 0
# ---
torch.ones(2, dtype=torch.int64) // 0
# ---
torch.tensor([1, 2]) % 0
# ---
torch.tensor([5, -5]) // 2, torch.tensor([5., -5.]) % 3
# ---
torch.mean(torch.tensor([1, 2]))
# ---
torch.nn.functional.relu('a')
# ---
torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([1, 5]))
# ---
torch.nn.functional.mse_loss(torch.ones(2), torch.ones(3))
# ---
torch.mm(torch.ones(2), torch.ones(2))
# ---
torch.mm(torch.ones(2, 3), torch.ones(2, 3))
# ---
torch.bmm(torch.ones(2, 3), torch.ones(2, 3))
# ---
torch.dot(torch.ones(2, 3), torch.ones(2, 3))
# ---
torch.dot(torch.ones(2), torch.ones(3))
# ---
torch.ones(2, 3) @ torch.ones(2, 3)
# ---
torch.ones(2) @ torch.ones(2, dtype=torch.float64)
# ---
torch.ones(3)[torch.tensor([0, 5])]
# ---
torch.ones(3)[torch.tensor([True, False])]
# ---
x = torch.ones(3); x[torch.tensor([0.5])]
# ---
x = torch.ones(3); x[0] = 'a'
# ---
x = torch.ones(3); x[0:2] = torch.ones(3)
# ---
x = torch.ones(3); x[4] = 1
# ---
torch.gather(torch.ones(2, 2), 0, torch.tensor([[0, 3]]))
# ---
torch.ones(2).foo()
# ---
torch.ones(2, device='cuda')
# ---
torch.ones(2).cuda()
# ---
torch.ones(2).to('cuda')
# ---
torch.cuda.is_available(), torch.cuda.device_count()
# ---
torch.device('cuda'), torch.device('cpu'), torch.device('foo')
# ---
torch.ones(2).to('cpu'), torch.ones(2).to(torch.device('cpu')).device
# ---
torch.ones(2, device='meta')
# ---
torch.split(torch.ones(5), [2, 2])
# ---
torch.ones(2, 2).t(), torch.ones(2, 2, 2).t()
# ---
torch.ones(2).unsqueeze(3)
# ---
torch.ones(2).expand(3)
# ---
torch.ones(2).repeat()
# ---
torch.ones(2, 2).diagonal(0, 0, 0)
# ---
torch.max(torch.ones(0))
# ---
torch.argmax(torch.ones(0))
# ---
torch.ones(2).max(dim=5)
# ---
torch.topk(torch.ones(2), 3)
# ---
torch.ones(2).std(dim=0, unbiased=False), torch.ones(1).std()
# ---
torch.tensor([1., 2.]).type_as(torch.tensor([1]))
# ---
torch.nn.functional.softmax(torch.ones(2))
# ---
torch.ones(2).sum(0, 1)
# ---
torch.ones(2).reshape(-1, -1)
# ---
len(torch.tensor(1.))
# ---
[x for x in torch.tensor(1.)]
# ---
torch.tensor([1., 2.]).backward
# ---
torch.tensor(3).new_ones(2), torch.tensor([1.]).new_full((2,), 3)
