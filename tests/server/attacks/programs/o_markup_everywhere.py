# Ends: error, ok
import os, sys

x = "<img src=x onerror=alert(1)><script>alert(1)</script>\x1b]8;;javascript:alert(1)\x07\u202e\u2028\0"
print(x)
print(x, file=sys.stderr)
import warnings

warnings.warn(x)
import torch


class Odd(torch.nn.Module):
    def forward(self, a):
        return a

    def extra_repr(self):
        return x


Odd.__name__ = Odd.__qualname__ = x
Odd()(torch.ones(1))
globals()[x] = torch.ones(2, requires_grad=True)
torch.tensor([1.0], requires_grad=True).register_hook(
    type(x, (), {"__call__": lambda self, g: None})() if False else print
)
