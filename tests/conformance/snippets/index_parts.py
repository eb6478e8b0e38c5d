import numpy as np

x = torch.arange(27.0).reshape(3, 3, 3)
for key in ((..., ...), (None, ..., ...), (..., 0, ...), ([0.5, 1.5],), (2**63,), (slice(None), -(2**64)), ([2**63],), ([1j],)):
    print(attempt(lambda: x[key]))
print(x[[1.9]].tolist() == x[[1]].tolist(), attempt(lambda: x.__delitem__(0)), attempt(lambda: x[np.bool_(True)]))
for key in ((slice(None), slice(None), torch.tensor([3])), (0, [5]), (torch.tensor([0]), torch.tensor([9, -9])), (torch.tensor([9, -9]),)):
    print(attempt(lambda: x[key]), attempt(lambda: x.index_put([torch.tensor([7, -9])], torch.tensor(1.0))))


# ---
x = torch.randn(3, 3, 3)
first, last = torch.tensor([1, 0, 1], dtype=torch.uint8), torch.tensor([1, 1], dtype=torch.uint8)
for key in ((first,), (first, slice(None), first), (slice(None), last)):
    print(attempt(lambda: x[key].shape))


# ---
for key, value in ((5, "a"), ((0, 0, 0), None), (torch.tensor([1.5]), []), (9, 2**70), (slice(None, None, -1), {})):
    for x in (torch.ones(2, 3), torch.tensor(3)):
        print(attempt(lambda: x.__setitem__(key, value)))
mask = torch.tensor([True, False])
for value in (torch.tensor(1), torch.tensor([1]), torch.tensor(1.0, dtype=torch.float64), torch.tensor(1j)):
    for key in ([0], mask, ([0, 1], [0, 1]), (mask, 0)):
        x = torch.zeros(2, 3)
        print(attempt(lambda: x.__setitem__(key, value)), x.tolist())
    x = torch.zeros(2, 3)
    print(attempt(lambda: x.index_put((mask,), value)), attempt(lambda: x.index_put((mask,), value, accumulate=True)))
    print(attempt(lambda: x.index_put_((torch.tensor([0]),), value)), attempt(lambda: x.masked_fill(x == 0, value)))
    print(attempt(lambda: x.index_fill(0, torch.tensor([0]), value)))


# ---
x, place = torch.zeros(5, 2), torch.tensor([0, 1])
for indices, values in (([None, place], 1.0), ([place] * 3, 1.0), ([place, torch.tensor([0, 1, 0])], 1.0), ([place], torch.ones(1, 1, 2, 2)), ([place], torch.ones(3))):
    print(attempt(lambda: x.index_put(indices, torch.as_tensor(values))))
    print(attempt(lambda: x.clone().index_put_(indices, torch.as_tensor(values), accumulate=True)))
print(attempt(lambda: torch.ops.aten.index.Tensor(x, [])), torch.ops.aten.index.Tensor(x, [None, place]))
print(torch.ops.aten.index_put_(x, [None, torch.tensor([1])], torch.tensor(3.0)))


# ---
x = torch.zeros(3, 4)
for index, source in ((torch.tensor([[0, 1]]), torch.ones(2, 4)), (torch.tensor([0.0]), torch.ones(1, 4)), (torch.tensor([0, 1]), torch.ones(2, 3)), (torch.tensor([0, 1]), torch.tensor(1.0)), (torch.tensor([0]), torch.tensor(1.0)), (torch.tensor([0], dtype=torch.int16), torch.ones(1, 4))):
    print(attempt(lambda: x.index_add(0, index, source)), attempt(lambda: x.index_reduce(0, index, source, "prod")))
print(attempt(lambda: torch.tensor(0.0).index_add(0, torch.tensor([0]), torch.ones(1))))
for kind in (torch.bool, torch.complex64):
    for keeps in (True, False):
        print(attempt(lambda: x.to(kind).index_reduce(0, torch.tensor([1]), torch.ones(1, 4, dtype=kind), "prod", include_self=keeps)))
for index, source, how in ((torch.tensor([[5]]), torch.ones(1, 1), "bad"), (torch.tensor([[0]]), torch.ones(1), "sum"), (torch.tensor([[0]]), torch.ones(1, 1), "amax")):
    print(attempt(lambda: x.scatter(0, index, source, reduce=how)), attempt(lambda: x.scatter_reduce(0, index, source, how)))
print(x.scatter(0, torch.empty(0, dtype=torch.int64), 2.0, reduce="multiply"))
print(attempt(lambda: torch.take_along_dim(x, torch.tensor([0]), 0)))


# ---
a = torch.zeros(4, 64, 4, dtype=torch.int8).permute(2, 0, 1)[..., :3]
for kind in (torch.int16, torch.int64):
    print(attempt(lambda: a.view(kind)), attempt(lambda: a.permute(1, 2, 0).view(kind)))
pairs = torch.arange(12.0).reshape(3, 4)[:, 1:3]
print(attempt(lambda: torch.view_as_complex(pairs)), torch.view_as_complex(torch.arange(12.0).reshape(3, 4)[:, 2:]))
for size in ((-2, 3), (4, -1, -5), (-2,)):
    print(attempt(lambda: torch.ones(6).view(size)), attempt(lambda: torch.ones(1).expand(size)))
print(attempt(lambda: torch.ones(6).unflatten(0, ())), attempt(lambda: torch.ones(6).unflatten("a", (2, 3))))
print([p.shape for p in torch.ones(7).split(torch.tensor(3))], attempt(lambda: torch.ones(7).split(2.0)))
print(attempt(lambda: torch.ones(3).unfold(0, -1, 1)), attempt(lambda: torch.broadcast_shapes(1.1)))
out = torch.empty(2), torch.empty(2)
print(torch.split_copy(torch.arange(4.0), 2, out=out), out, attempt(lambda: torch.split_copy(torch.ones(4), 2, out=out[:1])))


# ---
for data in ([2**64 - 1, 5], [[2**63, 0]], 2**64 - 1, 2**64, -1, [1.5], [True, 2**64 - 1]):
    print(attempt(lambda: torch.tensor(data, dtype=torch.uint64)))
for shape in ((2, 1, 4, 4), (2, 3, 1, 1), (1, 1, 4, 4), (2, 3, 4, 4)):
    x = torch.ones(shape)
    last = x.to(memory_format=torch.channels_last)
    print(last.stride(), last is x, torch.empty_like(x, memory_format=torch.channels_last).stride())
    print(torch.empty(shape, memory_format=torch.channels_last).stride())
    print(F.interpolate(last, scale_factor=2).stride(), last.to(memory_format=torch.contiguous_format).stride())
print(attempt(lambda: torch.empty(2, 3, memory_format=torch.channels_last)), attempt(lambda: torch.empty(2, memory_format=torch.preserve_format)))
