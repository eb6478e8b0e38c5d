import torch


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([2.0, 3.0]))

    def forward(self, x):
        for _ in range(2):
            y = torch.exp(x * self.weight)
        return y


def halved(values):
    values.mul_(0.5)
    return values
