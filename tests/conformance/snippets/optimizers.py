w=torch.ones(2,requires_grad=True); print(torch.optim.Adam([w])); print(torch.optim.SGD([w],lr=.1,momentum=.9)); print(torch.optim.AdamW([{'params':[w],'lr':.5}]))
print(torch.optim.RMSprop([w]),torch.optim.LBFGS([w]),torch.optim.Adagrad([w]),torch.optim.NAdam([w]))
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.Adam([w]); w.sum().backward(); o.step(); print(o.state_dict()); o.state
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=.1); w.sum().backward(); o.step(); print(o.state_dict()); o.state
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=.1,momentum=.9); w.sum().backward(); o.step(); d=o.state_dict(); print(d)
v=torch.ones(2,requires_grad=True); o2=torch.optim.SGD([v],lr=.3); o2.load_state_dict(d); print(o2); print(o2.state_dict())
# ---
w=torch.ones(2,requires_grad=True); torch.optim.SGD([w,w*2],lr=.1)
# ---
torch.optim.SGD([],lr=.1)
# ---
torch.optim.SGD([3],lr=.1)
# ---
torch.optim.SGD(["a"],lr=.1)
# ---
torch.optim.SGD(torch.ones(2),lr=.1)
# ---
torch.optim.SGD([torch.ones(2)],lr=-.1)
# ---
torch.optim.Adam([torch.ones(2)],betas=(1.,.9))
# ---
torch.optim.Adam([torch.ones(2)],betas=(.9,1.9))
# ---
torch.optim.Adam([torch.ones(2)],eps=-1)
# ---
torch.optim.Adam([torch.ones(2)],weight_decay=-1)
# ---
torch.optim.Adam([torch.ones(2)],lr=torch.tensor([.1,.2]))
# ---
torch.optim.SGD([torch.ones(2)],nesterov=True)
# ---
torch.optim.SGD([torch.ones(2)],momentum=-1)
# ---
torch.optim.SGD({torch.ones(2)},lr=.1)
# ---
torch.optim.SGD([{'params':{torch.ones(2)}}],lr=.1)
# ---
w=torch.ones(1,requires_grad=True); torch.optim.SGD([w,w],lr=.1)
# ---
w=torch.ones(1,requires_grad=True); torch.optim.SGD([{'params':[w]},{'params':[w]}],lr=.1)
# ---
w=torch.ones(1,requires_grad=True); o=torch.optim.SGD([w],lr=.1); o.add_param_group([w])
# ---
w=torch.ones(1,requires_grad=True); v=torch.ones(1); o=torch.optim.SGD([w],lr=.1); o.add_param_group({'params':v,'lr':3}); print(o); o.param_groups
# ---
w=torch.ones(1,requires_grad=True); o=torch.optim.SGD([w],lr=.1); o.load_state_dict({'state':{},'param_groups':[]})
# ---
w=torch.ones(1,requires_grad=True); o=torch.optim.SGD([w],lr=.1); o.load_state_dict({'state':{},'param_groups':[{'params':[0,1]}]})
# ---
w=torch.ones(1,requires_grad=True); o=torch.optim.SGD([('a',w)],lr=.1); print(o); print(o.state_dict()); o.add_param_group({'params':[torch.ones(1)]})
# ---
w=torch.ones(1,requires_grad=True); o=torch.optim.SGD([('a',w),torch.ones(1)],lr=.1)
# ---
w=torch.ones(1,requires_grad=True); o=torch.optim.SGD([w],lr=.1)
h=o.register_step_pre_hook(lambda opt,a,k: print('pre',type(opt).__name__,len(a),k)); o.register_step_post_hook(lambda opt,a,k: print('post',k))
o.step(); o.step(closure=lambda: 3.); h.remove(); o.step(lambda: 4)
# ---
from torch.optim.optimizer import register_optimizer_step_pre_hook, register_optimizer_step_post_hook
h1=register_optimizer_step_pre_hook(lambda o,a,k: print('g pre')); h2=register_optimizer_step_post_hook(lambda o,a,k: print('g post'))
w=torch.ones(1,requires_grad=True); o=torch.optim.Adam([w],lr=.1); o.register_step_pre_hook(lambda o,a,k: print('pre')); o.register_step_post_hook(lambda o,a,k: print('post')); o.step(); h1.remove(); h2.remove(); o.step()
# ---
w=torch.ones(1,requires_grad=True); o=torch.optim.SGD([w],lr=.1)
o.register_step_pre_hook(lambda opt,a,k: 5); o.step()
# ---
w=torch.ones(1,requires_grad=True); o=torch.optim.SGD([w],lr=.1)
o.register_state_dict_pre_hook(lambda opt: print('a')); o.register_state_dict_post_hook(lambda opt,s: print('b',s)); o.register_state_dict_pre_hook(lambda opt: print('first'),prepend=True)
o.register_load_state_dict_pre_hook(lambda opt,s: print('c')); o.register_load_state_dict_post_hook(lambda opt: print('d'))
o.load_state_dict(o.state_dict())
# ---
class My(torch.optim.Optimizer):
    def __init__(self,ps,lr=.1): super().__init__(ps,dict(lr=lr))
    @torch.no_grad()
    def step(self,closure=None):
        for g in self.param_groups:
            for p in g['params']:
                if p.grad is not None: p.add_(p.grad,alpha=-g['lr'])
