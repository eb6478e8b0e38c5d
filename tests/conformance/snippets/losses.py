def graph(f):
    if f is None: return 'None'
    n = f.name().replace('torch::autograd::', '').replace('Backward', '~')
    return n + '(' + ','.join(graph(n) for n, i in f.next_functions) + ')' if f.next_functions else n
def run(name, f, *xs, second=True):
    xs = [x.detach().clone().requires_grad_() for x in xs]
    o = f(*xs); print(name, o, graph(o.grad_fn))
    gr = torch.autograd.grad((o * torch.linspace(0.5, 1.5, o.numel()).reshape(o.shape)).sum(), xs, create_graph=True, allow_unused=True)
    print(*[None if x is None else x.detach() for x in gr])
    t = sum((x * x).sum() for x in gr if x is not None and x.requires_grad)
    if second and isinstance(t, torch.Tensor): print(attempt(lambda: torch.autograd.grad(t, xs, allow_unused=True)))
a, b, c = (torch.randn(3, 4) for _ in range(3)); p = torch.rand(3, 4) * .8 + .1; q = torch.rand(3, 4) * .8 + .1
y = torch.tensor([1., -1., 1.]); w = torch.rand(3, 4); cw = torch.rand(4); t = torch.tensor([0, 3, 1])
for red in ('mean', 'sum', 'none'):
    run('l1',lambda a,b: F.l1_loss(a,b,reduction=red),a,b)
    run('l1w',lambda a,b: F.l1_loss(a,b,reduction=red,weight=w),a,b)
    run('mse',lambda a,b: F.mse_loss(a,b,reduction=red),a,b)
    run('msew',lambda a,b: F.mse_loss(a,b,reduction=red,weight=w),a,b)
    run('sl1',lambda a,b: F.smooth_l1_loss(a,b,reduction=red,beta=.7),a,b)
    run('sl0',lambda a,b: F.smooth_l1_loss(a,b,reduction=red,beta=0.),a,b)
    run('hub',lambda a,b: F.huber_loss(a,b,reduction=red,delta=.7),a,b)
# ---
def graph(f):
    if f is None: return 'None'
    n = f.name().replace('torch::autograd::', '').replace('Backward', '~')
    return n + '(' + ','.join(graph(n) for n, i in f.next_functions) + ')' if f.next_functions else n
def run(name, f, *xs, second=True):
    xs = [x.detach().clone().requires_grad_() for x in xs]
    o = f(*xs); print(name, o, graph(o.grad_fn))
    gr = torch.autograd.grad((o * torch.linspace(0.5, 1.5, o.numel()).reshape(o.shape)).sum(), xs, create_graph=True, allow_unused=True)
    print(*[None if x is None else x.detach() for x in gr])
    t = sum((x * x).sum() for x in gr if x is not None and x.requires_grad)
    if second and isinstance(t, torch.Tensor): print(attempt(lambda: torch.autograd.grad(t, xs, allow_unused=True)))
a, b, c = (torch.randn(3, 4) for _ in range(3)); p = torch.rand(3, 4) * .8 + .1; q = torch.rand(3, 4) * .8 + .1
y = torch.tensor([1., -1., 1.]); w = torch.rand(3, 4); cw = torch.rand(4); t = torch.tensor([0, 3, 1])
for red in ('mean', 'sum', 'none'):
    run('hubw',lambda a,b: F.huber_loss(a,b,reduction=red,delta=.7,weight=w),a,b)
    run('bce',lambda a,b: F.binary_cross_entropy(a,b,reduction=red),p,q)
    run('bcew',lambda a,b: F.binary_cross_entropy(a,b,weight=cw,reduction=red),p,q)
    run('bcel',lambda a,b: F.binary_cross_entropy_with_logits(a,b,reduction=red),a,q)
    run('bcelw',lambda a,b: F.binary_cross_entropy_with_logits(a,b,weight=w,pos_weight=cw,reduction=red),a,q)
    run('kl',lambda a,b: F.kl_div(a.log(),b,reduction=red),p,q)
    run('kllog',lambda a,b: F.kl_div(a,b,reduction=red,log_target=True),a,b)
