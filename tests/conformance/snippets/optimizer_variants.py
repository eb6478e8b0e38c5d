import torch.optim as O
w=torch.nn.Parameter(torch.ones(2)); 
for c in ("SGD","Adam","AdamW","Adagrad","Adadelta","Adamax","ASGD","NAdam","RAdam","RMSprop","Rprop","LBFGS","Adafactor"):
    o=getattr(O,c)([w]); print(o); print({k:v for k,v in o.state_dict().items()})
# ---
import torch.optim as O
for f in (lambda: O.SGD([], .1), lambda: O.SGD([torch.ones(1,requires_grad=True)*2],.1), lambda: O.SGD(torch.ones(1),.1), lambda: O.SGD([1.],.1), lambda: O.SGD([torch.ones(1)],-1.), lambda: O.Adam([torch.ones(1)],betas=(1.,.9)), lambda: O.Adam([torch.ones(1)],betas=(.9,2.)), lambda: O.Adam([torch.ones(1)],eps=-1), lambda: O.Adam([torch.ones(1)],weight_decay=-1), lambda: O.SGD([torch.ones(1)],.1,nesterov=True), lambda: O.SGD([torch.ones(1)],.1,momentum=-1), lambda: O.RMSprop([torch.ones(1)],alpha=-1), lambda: O.Rprop([torch.ones(1)],etas=(1.,.5)), lambda: O.Adadelta([torch.ones(1)],rho=2), lambda: O.LBFGS([{'params':[torch.ones(1)]},{'params':[torch.ones(2)]}]), lambda: O.LBFGS([torch.ones(1)]).step(), lambda: O.SGD({torch.ones(1)},.1), lambda: O.SGD([{'params':{torch.ones(1)}}],.1), lambda: O.Adam([torch.ones(1)],fused=True,foreach=True), lambda: O.Adam([torch.ones(1)],fused=True,differentiable=True), lambda: O.SGD([torch.ones(1)],foreach=True,lr=torch.tensor(.1)), lambda: O.Adam([torch.ones(1)],foreach=True,lr=torch.tensor(.1)), lambda: O.Adam([torch.ones(1)],lr=torch.tensor([.1,.2])), lambda: O.Optimizer([torch.ones(1)],{}).step(), lambda: O.ASGD([torch.ones(1)],lr=-1), lambda: O.NAdam([torch.ones(1)],momentum_decay=-1), lambda: O.Muon([torch.ones(1)]), lambda: O.SparseAdam([torch.ones(1)],lr=0), lambda: O.Adagrad([torch.ones(1)],lr_decay=-1), lambda: O.SGD([('a',torch.ones(1)),torch.ones(1)],.1), lambda: O.Adamax([torch.ones(1)],betas=(.9,1.))):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
# ---
import torch.optim as O
a,b=torch.nn.Parameter(torch.ones(2)),torch.nn.Parameter(torch.ones(1)); o=O.SGD([{'params':[a]},{'params':[b],'lr':.5,'momentum':.9}],lr=.1); print(o); o.add_param_group({'params':torch.nn.Parameter(torch.zeros(1)),'weight_decay':.1}); print(len(o.param_groups),o.param_groups[2]['lr'])
for f in (lambda: o.add_param_group({'params':[a]}), lambda: o.add_param_group([a]), lambda: o.add_param_group({'params':[torch.ones(1,requires_grad=True)*1]})):
    try: f()
    except Exception as e: print(type(e).__name__,e)
for _ in range(2): o.zero_grad(); ((a**2).sum()+(b**3).sum()).backward(); o.step()
s=o.state_dict(); print(s); o2=O.SGD([{'params':[a]},{'params':[b]},{'params':[torch.zeros(1)]}],lr=1.); o2.load_state_dict(s); print(o2.state_dict()==s if 0 else o2)
o3=O.SGD([a],.1)
try: o3.load_state_dict(s)
except Exception as e: print(type(e).__name__,e)
try: O.SGD([{'params':[a,b]},{'params':[torch.ones(1)]},{'params':[torch.ones(1)]}],.1).load_state_dict(s)
except Exception as e: print(type(e).__name__,e)
# ---
import torch.optim as O
w=torch.nn.Parameter(torch.tensor([1.,2.])); o=O.Adam([w],.1)
h=[o.register_step_pre_hook(lambda o,a,k: print('pre',a,k)),o.register_step_post_hook(lambda o,a,k: print('post')),o.register_state_dict_pre_hook(lambda o: print('sdpre')),o.register_state_dict_post_hook(lambda o,s: print('sdpost',sorted(s))),o.register_load_state_dict_pre_hook(lambda o,s: print('lpre')),o.register_load_state_dict_post_hook(lambda o: print('lpost'))]
w.sum().backward(); o.step(); o.load_state_dict(o.state_dict()); [x.remove() for x in h]; o.step(); print(w, o.state[w]['step'])
def c(): o.zero_grad(); l=(w**2).sum(); l.backward(); return l
print(o.step(c)); print(o.zero_grad(set_to_none=False), w.grad); o.zero_grad(); print(w.grad)
# ---
import torch.optim as O, copy, pickle, io
w=torch.nn.Parameter(torch.tensor([1.,2.])); o=O.Adam([w],.1,amsgrad=True,weight_decay=.01); w.sum().backward(); o.step(); d=copy.deepcopy(o.state_dict()); o.step(); o.load_state_dict(d); print(o.state_dict()['state']); bf=io.BytesIO(); torch.save(o.state_dict(),bf); bf.seek(0); print(torch.load(bf)['param_groups'])
for k in (dict(foreach=True),dict(foreach=False),dict(fused=True),dict(capturable=False),dict(maximize=True),dict(differentiable=False)):
    w=torch.nn.Parameter(torch.tensor([1.,2.])); o=O.Adam([w],.1,**k)
    for _ in range(3): o.zero_grad(); (w**2).sum().backward(); o.step()
    print(k,w.data,o.state[w])
