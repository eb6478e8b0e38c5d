# title: Ops that are not recorded
# summary: Under no_grad and inference_mode, and after detach, no gradient can flow back.

import torch

x = torch.tensor(2.0, requires_grad=True)

with torch.no_grad():
    a = x * 3
with torch.inference_mode():
    b = x * 4
c = x.detach()

y = x * (a + c)
print(a.requires_grad, b.is_inference(), c.requires_grad)

y.backward()
print(x.grad)
