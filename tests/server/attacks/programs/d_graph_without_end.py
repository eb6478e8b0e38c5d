# Ends: EventLimitExceeded, TimeLimitExceeded
import torch

x = torch.ones(3, requires_grad=True)
y = x
while True:
    y = (y * 1.0).tanh()
