from torch.autograd.functional import *
print(vjp(lambda x: x.exp().sum(dim=1), torch.ones(2,3), torch.tensor([1.,2.]), create_graph=True))
# ---
from torch.autograd.functional import *
x=torch.ones(2,3,requires_grad=True)
print(vjp(lambda x: x.exp().sum(dim=1), x, torch.tensor([1.,2.]), create_graph=True))
# ---
from torch.autograd.functional import *
x=torch.ones(2,3,requires_grad=True)
print(jvp(lambda x: x.exp().sum(dim=1), x, torch.ones(2,3), create_graph=True))
# ---
from torch.autograd.functional import *
print(vjp(lambda x,y: 2*x+3*y, (torch.ones(2),torch.ones(2)), torch.ones(2)))
# ---
from torch.autograd.functional import *
print(jvp(lambda x,y: 2*x+3*y, (torch.ones(2),torch.ones(2)), (torch.ones(2),torch.ones(2))))
# ---
from torch.autograd.functional import *
print(jvp(lambda x,y: 2*x+3*y, (torch.ones(2),torch.ones(2)), torch.ones(2)))
# ---
from torch.autograd.functional import *
print(jvp(lambda x,y: 2*x+3*y, (torch.ones(2),torch.ones(2)), (torch.ones(2),torch.ones(3))))
# ---
from torch.autograd.functional import *
print(jvp(lambda x,y: (2*x,3*y), (torch.ones(2),torch.ones(2)), (torch.ones(2),torch.ones(2))))
# ---
from torch.autograd.functional import *
print(jvp(lambda x: x*2, torch.ones(2)))
# ---
from torch.autograd.functional import *
print(vjp(lambda x: x*2, torch.ones(2)))
# ---
from torch.autograd.functional import *
print(vjp(lambda x: 3, torch.ones(2)))
# ---
from torch.autograd.functional import *
print(vjp(lambda x: (x,3), torch.ones(2)))
# ---
from torch.autograd.functional import *
print(vjp(lambda x: [x,x], torch.ones(2)))
# ---
from torch.autograd.functional import *
print(vjp(lambda x: x, [torch.ones(2)]))
# ---
from torch.autograd.functional import *
print(vjp(lambda x: x, (torch.ones(2),3)))
# ---
from torch.autograd.functional import *
print(vjp(lambda x: x.sum(), torch.ones(2), 3))
# ---
from torch.autograd.functional import *
print(vjp(lambda x,y: x.sum(), (torch.ones(2),torch.ones(1)), strict=True))
# ---
from torch.autograd.functional import *
print(vjp(lambda x,y: x.sum(), (torch.ones(2),torch.ones(1))))
# ---
from torch.autograd.functional import *
print(vjp(lambda x: x.sum(), torch.ones(2), strict=True, create_graph=True))
# ---
from torch.autograd.functional import *
print(jvp(lambda x: x.sum(), torch.ones(2), torch.ones(2), strict=True))
# ---
from torch.autograd.functional import *
print(jvp(lambda x: x.detach().sum(), torch.ones(2), torch.ones(2), strict=True))
# ---
from torch.autograd.functional import *
print(jvp(lambda x,y: x.exp(), (torch.ones(2),torch.ones(2)), (torch.ones(2),torch.ones(2)), strict=True))
# ---
from torch.autograd.functional import *
x=torch.ones(2,requires_grad=True)
print(jacobian(lambda x: x**3, x, create_graph=True), jacobian(lambda x: x**3, x, create_graph=True, vectorize=True))
# ---
from torch.autograd.functional import *
x=torch.ones(2,requires_grad=True)
print(jacobian(lambda x: x*3, x, create_graph=True, strict=True))
# ---
from torch.autograd.functional import *
x=torch.ones(2,requires_grad=True)
print(jacobian(lambda x: x*3, x, vectorize=True, strict=True))
# ---
from torch.autograd.functional import *
x=torch.ones(2,requires_grad=True)
print(jacobian(lambda x: x*3, x, strategy='foo'))
# ---
from torch.autograd.functional import *
x=torch.ones(2,requires_grad=True)
print(jacobian(lambda x: x*3, x, strategy='forward-mode'))
# ---
from torch.autograd.functional import *
x=torch.ones(2,requires_grad=True)
print(jacobian(lambda x: x*3, x, strategy='forward-mode', strict=True))
# ---
from torch.autograd.functional import *
x=torch.ones(2,requires_grad=True)
print(jacobian(lambda x: x*3, x, strategy='forward-mode', create_graph=True))
# ---
from torch.autograd.functional import *
x=torch.ones(2)
print(jacobian(lambda x: x**3, x, strategy='forward-mode', vectorize=True))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(jacobian(lambda x,y: (x**3*y, (x*y).sum()), (x,x+1), strategy='forward-mode', vectorize=True))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(jacobian(lambda x,y: (x**3*y, (x*y).sum()), (x,x+1), vectorize=True))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(hessian(lambda x,y: (x**3*y).sum(), (x,x+1), vectorize=True))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(hessian(lambda x,y: (x**3*y).sum(), (x,x+1), strict=True))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(hessian(lambda x,y: (x**3*2+y).sum(), (x,x+1), strict=True))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(hessian(lambda x: (x**2).sum(), x, strict=True), hessian(lambda x: (x**2).sum(), x, create_graph=True))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(hessian(lambda x: (x**2), x, strict=True))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(hessian(lambda x: ((x**2).sum(),), x))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(hessian(lambda x: 3, x))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(vhp(lambda x: (x**3).sum(), x, torch.ones(3)), hvp(lambda x: (x**3).sum(), x, torch.ones(3)))
# ---
from torch.autograd.functional import *
x=torch.arange(3.,requires_grad=True)
print(vhp(lambda x: (x**3).sum(), x, torch.ones(3), create_graph=True), hvp(lambda x: (x**3).sum(), x, torch.ones(3), create_graph=True))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(vhp(lambda x: (x**3).sum(), x))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(hvp(lambda x: (x**3).sum(), x, (torch.ones(3),torch.ones(3))))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(vhp(lambda x: x.sum(), x, torch.ones(3), strict=True))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(hvp(lambda x: x.sum(), x, torch.ones(3), strict=True))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(hvp(lambda x,y: (x**2).sum()+(y**2).sum(), (x,x), (torch.ones(3),torch.ones(3)), strict=True))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
print(vhp(lambda x,y: (x**2).sum()+(y).sum(), (x,x), (torch.ones(3),torch.ones(3)), strict=True))
# ---
from torch.autograd.functional import *
x=torch.arange(3.)
with torch.no_grad():
    print(vjp(lambda x: (x**2).sum(), x), jvp(lambda x: x**2, x, x), hessian(lambda x: (x**3).sum(), x), hvp(lambda x: (x**3).sum(), x, x))
# ---
from torch.autograd.functional import *
x=torch.tensor(2.)
print(vjp(lambda x: x**2, x), jvp(lambda x: x**2, x), hessian(lambda x: x**3, x), hvp(lambda x: x**3, x), vhp(lambda x:x**3,x))
# ---
from torch.autograd.functional import *
x=torch.tensor([1+2j,3.])
print(jacobian(lambda x: (x*x.conj()).real, x))
# ---
from torch.autograd.functional import *
print(jacobian(lambda x: x.double()**2, torch.ones(2)), vjp(lambda x: x.double()**2, torch.ones(2), torch.ones(2)))
# ---
from torch.autograd.functional import *
print(jacobian(lambda x: (x>0).float(), torch.ones(2)), jacobian(lambda x: x.sum(), torch.ones(0)))
