from torch.utils.data import *
ds = TensorDataset(torch.arange(10.), torch.arange(10) * 2)
for kw in (dict(batch_size=3), dict(batch_size=3, shuffle=True), dict(batch_size=4, drop_last=True, shuffle=True), dict(batch_size=None), dict(batch_size=1, sampler=SubsetRandomSampler([1, 3, 5])), dict(batch_size=2, sampler=WeightedRandomSampler([.1, .9, .5], 5)), dict(batch_sampler=BatchSampler(SequentialSampler(ds), 4, False)), dict(batch_size=3, shuffle=True, generator=torch.Generator().manual_seed(7)), dict(batch_size=5, collate_fn=lambda b: len(b)), dict(batch_size=5, sampler=RandomSampler(ds, replacement=True, num_samples=7)), dict(batch_size=3, sampler=RandomSampler(ds, num_samples=4)), dict(batch_size=5, pin_memory=False, timeout=0)):
    dl = DataLoader(ds, **kw); print(len(dl)); print(list(dl)); print(list(dl))
print(torch.rand(2))
# ---
from torch.utils.data import *
ds = TensorDataset(torch.arange(10.))
a, b = random_split(ds, [7, 3]); print(a.indices, b.indices, len(a), a[0]); a, b, c = random_split(ds, [.5, .3, .2], generator=torch.Generator().manual_seed(1)); print(a.indices, b.indices, c.indices)
print([list(x) for x in random_split(range(10), [.33, .33, .34])])
random_split(ds, [5, 6])
# ---
from torch.utils.data import *
random_split(range(4), [.5, .6])
# ---
from torch.utils.data import *
c = ConcatDataset([range(3), range(10, 12)]); print(len(c), list(c), c[-1], c.cumulative_sizes, c.datasets); s = Subset(range(10), [1, 3]); print(len(s), s[1], list(s)); st = StackDataset(torch.arange(3), torch.arange(3) * 2); print(len(st), st[1]); st = StackDataset(a=[1, 2], b=[3, 4]); print(st[0], len(st)); print(list(DataLoader(st, 2)))
ConcatDataset([])
# ---
from torch.utils.data import *
class It(IterableDataset):
    def __init__(s, n): s.n = n
    def __iter__(s): return iter(range(s.n))
print(list(DataLoader(It(5), batch_size=2)), list(DataLoader(It(5), batch_size=2, drop_last=True)), list(ChainDataset([It(2), It(3)])), list(It(2) + It(1)))
DataLoader(It(3), shuffle=True)
# ---
from torch.utils.data import *
class It(IterableDataset):
    def __iter__(s): return iter(range(3))
len(DataLoader(It()))
# ---
from torch.utils.data import *
DataLoader([1, 2], batch_size=2, batch_sampler=[[0]])
# ---
from torch.utils.data import *
DataLoader([1, 2], shuffle=True, sampler=[0, 1])
# ---
from torch.utils.data import *
DataLoader([1, 2], batch_size=0)
# ---
from torch.utils.data import *
DataLoader([1, 2], num_workers=-1)
# ---
from torch.utils.data import *
DataLoader([1, 2], timeout=-1)
# ---
from torch.utils.data import *
DataLoader([1, 2], batch_size=None, drop_last=True)
# ---
from torch.utils.data import *
DataLoader([], shuffle=True)
# ---
from torch.utils.data import *
import numpy as np, collections
P = collections.namedtuple('P', 'x y')
for b in ([1, 2], [1., 2.], [torch.ones(2), torch.zeros(2)], [(1, torch.ones(1)), (2, torch.ones(1))], [{'a': 1, 'b': [1, 2]}, {'a': 2, 'b': [3, 4]}], ['x', 'y'], [P(1, 2.), P(3, 4.)], [np.ones(2), np.zeros(2)], [np.float32(1), np.float32(2)], [True, False], [b'a', b'b'], [[1, 2], [3, 4]], [np.int64(3), np.int64(4)], [np.array(1), np.array(2)]): print(default_collate(b))
for v in (np.ones(2), [1, np.ones(1)], {'a': np.zeros(1)}, (1, 2), 'x', P(np.ones(1), 2)): print(default_convert(v))
# ---
from torch.utils.data import *
default_collate([torch.ones(2), torch.ones(3)])
# ---
from torch.utils.data import *
default_collate([object(), object()])
# ---
from torch.utils.data import *
default_collate([[1], [1, 2]])
# ---
from torch.utils.data import *
default_collate([None])
# ---
from torch.utils.data import *
class D(Dataset):
    def __len__(s): return 3
    def __getitem__(s, i): return {'x': torch.full((2,), float(i)), 'y': i, 'n': str(i)}
for b in DataLoader(D(), 2): print(b)
d = D() + D(); print(type(d).__name__, len(d)); print(DataLoader(D(), 2).batch_size, DataLoader(D()).sampler.__class__.__name__, DataLoader(D(), shuffle=True).batch_sampler.__class__.__name__, DataLoader(D()).num_workers, DataLoader(D()).drop_last, DataLoader(D()).dataset.__class__.__name__)
class E(Dataset): pass
E()[0]
# ---
from torch.utils.data import *
d = DataLoader(range(3)); d.batch_size = 5
# ---
from torch.utils.data import *
list(BatchSampler(range(5), 2, True)), list(BatchSampler(range(5), 2, False)), len(BatchSampler(range(5), 2, True)), list(SequentialSampler([3, 4])), len(RandomSampler(range(4)))
# ---
from torch.utils.data import *
RandomSampler([], replacement=False)
# ---
from torch.utils.data import *
RandomSampler([1], num_samples=-1)
# ---
from torch.utils.data import *
WeightedRandomSampler([1., 2.], 0)
# ---
from torch.utils.data import *
WeightedRandomSampler(torch.ones(2, 2), 3)
# ---
from torch.utils.data import *
BatchSampler([1], 0, False)
# ---
from torch.utils.data import *
TensorDataset(torch.ones(2), torch.ones(3))
# ---
from torch.utils.data import *
from torch.utils.data.distributed import DistributedSampler
for r in range(2): s = DistributedSampler(range(7), num_replicas=2, rank=r, shuffle=True, seed=3); s.set_epoch(1); print(list(s), len(s)); print(list(DistributedSampler(range(7), 2, r, shuffle=False, drop_last=True)))
DistributedSampler(range(3), 2, 5)
# ---
from torch.utils.data import *
class S(Sampler):
    def __iter__(s): return iter([2, 0])
    def __len__(s): return 2
print(list(DataLoader([10, 20, 30], sampler=S()))); it = iter(DataLoader(range(2))); next(it); next(it); next(it)
# ---
from torch.utils.data import DataLoader, get_worker_info
print(get_worker_info()); print([b for b in DataLoader(list(range(5)), batch_size=2, shuffle=True, worker_init_fn=lambda i: None)])
# ---
from torch.utils.data import DataLoader, TensorDataset
ds = TensorDataset(torch.randn(6, 2), torch.randint(0, 2, (6,)))
for e in range(2):
    for x, y in DataLoader(ds, 4, shuffle=True): print(x.shape, y)
print(len(ds), ds[1:3], ds.tensors[0].shape, next(iter(DataLoader(ds, 2)))[1])
