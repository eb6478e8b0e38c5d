from torch.optim.swa_utils import AveragedModel, SWALR, update_bn, get_ema_avg_fn, get_ema_multi_avg_fn
torch.manual_seed(0); net=nn.Sequential(nn.Linear(2,3),nn.BatchNorm1d(3),nn.Linear(3,1)); avg=AveragedModel(net); ema=AveragedModel(net,avg_fn=get_ema_avg_fn(.9)); em2=AveragedModel(net,multi_avg_fn=get_ema_multi_avg_fn(.9))
o=torch.optim.SGD(net.parameters(),lr=.1); s=SWALR(o,swa_lr=.05,anneal_epochs=3)
for i in range(5):
    x=torch.randn(8,2); o.zero_grad(); net(x).pow(2).mean().backward(); o.step(); avg.update_parameters(net); ema.update_parameters(net); em2.update_parameters(net); s.step(); print(s.get_last_lr())
print(avg.n_averaged, list(avg.module[0].parameters())); print(ema.module[0].bias, em2.module[0].bias); print(avg(torch.ones(1,2)) if 0 else avg)
update_bn([torch.randn(8,2) for _ in range(3)],avg); print(avg.module[1].running_mean, avg.state_dict().keys(), s.state_dict())
# ---
from torch.optim.swa_utils import *
w=torch.ones(1,requires_grad=True); o=torch.optim.SGD([w],lr=1.); s=SWALR(o,.1,anneal_strategy='linear',anneal_epochs=4)
for i in range(6): o.step(); s.step(); print(o.param_groups[0]['lr'])
SWALR(o,.1,anneal_strategy='x')
# ---
from torch.optim.swa_utils import *
get_ema_avg_fn(1.5)
# ---
@torch.compile
def f(x): return x*2
f(torch.ones(2)), torch.compile(lambda x:x+1)(torch.ones(1)), torch.compiler.is_compiling()
