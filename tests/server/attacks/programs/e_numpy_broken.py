# Ends: ProgramDied, ok, error
import numpy as np

np.seterr(all="raise")
np.set_printoptions(threshold=10**9, formatter={"all": lambda x: 1 / 0})
for name in list(vars(np)):
    if name in ("asarray", "array", "dtype", "ndarray", "add", "isfinite", "sqrt"):
        setattr(np, name, None)
import torch

x = torch.ones(3, requires_grad=True)
(x * 2).sum().backward()