# ---
def graph(f):
    if f is None: return 'None'
    n = f.name().replace('torch::autograd::', '').replace('Backward', '~')
    return n + '(' + ','.join(graph(n) for n, i in f.next_functions) + ')' if f.next_functions else n
def run(name, f, *xs, second=True):
    xs = [x.detach().clone().requires_grad_() for x in xs]
    o = f(*xs); print(name, o, graph(o.grad_fn))
    gr = torch.autograd.grad((o * torch.linspace(0.5, 1.5, o.numel()).reshape(o.shape)).sum(), xs, create_graph=True, allow_unused=True)
    print(*[None if x is None else x.detach() for x in gr])
    t = sum((x * x).sum() for x in gr if x is not None and x.requires_grad)
    if second and isinstance(t, torch.Tensor): print(attempt(lambda: torch.autograd.grad(t, xs, allow_unused=True)))
a, b, c = (torch.randn(3, 4) for _ in range(3)); p = torch.rand(3, 4) * .8 + .1; q = torch.rand(3, 4) * .8 + .1
y = torch.tensor([1., -1., 1.]); w = torch.rand(3, 4); cw = torch.rand(4); t = torch.tensor([0, 3, 1])
for red in ('mean', 'sum', 'none'):
    run('hinge',lambda a: F.hinge_embedding_loss(a,y[:,None].expand(3,4),reduction=red),a)
    run('margin',lambda a,b: F.margin_ranking_loss(a,b,y[:,None].expand(3,4),margin=.3,reduction=red),a,b)
    run('cos',lambda a,b: F.cosine_embedding_loss(a,b,y,margin=-.3,reduction=red),a,b)
    run('soft',lambda a: F.soft_margin_loss(a,y[:,None].expand(3,4),reduction=red),a)
    for pp in (1,2): run('mm',lambda a: F.multi_margin_loss(a,t,p=pp,margin=.8,weight=cw if pp==2 else None,reduction=red),a)
    run('mm1d',lambda a: F.multi_margin_loss(a[0],t[0],reduction=red),a)
    run('mlm',lambda a: F.multilabel_margin_loss(a,torch.tensor([[3,0,-1,1],[0,-1,1,2],[1,2,3,0]]),reduction=red),a)
# ---
def graph(f):
    if f is None: return 'None'
    n = f.name().replace('torch::autograd::', '').replace('Backward', '~')
    return n + '(' + ','.join(graph(n) for n, i in f.next_functions) + ')' if f.next_functions else n
def run(name, f, *xs, second=True):
    xs = [x.detach().clone().requires_grad_() for x in xs]
    o = f(*xs); print(name, o, graph(o.grad_fn))
    gr = torch.autograd.grad((o * torch.linspace(0.5, 1.5, o.numel()).reshape(o.shape)).sum(), xs, create_graph=True, allow_unused=True)
    print(*[None if x is None else x.detach() for x in gr])
    t = sum((x * x).sum() for x in gr if x is not None and x.requires_grad)
    if second and isinstance(t, torch.Tensor): print(attempt(lambda: torch.autograd.grad(t, xs, allow_unused=True)))
a, b, c = (torch.randn(3, 4) for _ in range(3)); p = torch.rand(3, 4) * .8 + .1; q = torch.rand(3, 4) * .8 + .1
y = torch.tensor([1., -1., 1.]); w = torch.rand(3, 4); cw = torch.rand(4); t = torch.tensor([0, 3, 1])
for red in ('mean', 'sum', 'none'):
    run('mlm1',lambda a: F.multilabel_margin_loss(a[0],torch.tensor([3,0,-1,1]),reduction=red),a)
    run('mls',lambda a,b: F.multilabel_soft_margin_loss(a,b,weight=cw,reduction=red),a,q)
    for pp in (1,2,3.): run('trip',lambda a,b,c: F.triplet_margin_loss(a,b,c,p=pp,swap=pp==2,reduction=red),a,b,c)
    run('tripd',lambda a,b,c: F.triplet_margin_with_distance_loss(a,b,c,reduction=red,swap=True),a,b,c)
    run('pois',lambda a,b: F.poisson_nll_loss(a,b,reduction=red),a,q*3)
    run('poisf',lambda a,b: F.poisson_nll_loss(a,b,log_input=False,full=True,reduction=red),p,q*5)
    run('gauss',lambda a,b,v: F.gaussian_nll_loss(a,b,v,reduction=red,full=True),a,b,p)
