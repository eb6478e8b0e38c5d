from torch.autograd import gradcheck
x=torch.tensor([.3,.7],dtype=torch.float64,requires_grad=True)
print(gradcheck(torch.sin,(x,),fast_mode=True), gradcheck(torch.sin, x), gradcheck(torch.sin,[x],check_forward_ad=True), gradcheck(torch.sin,(x,),check_forward_ad=True,check_backward_ad=False,fast_mode=True))
# ---
from torch.autograd import gradcheck
x=torch.tensor([.3,.7],dtype=torch.float64,requires_grad=True)
gradcheck(torch.sin,(x,),check_backward_ad=False)
# ---
from torch.autograd import gradcheck
class W(torch.autograd.Function):
    @staticmethod
    def forward(ctx,x): return x*2
    @staticmethod
    def backward(ctx,g): return g*2.5
x=torch.tensor([.3,.7],dtype=torch.float64,requires_grad=True)
gradcheck(W.apply,(x,))
# ---
from torch.autograd import gradcheck
x=torch.tensor([.3,.7],dtype=torch.float64,requires_grad=True)
gradcheck(lambda x: x.detach()*x,(x,))
# ---
from torch.autograd import gradcheck
x=torch.tensor([.3,.7],dtype=torch.float64,requires_grad=True)
gradcheck(lambda x: (x*x.detach()).sum(),(x,), fast_mode=False, raise_exception=True)
# ---
from torch.autograd import gradcheck
x=torch.tensor([.3,.7],dtype=torch.float64,requires_grad=True)
print(gradcheck(lambda x: (x*x.detach()).sum(),(x,), fast_mode=True, raise_exception=False))
try: gradcheck(lambda x: (x*x.detach()).sum(),(x,), fast_mode=True)
except Exception as e: print(type(e), str(e).splitlines()[0], str(e)[str(e).index('The above'):])
# ---
from torch.autograd import gradcheck
x=torch.tensor([.3,.7],dtype=torch.float64,requires_grad=True)
gradcheck(lambda x: x.detach()*2,(x,))
# ---
from torch.autograd import gradcheck
x=torch.tensor([.3,.7],dtype=torch.float64,requires_grad=True)
print(gradcheck(lambda x: x.detach()*0,(x,)), gradcheck(lambda x: (x*2, x.long()),(x,)), gradcheck(lambda x: (x*2, x.detach()),(x,)))
# ---
from torch.autograd import gradcheck
x=torch.tensor([.3],dtype=torch.float64,requires_grad=True).expand(3)
gradcheck(torch.sin,(x,))
# ---
from torch.autograd import gradcheck
z=torch.tensor([.3+.2j,.7-1j],dtype=torch.complex128,requires_grad=True)
print(gradcheck(torch.sin,(z,)), gradcheck(torch.abs,(z,)), gradcheck(lambda z: z*z.conj(),(z,)), gradcheck(torch.view_as_real,(z,)), gradcheck(torch.sin,(z,),fast_mode=True), gradcheck(torch.sin,(z,),check_forward_ad=True), gradcheck(torch.abs,(z,),check_forward_ad=True,fast_mode=True))
# ---
from torch.autograd import gradcheck
z=torch.tensor([.3+.2j,.7-1j],dtype=torch.complex128,requires_grad=True)
gradcheck(lambda z: z*z.detach(),(z,))
# ---
from torch.autograd import gradcheck, gradgradcheck
x=torch.tensor([.3,.7],dtype=torch.float64,requires_grad=True); y=torch.tensor([1.,2.],dtype=torch.float64,requires_grad=True)
print(gradgradcheck(lambda x,y: x**2*y,(x,y)), gradgradcheck(lambda x,y: (x**2*y).sum(),(x,y),torch.ones((),dtype=torch.float64,requires_grad=True)), gradgradcheck(torch.exp,(x,),gen_non_contig_grad_outputs=True,check_fwd_over_rev=True,fast_mode=True))
# ---
from torch.autograd import gradcheck, gradgradcheck
x=torch.tensor([.3,.7],dtype=torch.float64,requires_grad=True)
gradgradcheck(torch.exp,(x,),check_fwd_over_rev=False,check_rev_over_rev=False)
# ---
from torch.autograd import gradcheck, gradgradcheck
x=torch.tensor([.3,.7],dtype=torch.float64,requires_grad=True)
print(gradcheck(lambda x: x.relu(), (torch.zeros(1,dtype=torch.float64,requires_grad=True),), raise_exception=False))
gradcheck(lambda x: x.relu(), (torch.zeros(1,dtype=torch.float64,requires_grad=True),))
# ---
from torch.autograd import gradcheck
class W(torch.autograd.Function):
    @staticmethod
    def forward(ctx,x): return x*2
    @staticmethod
    def backward(ctx,g): return torch.rand_like(g)*g
x=torch.tensor([.3,.7],dtype=torch.float64,requires_grad=True)
try: gradcheck(W.apply,(x,), atol=10, rtol=10)
except Exception as e: print(type(e).__name__, e)
# ---
from torch.autograd import gradcheck
class W(torch.autograd.Function):
    @staticmethod
    def forward(ctx,x): return x*2
    @staticmethod
    def backward(ctx,g): return torch.ones_like(g)*2
x=torch.tensor([.3],dtype=torch.float64,requires_grad=True)
gradcheck(W.apply,(x,))
# ---
from torch.autograd import gradcheck
class W(torch.autograd.Function):
    @staticmethod
    def forward(ctx,x,y): 
        ctx.set_materialize_grads(False)
        return x*2,y*3
    @staticmethod
    def backward(ctx,g,h): return g*2,h*3
x=torch.tensor([.3],dtype=torch.float64,requires_grad=True)
gradcheck(W.apply,(x,x.detach().requires_grad_()))
# ---
from torch.autograd import gradcheck
x=torch.tensor([.3,.7],dtype=torch.float64,requires_grad=True)
print(gradcheck(lambda x: x.sin(), (x,), check_batched_grad=True, check_forward_ad=True, check_batched_forward_grad=True))
# ---
from torch.autograd import gradcheck
x=torch.tensor([.3,.7],dtype=torch.float32,requires_grad=True)
gradcheck(lambda x: x.sin(), (x,))
# ---
from torch.autograd import gradcheck
x=torch.tensor([.3,.7],dtype=torch.float64,requires_grad=True)
s=[0]
def f(x):
    s[0]+=1
    return x*2 if s[0]<3 else torch.cat([x,x])
gradcheck(f,(x,))
