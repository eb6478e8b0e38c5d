# title: Forward mode: a tangent beside each value
# summary: The derivative travels with the values, along the same lines as they do.

import torch
import torch.autograd.forward_ad as fwAD

x = torch.tensor(2.0)

with fwAD.dual_level():
    dual = fwAD.make_dual(x, torch.tensor(1.0))
    h = dual * 3
    y = torch.tanh(h * 0.25)
    value, tangent = fwAD.unpack_dual(y)
    print(value, tangent)