# ---
def graph(f):
    if f is None: return 'None'
    n = f.name().replace('torch::autograd::', '').replace('Backward', '~')
    return n + '(' + ','.join(graph(n) for n, i in f.next_functions) + ')' if f.next_functions else n
def run(name, f, *xs, second=True):
    xs = [x.detach().clone().requires_grad_() for x in xs]
    o = f(*xs); print(name, o, graph(o.grad_fn))
    gr = torch.autograd.grad((o * torch.linspace(0.5, 1.5, o.numel()).reshape(o.shape)).sum(), xs, create_graph=True, allow_unused=True)
    print(*[None if x is None else x.detach() for x in gr])
    t = sum((x * x).sum() for x in gr if x is not None and x.requires_grad)
    if second and isinstance(t, torch.Tensor): print(attempt(lambda: torch.autograd.grad(t, xs, allow_unused=True)))
a, b, c = (torch.randn(3, 4) for _ in range(3)); p = torch.rand(3, 4) * .8 + .1; q = torch.rand(3, 4) * .8 + .1
y = torch.tensor([1., -1., 1.]); w = torch.rand(3, 4); cw = torch.rand(4); t = torch.tensor([0, 3, 1])
for red in ('mean', 'sum', 'none'):
    run('gauss1',lambda a,b,v: F.gaussian_nll_loss(a,b,v,reduction=red),a,b,p[:,:1])
    run('gauss2',lambda a,b,v: F.gaussian_nll_loss(a,b,v,reduction=red),a,b,p[:,0])
    run('gauss3',lambda a,b: F.gaussian_nll_loss(a,b,0.5,reduction=red),a,b)
    run('ce',lambda a: F.cross_entropy(a,t,reduction=red),a)
    run('cew',lambda a: F.cross_entropy(a,t,weight=cw,ignore_index=1,reduction=red),a)
    run('cels',lambda a: F.cross_entropy(a,t,weight=cw,ignore_index=1,reduction=red,label_smoothing=.2),a)
    run('cels2',lambda a: F.cross_entropy(a,t,reduction=red,label_smoothing=.2),a)
# ---
def graph(f):
    if f is None: return 'None'
    n = f.name().replace('torch::autograd::', '').replace('Backward', '~')
    return n + '(' + ','.join(graph(n) for n, i in f.next_functions) + ')' if f.next_functions else n
def run(name, f, *xs, second=True):
    xs = [x.detach().clone().requires_grad_() for x in xs]
    o = f(*xs); print(name, o, graph(o.grad_fn))
    gr = torch.autograd.grad((o * torch.linspace(0.5, 1.5, o.numel()).reshape(o.shape)).sum(), xs, create_graph=True, allow_unused=True)
    print(*[None if x is None else x.detach() for x in gr])
    t = sum((x * x).sum() for x in gr if x is not None and x.requires_grad)
    if second and isinstance(t, torch.Tensor): print(attempt(lambda: torch.autograd.grad(t, xs, allow_unused=True)))
