import copy

import torch
import torch.autograd.forward_ad as fwAD
from torch import nn
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, stack_module_state, vjp, vmap

torch.manual_seed(0)
layer = lambda w, b, x: (w @ x + b).tanh()
w, b, x = torch.randn(4, 3), torch.randn(4), torch.randn(3)
_, pull = vjp(lambda x: layer(w, b, x), x)
rows, = vmap(pull)(torch.eye(4))
print(rows)
for J in (jacrev(layer, argnums=2)(w, b, x), jacfwd(layer, argnums=2)(w, b, x)):
    print(torch.allclose(J, rows))
H = hessian(layer, argnums=2)(w, b, x)
print(H.shape, H[0], torch.allclose(H, jacrev(jacrev(layer, 2), 2)(w, b, x)))
batch = torch.randn(5, 3)
print(vmap(jacrev(layer, argnums=2), in_dims=(None, None, 0))(w, b, batch).shape)
f = lambda x: x.sin().prod()
print(jvp(grad(f), (x,), (torch.ones(3),))[1], hessian(f)(x) @ torch.ones(3))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        h = nn.functional.max_pool2d(self.conv(x).relu(), 2)
        return nn.functional.log_softmax(self.out(h.flatten(1)), dim=1)


images, labels = torch.randn(4, 1, 6, 6), torch.tensor([0, 2, 1, 1])
net = Net()
params = {k: p.detach() for k, p in net.named_parameters()}


def loss(params, image, label):
    return nn.functional.nll_loss(functional_call(net, params, (image[None],)), label[None])


each = vmap(grad(loss), in_dims=(None, 0, 0))(params, images, labels)
for k, g in each.items():
    print(k, tuple(g.shape), g.norm())
one = torch.autograd.grad(nn.functional.nll_loss(net(images[:1]), labels[:1]), list(net.parameters()))
print(all(torch.allclose(a[0], b, atol=1e-6) for a, b in zip(each.values(), one)))

models = [Net() for _ in range(3)]
stacked, buffers = stack_module_state(models)
base = copy.deepcopy(models[0])
outs = vmap(lambda p, b: functional_call(base, (p, b), (images,)))(stacked, buffers)
print(outs.shape, torch.allclose(outs, torch.stack([m(images) for m in models]), atol=1e-6))
outs.exp()[..., 0].sum().backward()
print({k: p.grad.norm() for k, p in stacked.items()})

single = lambda p, x: functional_call(net, p, (x[None],))[0]
jac = [j.flatten(2) for j in vmap(jacrev(single), (None, 0))(params, images).values()]
kernel = sum(torch.einsum("naf,mbf->nmab", j, j) for j in jac)
print(kernel[0, 1])

with fwAD.dual_level():
    tangents = {k: torch.ones_like(p) for k, p in params.items()}
    duals = {k: fwAD.make_dual(p, tangents[k]) for k, p in params.items()}
    forward = fwAD.unpack_dual(functional_call(net, duals, (images,))).tangent
print(forward, torch.allclose(forward, jvp(lambda p: functional_call(net, p, (images,)), (params,), (tangents,))[1]))
