import torch.nn.utils.prune as prune

m = nn.Linear(4, 3)
prune.l1_unstructured(m, "weight", 0.4)
print(m.weight, m.weight.grad_fn.name(), m.weight_mask, [n for n, _ in m.named_parameters()], list(m.state_dict()))
m(torch.ones(2, 4)).sum().backward()
print(m.weight_orig.grad, prune.is_pruned(m))
prune.remove(m, "weight")
print(m.weight, prune.is_pruned(m), [n for n, _ in m.named_parameters()], [n for n, _ in m.named_buffers()])


# ---
import torch.nn.utils.prune as prune

for amount in (5, 0, 50, 1.5, -2, "a", 1.0, 0.0):
    m = nn.Linear(4, 3)
    print(amount, attempt(lambda: prune.l1_unstructured(m, "weight", amount)), list(m.state_dict()))


# ---
import torch.nn.utils.prune as prune

for call in (
    lambda m: prune.random_unstructured(m, "weight", 0.4).weight_mask,
    lambda m: prune.random_unstructured(m, "bias", 2).bias,
    lambda m: prune.ln_structured(m, "weight", 0.5, 2, 0).weight_mask,
    lambda m: prune.ln_structured(m, "weight", 1, 1, 1).weight_mask,
    lambda m: prune.ln_structured(m, "weight", 1, float("inf"), -1).weight_mask,
    lambda m: prune.ln_structured(m, "weight", 2, 2, 5),
    lambda m: prune.ln_structured(m, "bias", 2, 2, 0),
    lambda m: prune.ln_structured(m, "weight", 5, 2, 0),
    lambda m: prune.random_structured(m, "weight", 0.5, 0).weight_mask,
    lambda m: prune.random_structured(m, "weight", 2, 1).weight_mask,
    lambda m: prune.identity(m, "weight").weight_mask,
    lambda m: prune.custom_from_mask(m, "weight", torch.ones(3, 4).triu()).weight,
    lambda m: prune.custom_from_mask(m, "weight", torch.ones(3, 3)),
    lambda m: prune.l1_unstructured(m, "weight", 5, importance_scores=torch.arange(12.0).reshape(3, 4)).weight_mask,
    lambda m: prune.l1_unstructured(m, "weight", 5, importance_scores=torch.arange(9.0)),
    lambda m: prune.l1_unstructured(m, "no_such", 5),
    lambda m: prune.remove(m, "weight"),
):
    m = nn.Linear(4, 3)
    print(attempt(lambda: call(m)), list(m.state_dict()))


# ---
import torch.nn.utils.prune as prune

m = nn.Linear(4, 3)
prune.l1_unstructured(m, "weight", 0.3)
prune.random_unstructured(m, "weight", 0.5)
(hook,) = m._forward_pre_hooks.values()
print(type(hook).__name__, len(hook), [type(x).__name__ for x in hook], hook._tensor_name)
prune.ln_structured(m, "weight", 1, 2, 0)
print(m.weight_mask, m.weight)
other = prune.Identity()
other._tensor_name = "bias"
print(attempt(lambda: hook.add_pruning_method(3)))
print(attempt(lambda: hook.add_pruning_method(other)).split("PruningContainer")[0])


# ---
import torch.nn.utils.prune as prune

n = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
parts = [(n[0], "weight"), (n[2], "weight"), (n[2], "bias")]
prune.global_unstructured(parts, pruning_method=prune.L1Unstructured, amount=0.4)
print(dict(n.named_buffers()), prune.is_pruned(n))
prune.global_unstructured(parts, pruning_method=prune.RandomUnstructured, amount=3)
print(dict(n.named_buffers()))
print(attempt(lambda: prune.global_unstructured(3, prune.L1Unstructured, amount=0.3)))
print(attempt(lambda: prune.global_unstructured(parts, prune.L1Unstructured, importance_scores=3, amount=2)))


# ---
import torch.nn.utils.prune as prune


class EverySecond(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


class Odd(prune.BasePruningMethod):
    PRUNING_TYPE = "odd"

    def compute_mask(self, t, default_mask):
        return default_mask


m = nn.Linear(4, 3)
EverySecond.apply(m, "bias")
print(m.bias_mask, m.bias, list(m.state_dict()))
EverySecond.apply(m, "weight")
prune.l1_unstructured(m, "weight", 2)
print(m.weight)
print(attempt(lambda: Odd.apply(m, "bias")))
t = torch.tensor([1.0, -2, 3, -4])
method = prune.L1Unstructured(0.5)
print(method.prune(t), method.prune(t, default_mask=torch.tensor([1.0, 1, 1, 0])))
print(prune.LnStructured(1, 2, -1).prune(torch.arange(6.0).reshape(2, 3)))


# ---
from torch.nn.utils import fuse_conv_bn_eval, fuse_conv_bn_weights, fuse_linear_bn_eval

c, b = nn.Conv2d(2, 3, 2), nn.BatchNorm2d(3)
b.running_mean.copy_(torch.tensor([0.1, 0.2, 0.3]))
b.running_var.copy_(torch.tensor([1.1, 0.2, 0.3]))
print(attempt(lambda: fuse_conv_bn_eval(c, b)))
c.eval(), b.eval()
f = fuse_conv_bn_eval(c, b)
x = torch.randn(1, 2, 4, 4)
print(f, f.bias, torch.allclose(f(x), b(c(x)), atol=1e-5))
t, b1, l = nn.ConvTranspose1d(2, 3, 2, bias=False).eval(), nn.BatchNorm1d(3).eval(), nn.Linear(4, 3).eval()
print(fuse_conv_bn_eval(t, b1, transpose=True).bias, fuse_linear_bn_eval(l, b1).weight)
print(attempt(lambda: fuse_linear_bn_eval(nn.Linear(3, 2).eval(), b1)))
print(fuse_conv_bn_weights(torch.ones(3, 2, 1), None, torch.ones(3), torch.ones(3), 1e-5, None, None))


# ---
m = nn.Sequential(nn.Conv2d(2, 3, 2), nn.ConvTranspose2d(3, 2, 2), nn.Conv3d(2, 3, 2))
nn.utils.convert_conv2d_weight_memory_format(m, torch.channels_last)
print([p.stride() for p in m.parameters()])
nn.utils.convert_conv3d_weight_memory_format(m, torch.channels_last_3d)
print([p.stride() for p in m.parameters()])