a, b, c = (torch.randn(3, 4) for _ in range(3)); p = torch.rand(3, 4) * .8 + .1; q = torch.rand(3, 4) * .8 + .1
y = torch.tensor([1., -1., 1.]); w = torch.rand(3, 4); cw = torch.rand(4); t = torch.tensor([0, 3, 1])
for red in ('mean', 'sum', 'none'):
    run('cep',lambda a,b: F.cross_entropy(a,b,reduction=red,label_smoothing=.1,weight=cw),a,q)
    run('cep2',lambda a,b: F.cross_entropy(a,b,reduction=red),a,q)
    run('ce1',lambda a: F.cross_entropy(a[0],t[0],reduction=red),a)
    run('ce1p',lambda a,b: F.cross_entropy(a[0],b[0],reduction=red),a,q)
    run('ce2d',lambda a: F.cross_entropy(a.view(1,2,2,3),torch.tensor([[[0,1,1],[1,0,-100]]]),reduction=red),a)
    run('ce3d',lambda a: F.cross_entropy(a.view(1,2,6),torch.tensor([[0,1,1,1,0,-100]]),reduction=red,label_smoothing=.3),a)
    run('nll',lambda a: F.nll_loss(a,t,reduction=red),a)
# ---
def graph(f):
    if f is None: return 'None'
    n = f.name().replace('torch::autograd::', '').replace('Backward', '~')
    return n + '(' + ','.join(graph(n) for n, i in f.next_functions) + ')' if f.next_functions else n
def run(name, f, *xs, second=True):
    xs = [x.detach().clone().requires_grad_() for x in xs]
    o = f(*xs); print(name, o, graph(o.grad_fn))
    gr = torch.autograd.grad((o * torch.linspace(0.5, 1.5, o.numel()).reshape(o.shape)).sum(), xs, create_graph=True, allow_unused=True)
    print(*[None if x is None else x.detach() for x in gr])
    t = sum((x * x).sum() for x in gr if x is not None and x.requires_grad)
    if second and isinstance(t, torch.Tensor): print(attempt(lambda: torch.autograd.grad(t, xs, allow_unused=True)))
a, b, c = (torch.randn(3, 4) for _ in range(3)); p = torch.rand(3, 4) * .8 + .1; q = torch.rand(3, 4) * .8 + .1
y = torch.tensor([1., -1., 1.]); w = torch.rand(3, 4); cw = torch.rand(4); t = torch.tensor([0, 3, 1])
lp=torch.randn(6,2,4);  tg=torch.tensor([[1,2,2],[3,1,1]])
for red in ('mean', 'sum', 'none'):
    run('nllw',lambda a: F.nll_loss(a,t,weight=cw,ignore_index=3,reduction=red),a)
    run('nll2d',lambda a: F.nll_loss(a.view(1,2,2,3),torch.tensor([[[0,1,1],[1,0,-100]]]),weight=cw[:2],reduction=red),a)
    run('nll3d',lambda a: F.nll_loss(a.view(1,2,6),torch.tensor([[0,1,1,1,0,-100]]),reduction=red),a)
    run('nll4d',lambda a: F.nll_loss(a.view(1,2,1,2,3),torch.tensor([[[[0,1,1],[1,0,-100]]]]),reduction=red),a)
    run('ctc',lambda l: F.ctc_loss(l.log_softmax(2),tg,torch.tensor([6,5]),torch.tensor([3,2]),reduction=red),lp,second=False)
    run('ctcz',lambda l: F.ctc_loss(l.log_softmax(2),tg,(6,2),(3,3),reduction=red,zero_infinity=True,blank=0),lp,second=False)
    run('ctc1',lambda l: F.ctc_loss(l[:,0].log_softmax(1),tg[0],torch.tensor(6),torch.tensor(3),reduction=red),lp,second=False)
# ---
def graph(f):
    if f is None: return 'None'
    n = f.name().replace('torch::autograd::', '').replace('Backward', '~')
    return n + '(' + ','.join(graph(n) for n, i in f.next_functions) + ')' if f.next_functions else n
def run(name, f, *xs, second=True):
    xs = [x.detach().clone().requires_grad_() for x in xs]
    o = f(*xs); print(name, o, graph(o.grad_fn))
    gr = torch.autograd.grad((o * torch.linspace(0.5, 1.5, o.numel()).reshape(o.shape)).sum(), xs, create_graph=True, allow_unused=True)
    print(*[None if x is None else x.detach() for x in gr])
    t = sum((x * x).sum() for x in gr if x is not None and x.requires_grad)
    if second and isinstance(t, torch.Tensor): print(attempt(lambda: torch.autograd.grad(t, xs, allow_unused=True)))
