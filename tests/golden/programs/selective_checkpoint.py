# A checkpoint whose policy keeps the results of matrix products.
from functools import partial

import torch
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

w = torch.tensor([[1.0, 0.0], [0.0, 2.0]], requires_grad=True)
x = torch.tensor([[1.0, 2.0]])


def block(x):
    a = x @ w
    b = a * a
    return b @ w


kept = partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
y = checkpoint(block, x, use_reentrant=False, context_fn=kept)
y.sum().backward()
print(w.grad)
