# title: Anomaly mode finds where a NaN begins
# summary: An error in the backward pass, led back to the line of the forward pass that made the node.

import torch

x = torch.tensor([0.0, 1.0], requires_grad=True)

with torch.autograd.detect_anomaly():
    root = torch.sqrt(x)
    y = (root * 0).sum()
    try:
        y.backward()
    except RuntimeError as error:
        print(error)