a, b, c = (torch.randn(3, 4) for _ in range(3)); p = torch.rand(3, 4) * .8 + .1; q = torch.rand(3, 4) * .8 + .1
y = torch.tensor([1., -1., 1.]); w = torch.rand(3, 4); cw = torch.rand(4); t = torch.tensor([0, 3, 1])
lp=torch.randn(6,2,4);  tg=torch.tensor([[1,2,2],[3,1,1]])
for red in ('mean', 'sum', 'none'):
    run('ctcc',lambda l: F.ctc_loss(l.log_softmax(2),torch.tensor([1,2,2,3,1]),(6,5),(3,2),reduction=red,blank=0),lp,second=False)
# ---
def graph(f):
    if f is None: return 'None'
    n = f.name().replace('torch::autograd::', '').replace('Backward', '~')
    return n + '(' + ','.join(graph(n) for n, i in f.next_functions) + ')' if f.next_functions else n
def run(name, f, *xs, second=True):
    xs = [x.detach().clone().requires_grad_() for x in xs]
    o = f(*xs); print(name, o, graph(o.grad_fn))
    gr = torch.autograd.grad((o * torch.linspace(0.5, 1.5, o.numel()).reshape(o.shape)).sum(), xs, create_graph=True, allow_unused=True)
    print(*[None if x is None else x.detach() for x in gr])
    t = sum((x * x).sum() for x in gr if x is not None and x.requires_grad)
    if second and isinstance(t, torch.Tensor): print(attempt(lambda: torch.autograd.grad(t, xs, allow_unused=True)))
a, b, c = (torch.randn(3, 4) for _ in range(3)); p = torch.rand(3, 4) * .8 + .1; q = torch.rand(3, 4) * .8 + .1
y = torch.tensor([1., -1., 1.]); w = torch.rand(3, 4); cw = torch.rand(4); t = torch.tensor([0, 3, 1])
run('klb',lambda a,b: F.kl_div(a,b,reduction='batchmean'),a,q)
run('cs',lambda a,b: F.cosine_similarity(a,b),a,b)
run('cs0',lambda a,b: F.cosine_similarity(a,b,dim=0),a,b)
run('csb',lambda a,b: F.cosine_similarity(a[:,None],b[None],dim=-1),a,b)
for pp in (1,2,3.,float('inf'),0.): run('pd',lambda a,b: F.pairwise_distance(a,b,p=pp,keepdim=pp==1),a,b)
run('norm',lambda a: F.normalize(a),a); run('norm1',lambda a: F.normalize(a,p=1,dim=0),a)
# ---
a, b, c = (torch.randn(3, 4) for _ in range(3)); p = torch.rand(3, 4) * .8 + .1; q = torch.rand(3, 4) * .8 + .1
y = torch.tensor([1., -1., 1.]); w = torch.rand(3, 4); cw = torch.rand(4); t = torch.tensor([0, 3, 1])
lp = torch.randn(6, 2, 4); tg = torch.tensor([[1, 2, 2], [3, 1, 1]])
def e(f): print(attempt(f))
print(F.one_hot(t), F.one_hot(t,5), F.one_hot(torch.tensor([[1],[0]])))
e(lambda: F.one_hot(torch.tensor([-1]))); e(lambda: F.one_hot(t,2)); e(lambda: F.one_hot(a)); e(lambda: F.one_hot(torch.empty(0,dtype=torch.long)));e(lambda: F.one_hot(torch.empty(0,dtype=torch.long),3))
for n in ('l1_loss','mse_loss','smooth_l1_loss','huber_loss','binary_cross_entropy','binary_cross_entropy_with_logits','kl_div','hinge_embedding_loss','soft_margin_loss','poisson_nll_loss'):
    e(lambda: getattr(F,n)(p,q[:2])); e(lambda: getattr(F,n)(p,q,reduction='foo')); e(lambda: getattr(F,n)(p,q[:1])); e(lambda: getattr(F,n)(p,q.double()))
