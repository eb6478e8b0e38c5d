# Ends: error, EventLimitExceeded, MemoryLimitExceeded, TimeLimitExceeded
import torch

x = torch.ones(1 << 18, requires_grad=True)
kept = []
while True:
    kept.append(x.exp())
