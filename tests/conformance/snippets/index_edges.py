x = torch.randn(2, 3, 4, 5)
y = x[:, :, :, 1]
z = y[:, 1:1, :]
(z.shape, y.stride(), z.stride())
# ---
x = torch.randn(4, 5)
(x[1:1].stride(), x[:, 2:2].stride(), x[1:1, ::2].stride(), x.narrow(0, 1, 0).stride())
# ---
torch.arange(3)[torch.tensor([1], dtype=torch.int16)]
# ---
(torch.LongTensor().shape, torch.rand(3, 3)[torch.LongTensor()].shape)
# ---
(torch.rand(1).new(0, 3, 3).shape, torch.rand(3).new().shape)
# ---
torch.rand(2).index_put([], torch.tensor([1.0]), True)
# ---
torch.take_along_dim(torch.rand(3), torch.zeros(3, dtype=torch.int32), dim=0)
# ---
(torch.unravel_index(torch.tensor(0), [torch.tensor(1), 2.0]),)
# ---
torch.unravel_index(torch.tensor([3]), shape=2.0)