# ---
a, b, c = (torch.randn(3, 4) for _ in range(3)); p = torch.rand(3, 4) * .8 + .1; q = torch.rand(3, 4) * .8 + .1
y = torch.tensor([1., -1., 1.]); w = torch.rand(3, 4); cw = torch.rand(4); t = torch.tensor([0, 3, 1])
lp = torch.randn(6, 2, 4); tg = torch.tensor([[1, 2, 2], [3, 1, 1]])
def e(f): print(attempt(f))
    if n!='huber_loss': e(lambda: getattr(F,n)(p,q,size_average=False)); e(lambda: getattr(F,n)(p,q,reduce=False))
e(lambda: F.cross_entropy(a,torch.tensor([0,1]))); e(lambda: F.cross_entropy(a,torch.tensor([0,1,7]))); e(lambda: F.cross_entropy(a,torch.tensor([0.,1,7]))); e(lambda: F.cross_entropy(a,t.int())); e(lambda: F.cross_entropy(a,t,weight=torch.ones(3)))
e(lambda: F.cross_entropy(a,t,label_smoothing=2.)); e(lambda: F.nll_loss(a,t[:2])); e(lambda: F.nll_loss(a[0],t)); e(lambda: F.nll_loss(a.view(1,2,2,3),t)); e(lambda: F.cross_entropy(a,t,reduction='x')); e(lambda: F.cross_entropy(a,torch.tensor([-100]*3)))
e(lambda: F.nll_loss(a,t,weight=torch.ones(3))); e(lambda: F.nll_loss(a.long(),t)); e(lambda: F.cross_entropy(a.long(),t)); e(lambda: F.nll_loss(torch.tensor(1.),t))
e(lambda: F.cross_entropy(a,q,ignore_index=1)); e(lambda: F.cross_entropy(a, t, size_average=False)); e(lambda: F.cross_entropy(a,3))
e(lambda: F.binary_cross_entropy(a,q)); e(lambda: F.gaussian_nll_loss(a,b,-p)); e(lambda: F.gaussian_nll_loss(a,b,p[:2])); e(lambda: F.gaussian_nll_loss(a,b,p,reduction='x'))
e(lambda: F.margin_ranking_loss(a,b,y)); e(lambda: F.cosine_embedding_loss(a,b,a)); e(lambda: F.cosine_embedding_loss(a[0],b[0],y)); e(lambda: F.cosine_embedding_loss(a,b,torch.tensor(1.))); e(lambda: F.multi_margin_loss(a,t,p=3)); e(lambda: F.multi_margin_loss(a,torch.tensor([0,9,1]))); e(lambda: F.multi_margin_loss(a,t[:2])); e(lambda: F.multi_margin_loss(a,t,weight=w))
e(lambda: F.multilabel_margin_loss(a,t)); e(lambda: F.triplet_margin_loss(a,b,c,margin=-1)); e(lambda: F.triplet_margin_loss(a,b,c[0])); e(lambda: F.triplet_margin_with_distance_loss(a,b,c[0])); e(lambda: F.kl_div(a.long(),b.long(),reduction='sum')); e(lambda: F.cosine_similarity(t,t,dim=0)); e(lambda: F.multilabel_margin_loss(a,torch.full((3,4),9)))
e(lambda: F.ctc_loss(lp.log_softmax(2),tg,(6,),(3,3))); e(lambda: F.ctc_loss(lp.log_softmax(2),tg,(7,6),(3,3))); e(lambda: F.ctc_loss(lp.log_softmax(2),tg,(6,6),(3,3),blank=9)); e(lambda: F.ctc_loss(lp.log_softmax(2),tg.float(),(6,6),(3,3))); e(lambda: F.ctc_loss(lp.log_softmax(2),tg,(6,6),(3,-1)))