# ---
import torch.optim as O
w=torch.nn.Parameter(torch.tensor([1.,2.])); o=O.LBFGS([w],lr=.5,max_iter=5,history_size=3,line_search_fn='strong_wolfe')
def c(): o.zero_grad(); l=((w-torch.tensor([3.,-1.]))**4).sum(); l.backward(); return l
for _ in range(3): print(o.step(c), w.data)
print(sorted(o.state_dict()['state'][0])); o=O.LBFGS([w],line_search_fn='x'); o.step(c)
# ---
import torch.optim as O
from torch.optim.lr_scheduler import *
o=O.SGD([torch.nn.Parameter(torch.ones(1))],1.); s=StepLR(o,2,.5)
s.step(); o.step(); print(s.get_last_lr(), s.last_epoch, s.state_dict()); s2=StepLR(o,2,.5); s2.load_state_dict(s.state_dict()); print(s2.last_epoch, s2.base_lrs)
for _ in range(3): o.step(); s.step(); print(s.get_last_lr())
s.step(5); print(s.get_last_lr()); print(s.get_lr())
# ---
import torch.optim as O
from torch.optim.lr_scheduler import *
def run(f,n=8):
    o=O.SGD([{'params':[torch.nn.Parameter(torch.ones(1))]},{'params':[torch.nn.Parameter(torch.ones(1))],'lr':.5}],1.,momentum=.9)
    try: s=f(o)
    except Exception as e: print(type(e).__name__,e); return
    r=[]
    for i in range(n):
        o.step(); s.step(*([1.-.1*min(i,2)] if isinstance(s,ReduceLROnPlateau) else [])); r.append([round(g['lr'],5) for g in o.param_groups])
    print(type(s).__name__, r, s.get_last_lr() if hasattr(s,'get_last_lr') else '')
    d=s.state_dict(); print(sorted(d))
for f in (lambda o: LambdaLR(o,lambda e: .9**e), lambda o: LambdaLR(o,[lambda e: .9**e, lambda e: 1/(1+e)]), lambda o: LambdaLR(o,[lambda e: 1.]), lambda o: MultiplicativeLR(o,lambda e: .9), lambda o: StepLR(o,3), lambda o: MultiStepLR(o,[2,5],.1), lambda o: ConstantLR(o,.5,3), lambda o: ConstantLR(o,1.5), lambda o: LinearLR(o,.5,total_iters=4), lambda o: LinearLR(o,0.), lambda o: ExponentialLR(o,.9), lambda o: CosineAnnealingLR(o,5), lambda o: CosineAnnealingLR(o,3,.1), lambda o: CosineAnnealingWarmRestarts(o,3,2), lambda o: CosineAnnealingWarmRestarts(o,0), lambda o: PolynomialLR(o,4,2.), lambda o: CyclicLR(o,.1,1.,3), lambda o: CyclicLR(o,.1,1.,3,mode='x'), lambda o: OneCycleLR(o,2.,total_steps=9), lambda o: OneCycleLR(o,2.), lambda o: OneCycleLR(o,2.,total_steps=3), lambda o: ReduceLROnPlateau(o,patience=1), lambda o: ReduceLROnPlateau(o,factor=1.), lambda o: ReduceLROnPlateau(o,mode='x'), lambda o: SequentialLR(o,[ConstantLR(o,.1,2),ExponentialLR(o,.9)],[3]), lambda o: SequentialLR(o,[ConstantLR(o)],[3,4]), lambda o: ChainedScheduler([ConstantLR(o,.1,2),ExponentialLR(o,.9)]), lambda o: ChainedScheduler([]), lambda o: StepLR(o,3,last_epoch=2), lambda o: torch.optim.swa_utils.SWALR(o,.05,3), lambda o: torch.optim.swa_utils.SWALR(o,.05,-1)): run(f)
# ---
from torch.optim.lr_scheduler import *
StepLR(3, 2)
# ---
import torch.optim as O
from torch.optim.swa_utils import *
m=torch.nn.Sequential(torch.nn.Linear(2,2),torch.nn.BatchNorm1d(2)); a=AveragedModel(m); e=AveragedModel(m,multi_avg_fn=get_ema_multi_avg_fn(.9)); c=AveragedModel(m,avg_fn=lambda x,y,n: x+y,use_buffers=True)
for i in range(3):
    with torch.no_grad():
        for p in m.parameters(): p.add_(1.)
    m(torch.randn(4,2)); a.update_parameters(m); e.update_parameters(m); c.update_parameters(m)
print(a.n_averaged, [p.data for p in a.parameters()], [p.data for p in e.parameters()], sorted(a.state_dict())[:3], c.module[1].running_mean); update_bn([torch.randn(4,2) for _ in range(3)],a); print(a.module[1].running_mean, a.module[1].num_batches_tracked, a.module[1].momentum); get_ema_multi_avg_fn(2.)
