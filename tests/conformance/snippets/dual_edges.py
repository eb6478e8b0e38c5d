import torch.autograd.forward_ad as fw

with fw.dual_level():
    c, r = torch.tensor([1 + 2j, 3 + 1j]), torch.arange(4.0)
    made = [(c, lambda d: d.conj()), (c.conj(), lambda d: d[1:]), (r, torch._neg_view), (c.conj(), lambda d: d.imag)]
    parts = [fw.unpack_dual(change(fw.make_dual(x, torch.ones_like(x)))) for x, change in made]
    found = [(p.is_conj(), p.is_neg(), t.is_conj(), t.is_neg()) for p, t in parts]
found
# ---
import torch.autograd.forward_ad as fw

with fw.dual_level():
    r = torch.arange(4.0)
    made = [r[1:], r.view(2, 2)[1:], r.view(2, 2)[:, 1], r]
    found = [fw.unpack_dual(fw.make_dual(x, torch.ones_like(x))).tangent.storage_offset() for x in made]
found
# ---
import torch.autograd.forward_ad as fw

with fw.dual_level():
    d = fw.make_dual(torch.ones(3), torch.ones(3))
    torch.eq(d, 1, out=torch.zeros(3))
# ---
import torch.autograd.forward_ad as fw

with fw.dual_level():
    d = fw.make_dual(torch.ones(3), torch.ones(3))
    torch.take(d, torch.tensor([0]), out=torch.zeros(1))
# ---
import torch.autograd.forward_ad as fw

with fw.dual_level():
    d = fw.make_dual(torch.ones(3), torch.ones(3))
    torch.conj_physical(d, out=torch.zeros(3))