w=torch.ones(2,requires_grad=True); o=My([w]); (w*w).sum().backward(); o.register_step_post_hook(lambda *a: print('post')); o.step(); print(w,o,o.state_dict()); o.zero_grad(); w.grad
# ---
class My(torch.optim.SGD):
    def step(self,closure=None):
        print('before'); r=super().step(closure); print('after'); return r
w=torch.ones(2,requires_grad=True); o=My([w],lr=.1); w.sum().backward(); o.step(); w
# ---
o=torch.optim.Optimizer([torch.ones(2,requires_grad=True)],{'lr':.1}); print(o); o.step()
# ---
from torch.optim.optimizer import required
torch.optim.Optimizer([torch.ones(2,requires_grad=True)],{'lr':required})
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=.1); y=(w*w).sum(); y.backward(retain_graph=True); o.step(); print(w._version,w); y.backward()
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.Adam([w],lr=.1,weight_decay=.1); w.sum().backward(); g=w.grad; o.step(); print(w._version,g._version,w); o.zero_grad(set_to_none=False); print(w.grad,g._version)
# ---
import copy,pickle
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=.1,momentum=.9); w.sum().backward(); o.step(); o2=copy.deepcopy(o); print(o2, o2.state_dict()); o2.param_groups[0]['params'][0] is w
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.Adam([w],lr=torch.tensor(.1)); w.sum().backward(); o.step(); print(w,o)
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=torch.tensor(.1)); w.sum().backward(); o.step(); print(w,o)
# ---
torch.optim.Adam([torch.ones(2,requires_grad=True)],lr=torch.tensor(.1),foreach=True)
# ---
torch.optim.Adam([torch.ones(2,requires_grad=True)],fused=True,foreach=True)
# ---
torch.optim.SGD([torch.ones(2,requires_grad=True)],fused=True,differentiable=True)
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.Adam([w],capturable=True); w.sum().backward(); o.step()
# ---
lr=torch.tensor(.1,requires_grad=True); w=torch.tensor([1.,2.],requires_grad=True); p=w.clone(); p.retain_grad(); o=torch.optim.SGD([p],lr=lr,differentiable=True); p.grad=torch.tensor([.5,.5]); o.step(); print(p); p.sum().backward(); print(lr.grad,w.grad)
# ---
w=torch.tensor([1.,2.],requires_grad=True); p=w.clone(); p.retain_grad(); o=torch.optim.Adam([p],lr=.1,differentiable=True); p.grad=(w*w); o.step(); print(p); p.sum().backward(); w.grad
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.); s=torch.optim.lr_scheduler.StepLR(o,1); s.step()
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.); s=torch.optim.lr_scheduler.StepLR(o,1); o.step(); s.step(); s.get_lr(); print(s.get_last_lr()); s.step(5); print(s.get_last_lr())
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.); s=torch.optim.lr_scheduler.StepLR(o,1); o.step=lambda:None; s.step()
# ---
torch.optim.lr_scheduler.StepLR(3,1)
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.); torch.optim.lr_scheduler.StepLR(o,1,last_epoch=3)
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.); torch.optim.lr_scheduler.ReduceLROnPlateau(o,factor=1.)
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.); torch.optim.lr_scheduler.ReduceLROnPlateau(o,mode='x')
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.); s=torch.optim.lr_scheduler.ReduceLROnPlateau(o,patience=1)
for v in (1.,1.,1.,1.,.5,.5,torch.tensor(.5)): s.step(v); print(o.param_groups[0]['lr'])
s.state_dict()
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.)
L=torch.optim.lr_scheduler
s=L.SequentialLR(o,[L.ConstantLR(o,.1,total_iters=2),L.ExponentialLR(o,.9)],milestones=[2])
for i in range(5): o.step(); s.step(); print(s.get_last_lr())
s.state_dict()
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.)
L=torch.optim.lr_scheduler
s=L.ChainedScheduler([L.ConstantLR(o,.1,total_iters=2),L.ExponentialLR(o,.9)])
for i in range(5): o.step(); s.step(); print(s.get_last_lr())
s.state_dict()
# ---
L=torch.optim.lr_scheduler
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.); L.SequentialLR(o,[],[])
# ---
L=torch.optim.lr_scheduler
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.); L.SequentialLR(o,[L.StepLR(o,1)],[3])
# ---
L=torch.optim.lr_scheduler
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.); L.OneCycleLR(o,.1)
# ---
L=torch.optim.lr_scheduler
w=torch.ones(2,requires_grad=True); o=torch.optim.Adagrad([w],lr=1.); L.OneCycleLR(o,.1,total_steps=5)
# ---
L=torch.optim.lr_scheduler
w=torch.ones(2,requires_grad=True); o=torch.optim.Adam([w],lr=1.); s=L.OneCycleLR(o,.1,total_steps=3); print(o)
for i in range(5): o.step(); s.step(); print(s.get_last_lr())
# ---
L=torch.optim.lr_scheduler
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.); s=L.LambdaLR(o,lambda e: .9**e); o.step(); s.step(); print(s.state_dict()); s.load_state_dict(s.state_dict()); L.LambdaLR(o,[lambda e:1,lambda e:2])
# ---
L=torch.optim.lr_scheduler
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.); s=L.CosineAnnealingWarmRestarts(o,2)
for e in (0,.5,1.5,2.2,7): s.step(e); print(s.get_last_lr())
L.CosineAnnealingWarmRestarts(o,0)
# ---
w=torch.tensor([1.,2.],requires_grad=True); o=torch.optim.LBFGS([w],line_search_fn='strong_wolfe',max_iter=4)
def f(): o.zero_grad(); l=((w-3)**4).sum()+(w[0]*w[1]); l.backward(); return l
for i in range(3): print(o.step(f), w)
print(o.state_dict()['state'][0].keys(), o.state_dict()['state'][0]['n_iter'], o.state_dict()['state'][0]['func_evals'])
# ---
w=torch.tensor([1.,2.],requires_grad=True); torch.optim.LBFGS([{'params':[w]},{'params':[torch.ones(1)]}])
# ---
w=torch.tensor([1.,2.],requires_grad=True); torch.optim.LBFGS([w]).step()
# ---
w=torch.tensor([1.,2.],requires_grad=True); torch.optim.Muon([w])
# ---
w=torch.tensor([1.,2.],requires_grad=True); o=torch.optim.SparseAdam([w]); w.sum().backward(); o.step()
# ---
w=torch.ones(2,requires_grad=True); o=torch.optim.SGD([w],lr=1.); s=torch.optim.lr_scheduler.ExponentialLR(o,.5)
import copy
d=copy.deepcopy(s.state_dict()); o.step(); s.step(); s.load_state_dict(d); print(s.last_epoch, d)
