from torch.utils.data import *
ds=TensorDataset(torch.arange(10).float(),torch.arange(10)*2)
for e in range(2):
    for a,b in DataLoader(ds,batch_size=4,shuffle=True): print(a,b)
print(torch.rand(2)); len(DataLoader(ds,batch_size=4)), len(DataLoader(ds,batch_size=4,drop_last=True))
# ---
from torch.utils.data import *
g=torch.Generator().manual_seed(3)
ds=list(range(7))
for b in DataLoader(ds,batch_size=3,shuffle=True,generator=g): print(b)
for b in DataLoader(ds,batch_size=3,shuffle=True,generator=g,drop_last=True): print(b)
print(torch.rand(2))
# ---
from torch.utils.data import *
random_split(range(10),[3,3])
# ---
from torch.utils.data import *
class D(Dataset):
    def __len__(self): return 5
    def __getitem__(self,i): return {'x':torch.tensor([i,i+1.]),'y':i,'z':float(i),'s':str(i),'t':(i,[i,i])}
for b in DataLoader(D(),batch_size=2): print(b)
print(next(iter(DataLoader(D(),batch_size=None)))); next(iter(DataLoader(D(),batch_size=2,collate_fn=lambda b:b)))
# ---
from torch.utils.data import *
class D(Dataset): pass
D()[0]
# ---
from torch.utils.data import *
class D(Dataset):
    def __len__(self): return 4
    def __getitem__(self,i): return torch.rand(2)+i
for nw in (0,1,2):
    torch.manual_seed(0)
    for b in DataLoader(D(),batch_size=2,num_workers=nw): print(b)
    print(torch.rand(1))
# ---
from torch.utils.data import *
class I(IterableDataset):
    def __iter__(self):
        w=get_worker_info(); k=0 if w is None else w.id; n=1 if w is None else w.num_workers
        return iter(range(k,7,n))
for nw in (0,2):
    for b in DataLoader(I(),batch_size=2,num_workers=nw): print(b)
for b in DataLoader(I(),batch_size=2,drop_last=True): print(b)
for b in DataLoader(I(),batch_size=None): print(b)
DataLoader(I(),shuffle=True)
# ---
from torch.utils.data import *
c=ConcatDataset([range(3),range(10,14)]); print(len(c),c[-1],c[3],[c[i] for i in range(7)]); c[-9]
# ---
from torch.utils.data import *
print(list(RandomSampler(range(5))),list(RandomSampler(range(5),replacement=True,num_samples=8)),list(RandomSampler(range(5),num_samples=12)))
print(list(SubsetRandomSampler([3,5,7])),list(WeightedRandomSampler([.1,.9,.5],6)),list(WeightedRandomSampler([.1,.9,.5],3,replacement=False)))
print(list(BatchSampler(SequentialSampler(range(7)),3,False)),list(BatchSampler(range(7),3,True))); print(list(DataLoader(range(4),sampler=RandomSampler(range(4)))),list(DataLoader(range(4),batch_sampler=[[0,1],[3]])))
# ---
from torch.utils.data import *
DataLoader(range(3),shuffle=True,sampler=[1])
# ---
from torch.utils.data import *
DataLoader(range(3),batch_sampler=[[1]],batch_size=3)
# ---
from torch.utils.data import *
DataLoader(range(3),batch_size=0)
# ---
from torch.utils.data import *
DataLoader([])
DataLoader([],shuffle=True)
# ---
from torch.utils.data import *
d=DataLoader(range(3)); d.batch_size=4
# ---
from torch.utils.data import *
list(DataLoader([torch.ones(2),torch.ones(3)],batch_size=2))
# ---
from torch.utils.data import *
list(DataLoader([[1,2],[1]],batch_size=2))
# ---
from torch.utils.data import *
class A: pass
list(DataLoader([A(),A()],batch_size=2))
# ---
from torch.utils.data import *
list(DataLoader([None,None],batch_size=2))
# ---
from torch.utils.data import *
import numpy as np
print(list(DataLoader(np.arange(6.).reshape(3,2),batch_size=2)),list(DataLoader(np.arange(4,dtype=np.float32),batch_size=3)),list(DataLoader([True,False],batch_size=2)),list(DataLoader([1.5,2],batch_size=2)))
from collections import namedtuple
P=namedtuple('P','a b'); print(list(DataLoader([P(1,2.),P(3,4.)],batch_size=2)))
# ---
from torch.utils.data import *
list(DataLoader(range(3),pin_memory=True))
# ---
from torch.utils.data import *
it=iter(DataLoader(range(3))); next(it); next(it); next(it); next(it)
# ---
from torch.utils.data import *
s=StackDataset(range(3),range(3,6)); print(s[1],len(s)); s=StackDataset(a=range(3),b=range(3,6)); print(s[1], list(DataLoader(s,batch_size=2)))
# ---
from torch.utils.data import *
a=TensorDataset(torch.ones(3,2))+TensorDataset(torch.zeros(2,2)); print(a[4],len(a)); TensorDataset(torch.ones(2),torch.ones(3))
# ---
from torch.utils.data import *
from torch.utils.data.dataloader import default_collate
print(default_collate([{'a':1},{'a':2}]), default_collate(['a','b']), default_collate([(1,2.),(3,4.)])); Subset(range(5),[1,3])[[0,1]]
